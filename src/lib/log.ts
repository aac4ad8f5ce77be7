import pino, { type Logger } from 'pino';
import { isRecord } from './exact-json.ts';
import { currentSubject } from './log-subject.ts';
import { loggableError, loggableFacts } from './loggable.ts';
import { terminalSafe, terminalSafeJson } from './text.ts';

export type Log = Logger;

export type PlainLog = Record<'info' | 'warn' | 'error', (facts: object, sentence: string) => void>;

interface LogOptions {
  level: string;
  secrets: readonly string[];
  readable: boolean;
  write(line: string): void;
}

const HIDDEN = '[hidden]';
/** Such a URL contains an interaction's token, which lets anyone reply as the bot. */
const TOKEN_URL = /(\/(?:webhooks|interactions)\/\d{5,}\/)[^/\s"'?\\]+/g;
/** Log sentences come from the code, but a store error contains file names and the server's message. */
const MAX_SENTENCE_LENGTH = 2_000;

/** Errors are reduced to safe facts (`loggable.ts`), and every finished line is searched for secrets. */
export function openLog({ level, secrets, readable, write }: LogOptions): Log {
  const spellings = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter(Boolean);
  const hide = (line: string): string =>
    spellings.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line.replace(TOKEN_URL, `$1${HIDDEN}`));
  return pino(
    {
      level,
      base: null,
      // The line's own fields come first.
      mixin: () => ({ ...currentSubject() }),
      // Errors are described below; the library's serializer would add all their properties.
      serializers: { err: (error: unknown) => error },
      hooks: {
        // Without a sentence, the library would log the message of the error. It would also replace placeholders in a sentence.
        logMethod([first, sentence], method) {
          if (typeof first === 'string') return method.call(this, {}, asSentence(first));
          const facts = first instanceof Error ? { err: loggableError(first) } : loggableFacts(Object(first));
          return method.call(this, facts, asSentence(sentence));
        },
      },
    },
    { write: (line) => write(hide(readable ? readableLine(line) : terminalSafeJson(line))) },
  );
}

const asSentence = (sentence: unknown): string =>
  typeof sentence === 'string' ? sentence.slice(0, MAX_SENTENCE_LENGTH) : '';

function readableLine(line: string): string {
  const { level, time, msg, err, ...facts }: Record<string, unknown> = JSON.parse(line);
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const details = Object.entries(facts).map(([name, value]) => ` ${terminalSafe(name)}=${factOf(value)}`);
  const sentence = terminalSafe(String(msg ?? ''));
  return `${clock} ${(pino.levels.labels[Number(level)] ?? '').padEnd(5)} ${sentence}${details.join('')}${errorLines(err)}\n`;
}

const factOf = (value: unknown): string => terminalSafe(typeof value === 'string' ? value : JSON.stringify(value));

function errorLines(error: unknown): string {
  if (!isRecord(error)) return '';
  const { type, message, stack, cause, errors, ...names } = error;
  const facts = Object.entries(names).map(([name, value]) => ` ${name}=${factOf(value)}`);
  const head = `\n${factOf(type ?? 'error')}${message === undefined ? '' : `: ${factOf(message)}`}${facts.join('')}`;
  const frames =
    typeof stack === 'string' && stack !== '' ? stack.split('\n').map((frame) => `\n${terminalSafe(frame)}`) : [];
  const causes = [cause, ...(Array.isArray(errors) ? errors : [])].filter((one) => one !== undefined);
  return [head, ...frames, ...causes.map(errorLines)].join('');
}
