import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { ZodType } from 'zod';

const EX_USAGE = 64;
const MAX_COLUMNS = 80;

/** Ends the set-up. The message says what is wrong and what to do. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Breaks lines between words. Indented lines and list items stay indented; longer words, such as links, stay whole. */
export const wrap = (text: string, columns = MAX_COLUMNS): string =>
  text.replace(/^( *(?:- |\d\. )?)(.*)$/gm, (_line, indent: string, rest: string) => {
    const rows = [indent];
    for (const word of rest.split(' ')) {
      const row = rows.at(-1) ?? '';
      const longer = row.length > indent.length ? `${row} ${word}` : row + word;
      if (longer.length <= columns || row.length <= indent.length) rows.splice(-1, 1, longer);
      else rows.push(' '.repeat(indent.length) + word);
    }
    return rows.join('\n');
  });

interface Options {
  proposal?: string;
  isSecret?: boolean;
  expected?: ZodType;
}

export type Terminal = ReturnType<typeof openTerminal>;

/**
 * Asks questions in a terminal, or takes the responses from a pipe. If it may not ask, it takes what each question proposes.
 * Input is shown only during questions, and not if they ask for a secret. `onInterrupt` is called after Ctrl-C.
 */
export function openTerminal(canAsk: boolean, onInterrupt: () => void) {
  const { stdin, stdout } = process;
  let isEchoing = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (isEchoing) stdout.write(chunk);
      done();
    },
  });
  const reader = canAsk ? createInterface({ input: stdin, output: echo, terminal: stdin.isTTY, historySize: 0 }) : null;
  reader?.on('SIGINT', onInterrupt);
  process.on('SIGINT', onInterrupt);
  const lines = reader?.[Symbol.asyncIterator]();
  let nextLine: Promise<IteratorResult<string>> | undefined;

  const columns = (): number => Math.min(stdout.columns || MAX_COLUMNS, MAX_COLUMNS);
  const say = (text: string): void => void stdout.write(`${wrap(text, columns())}\n`);
  /** A sign in front of the text, which is indented. */
  const mark = (sign: string, text: string): void =>
    void stdout.write(`${sign}${wrap(`   ${text}`, columns()).slice(2)}\n`);

  const bad = (text: string): void => mark(styleText('red', '!!'), text);

  const ask = async (
    question: string,
    { proposal = '', isSecret = false, expected }: Options = {},
  ): Promise<string> => {
    if (!reader || !lines) return proposal;
    for (;;) {
      const prompt = `${styleText('bold', `? ${question}`)}${proposal && ` (${proposal})`}: `;
      reader.setPrompt(prompt);
      isEchoing = true;
      // A pipe may have ended, although its lines are still to be read.
      if (stdin.isTTY) reader.prompt();
      else stdout.write(prompt);
      isEchoing = !isSecret;
      nextLine ??= lines.next();
      const { done, value } = await nextLine;
      nextLine = undefined;
      // A terminal has shown the end of the line, unless nothing is shown.
      if (isSecret || !stdin.isTTY) stdout.write('\n');
      isEchoing = false;
      if (done) throw new Stop(EX_USAGE, 'The input ended before the last question. Without a terminal, use --yes.');
      const response = value.trim() || proposal;
      if (!expected || expected.safeParse(response).success) return response;
      bad(`It should be ${expected.description}.`);
    }
  };

  return {
    canAsk,
    say,
    ask,
    title: (text: string): void => say(`\n${styleText('bold', text)}`),
    good: (text: string): void => mark(styleText('green', 'ok'), text),
    bad,

    async confirm(question: string, proposal = true): Promise<boolean> {
      if (!reader) return proposal;
      for (;;) {
        const response = (await ask(`${question} (${proposal ? 'Y/n' : 'y/N'})`)).toLowerCase();
        if (response === '') return proposal;
        if (['y', 'yes', 'n', 'no'].includes(response)) return response.startsWith('y');
      }
    },

    /** Resolves when Enter is pressed. A line that comes too late is the response to the next question. */
    async enter(): Promise<void> {
      const line = lines?.next();
      nextLine = line;
      await line;
      if (nextLine === line) nextLine = undefined;
    },

    close(): void {
      reader?.close();
      process.off('SIGINT', onInterrupt);
    },
  };
}
