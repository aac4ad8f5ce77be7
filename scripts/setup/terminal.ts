import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';

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

/** Breaks text between words. Lines that begin with spaces stay indented; longer words, such as links, stay whole. */
export function wrap(text: string, columns = MAX_COLUMNS): string {
  return text
    .split('\n')
    .map((line) => {
      const indent = /^ *(?:- |\d\. )?/.exec(line)?.[0] ?? '';
      const [first = '', ...words] = line.slice(indent.length).split(' ');
      const rows = [indent + first];
      for (const word of words) {
        const row = `${rows.at(-1)} ${word}`;
        if (row.length <= columns) rows[rows.length - 1] = row;
        else rows.push(' '.repeat(indent.length) + word);
      }
      return rows.join('\n');
    })
    .join('\n');
}

export type Terminal = ReturnType<typeof openTerminal>;

/**
 * Asks questions, each on one line, in a terminal or with responses from a pipe. If it may not ask, every question has its proposed
 * response. What is typed is only shown during a question that is not about a secret. `onInterrupt` is called after Ctrl-C.
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
  const reader = canAsk
    ? createInterface({ input: stdin, output: echo, terminal: stdin.isTTY, historySize: 0 })
    : undefined;
  reader?.on('SIGINT', onInterrupt);
  process.on('SIGINT', onInterrupt);
  const lines = reader?.[Symbol.asyncIterator]();
  let pendingLine: Promise<IteratorResult<string>> | undefined;

  const readLine = async (question: string): Promise<string> => {
    if (!lines) throw new Stop(64, `--yes asks no question, so this has to be set: ${question}`);
    pendingLine ??= lines.next();
    const { done, value } = await pendingLine;
    pendingLine = undefined;
    if (done) throw new Stop(64, 'The input ended before the last question. Without a terminal, use --yes.');
    return value.trim();
  };
  const columns = (): number => Math.min(stdout.columns || MAX_COLUMNS, MAX_COLUMNS);
  const say = (text = ''): void => void stdout.write(`${wrap(text, columns())}\n`);

  const mark = (sign: string, text: string): void =>
    void stdout.write(`${sign} ${wrap(`   ${text}`, columns()).slice(3)}\n`);

  const ask = async (question: string, { proposal = '', isSecret = false } = {}): Promise<string> => {
    if (!reader) return proposal || readLine(question);
    const prompt = `${styleText('bold', `? ${question}`)}${proposal && ` (${proposal})`}: `;
    reader.setPrompt(prompt);
    isEchoing = true;
    reader.prompt();
    isEchoing = !isSecret;
    const line = await readLine(question);
    isEchoing = false;
    // A terminal has shown the end of the line, unless it shows nothing of it.
    if (isSecret || !stdin.isTTY) stdout.write('\n');
    return line || proposal;
  };

  return {
    canAsk,
    say,
    title: (text: string): void => say(`\n${styleText('bold', text)}`),
    good: (text: string): void => mark(styleText('green', 'ok'), text),
    bad: (text: string): void => mark(styleText('red', '!!'), text),
    ask,

    async confirm(question: string, proposal = true): Promise<boolean> {
      if (!reader) return proposal;
      for (;;) {
        const response = (await ask(`${question} (${proposal ? 'Y/n' : 'y/N'})`)).toLowerCase();
        if (response === '') return proposal;
        if (['y', 'yes', 'n', 'no'].includes(response)) return response.startsWith('y');
      }
    },

    /** Resolves when Enter is pressed; never if no question may be asked. */
    enter: async (): Promise<void> => {
      if (!lines) return new Promise(() => undefined);
      pendingLine ??= lines.next();
      const enter = pendingLine;
      await enter;
      if (pendingLine === enter) pendingLine = undefined;
    },

    close(): void {
      reader?.close();
      process.off('SIGINT', onInterrupt);
    },
  };
}
