import pino, { type Logger } from 'pino';
import { isRecord } from './exact-json.ts';
import { currentSubject } from './log-subject.ts';
import { loggableError, loggableFacts } from './loggable.ts';
import { terminalSafe, terminalSafeJson } from './text.ts';

export type Log = Logger;

export type PlainLog = Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>;

interface LogOptions {
  level: string;
  secrets: readonly string[];
  isPretty: boolean;
  write(line: string): void;
}

const REDACTED = '[hidden]';
/** Such a URL contains an interaction's token, which lets anyone reply as the bot. */
const TOKEN_URL = /(\/(?:webhooks|interactions)\/\d{5,}\/)[^/\s"'?\\]+/g;
/** Most log messages are literals in the code, but that of a store error includes file names and the database server's message. */
const MAX_MESSAGE_LENGTH = 2_000;

/** Errors are reduced to safe facts (`loggable.ts`), and every finished line is searched for secrets. */
export function createLogger({ level, secrets, isPretty, write }: LogOptions): Log {
  const spellings = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter(Boolean);
  const redact = (line: string): string =>
    spellings.reduce((text, secret) => text.replaceAll(secret, REDACTED), line.replace(TOKEN_URL, `$1${REDACTED}`));
  return pino(
    {
      level,
      base: null,
      // On a name clash, the line's own fields win.
      mixin: () => ({ ...currentSubject() }),
      // Errors are described below; the library's serializer would add all their properties.
      serializers: { err: (error: unknown) => error },
      hooks: {
        // Without a message, the library would log that of the error. It would also replace placeholders in a message.
        logMethod([firstArgument, message], method) {
          if (typeof firstArgument === 'string') return method.call(this, {}, asMessage(firstArgument));
          const facts =
            firstArgument instanceof Error
              ? { err: loggableError(firstArgument) }
              : loggableFacts(Object(firstArgument));
          return method.call(this, facts, asMessage(message));
        },
      },
    },
    { write: (line) => write(redact(isPretty ? prettyLine(line) : terminalSafeJson(line))) },
  );
}

const asMessage = (message: unknown): string =>
  typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : '';

function prettyLine(line: string): string {
  const { level, time, msg, err, ...facts }: Record<string, unknown> = JSON.parse(line);
  const timeOfDay = new Date(Number(time)).toISOString().slice(11, 19);
  const details = Object.entries(facts).map(([name, value]) => ` ${terminalSafe(name)}=${factOf(value)}`);
  const message = terminalSafe(String(msg ?? ''));
  return `${timeOfDay} ${(pino.levels.labels[Number(level)] ?? '').padEnd(5)} ${message}${details.join('')}${errorLines(err)}\n`;
}

const factOf = (value: unknown): string => terminalSafe(typeof value === 'string' ? value : JSON.stringify(value));

function errorLines(error: unknown): string {
  if (!isRecord(error)) return '';
  const { type, message, stack, cause, errors, ...otherFields } = error;
  const facts = Object.entries(otherFields).map(([name, value]) => ` ${name}=${factOf(value)}`);
  const head = `\n${factOf(type ?? 'error')}${message === undefined ? '' : `: ${factOf(message)}`}${facts.join('')}`;
  const frames =
    typeof stack === 'string' && stack !== '' ? stack.split('\n').map((frame) => `\n${terminalSafe(frame)}`) : [];
  const causes = [cause, ...(Array.isArray(errors) ? errors : [])].filter((one) => one !== undefined);
  return [head, ...frames, ...causes.map(errorLines)].join('');
}
