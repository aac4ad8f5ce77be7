import { once } from 'node:events';
import { styleText } from 'node:util';
import { type CANCEL_SYMBOL, confirm, isCancel, password, text } from '@clack/prompts';
import type { ZodType } from 'zod';
import { EX_USAGE, Stop } from '../usage.ts';

const MAX_COLUMNS = 80;
const ROWS = 24;
/** What a shell reports after Ctrl-C. */
const INTERRUPTED = 130;

/** Breaks lines between words. Indented lines and list items stay indented; longer words, such as links, stay whole. */
export const wrap = (text: string, columns = MAX_COLUMNS): string =>
  text.replace(/^( *(?:- |\d\. )?)(.*)$/gm, (_line, indent: string, rest: string) => {
    const width = Math.max(1, columns - indent.length);
    const rows = rest.match(new RegExp(`(?:.{1,${width}}|\\S+)(?: |$)`, 'g')) ?? [];
    return indent + rows.map((row) => row.trimEnd()).join(`\n${' '.repeat(indent.length)}`);
  });

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

interface Options {
  proposal?: string;
  isSecret?: boolean;
  expected?: ZodType;
}

export type Terminal = ReturnType<typeof openTerminal>;

/** Asks questions, or takes what each question proposes if it may not ask. `farewell` is what it says after Ctrl-C, before it cleans up. */
export function openTerminal(canAsk: boolean, farewell: () => string, cleanUp?: () => Promise<void>) {
  const { stdin, stdout } = process;
  if (canAsk && !(stdin.isTTY && stdout.isTTY))
    throw new Stop(EX_USAGE, 'Without a terminal, nothing can be asked. Use the option --yes.');
  // A pipe has no size, and that of a serial console is 0.
  stdout.columns ||= MAX_COLUMNS;
  stdout.rows ||= ROWS;
  const columns = (): number => Math.min(stdout.columns, MAX_COLUMNS);
  const say = (text: string): void => void stdout.write(`${wrap(text, columns())}\n`);
  /** A sign in front of the text, which is indented. */
  const mark = (sign: string, text: string): void =>
    void stdout.write(`${sign}${wrap(`   ${text}`, columns()).slice(2)}\n`);

  const bad = (text: string): void => mark(styleText('red', '!!'), text);

  let isEnding = false;
  // During a question, the library reads Ctrl-C as a key.
  const interrupt = async (): Promise<never> => {
    if (isEnding) process.exit(INTERRUPTED);
    isEnding = true;
    say(`\n${farewell()}`);
    await cleanUp?.().catch((error: unknown) => bad(String(error)));
    process.exit(INTERRUPTED);
  };
  const onInterrupt = (): void => void interrupt();
  process.on('SIGINT', onInterrupt);

  const responseTo = async <T>(question: Promise<T | typeof CANCEL_SYMBOL>): Promise<T> => {
    const response = await question;
    return isCancel(response) ? interrupt() : response;
  };

  return {
    canAsk,
    say,
    title: (text: string): void => say(`\n${styleText('bold', text)}`),
    good: (text: string): void => mark(styleText('green', 'ok'), text),
    bad,

    async ask(question: string, { proposal = '', isSecret = false, expected }: Options = {}): Promise<string> {
      if (!canAsk) return proposal;
      const options = { message: styleText('bold', question), withGuide: false };
      for (;;) {
        const response = await responseTo(
          isSecret ? password(options) : text({ ...options, placeholder: proposal, defaultValue: proposal }),
        );
        const value = response.trim() || proposal;
        // Not checked by the library, whose yellow is unreadable on white.
        if (!expected || expected.safeParse(value).success) return value;
        bad(`It should be ${expected.description}.`);
      }
    },

    async confirm(question: string, proposal = true): Promise<boolean> {
      if (!canAsk) return proposal;
      return responseTo(confirm({ message: styleText('bold', question), withGuide: false, initialValue: proposal }));
    },

    /** Resolves when Enter is pressed, or after the signal. */
    async enter(signal: AbortSignal): Promise<void> {
      await once(stdin.resume(), 'data', { signal }).catch(() => undefined);
      stdin.pause();
    },

    close: (): void => void process.off('SIGINT', onInterrupt),
  };
}
