import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { EX_CONFIG, EX_IOERR, Stop } from '../usage.ts';

const EXAMPLE = new URL('../../.env.example', import.meta.url);

type Values = Readonly<Record<string, string | undefined>>;

/** The settings in `.env` with what was decided since, which only `write` puts there. */
export class Draft {
  readonly #path: string;
  readonly #text: string | undefined;
  readonly #saved: Values;
  readonly #environment: Values;
  readonly #decided = new Map<string, string>();

  constructor(path: string, environment: Values) {
    this.#path = existsSync(path) ? realpathSync(path) : path;
    this.#text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    this.#saved = parseEnv(this.#text ?? '');
    this.#environment = environment;
  }

  /** What the bot would read. As at its start, the environment precedes the file. */
  get settings(): Values {
    return { ...this.#saved, ...this.#environment, ...Object.fromEntries(this.#decided) };
  }

  get(name: string): string | undefined {
    return this.settings[name]?.trim() || undefined;
  }

  /** A value in the environment can only be changed there, because it precedes the file. */
  originOf(name: string): 'decided' | 'environment' | 'file' {
    if (this.#decided.has(name)) return 'decided';
    return this.#environment[name]?.trim() ? 'environment' : 'file';
  }

  decide(name: string, value: string): void {
    this.#decided.set(name, value);
  }

  /** Takes settings from the environment into the file. A different value that is there already is not overwritten. */
  takeFromEnvironment(names: readonly string[]): void {
    for (const name of names) {
      const [given, saved] = [this.#environment, this.#saved].map((values) => values[name]?.trim() || undefined);
      if (given !== undefined && saved !== undefined && given !== saved)
        throw new Stop(EX_CONFIG, `.env has another ${name} than the environment. Remove one of them, and try again.`);
      if (given !== undefined) this.decide(name, given);
    }
  }

  /** Writes the file in one step, so that it is never incomplete. Returns whether anything has changed. */
  write(): boolean {
    const text = this.#newText();
    if (text === this.#text && (statSync(this.#path).mode & 0o077) === 0) return false;
    const temporaryPath = `${this.#path}.${process.pid}.tmp`;
    try {
      writeFileSync(temporaryPath, text, { mode: 0o600, flush: true });
      renameSync(temporaryPath, this.#path);
    } catch (error) {
      rmSync(temporaryPath, { force: true });
      const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
      throw new Stop(EX_IOERR, `.env cannot be written (${code}), and is unchanged. Check its folder, and try again.`);
    }
    return true;
  }

  #newText(): string {
    let text = this.#text ?? (existsSync(EXAMPLE) ? readFileSync(EXAMPLE, 'utf8') : '');
    const wanted = { ...parseEnv(text), ...Object.fromEntries(this.#decided) };
    for (const [name, value] of this.#decided) if (parseEnv(text)[name] !== value) text = withLine(text, name, value);
    const found = parseEnv(text);
    const wrong = Object.keys({ ...wanted, ...found }).filter((name) => found[name] !== wanted[name]);
    if (wrong.length === 0) return text;
    throw new Stop(EX_CONFIG, `.env cannot be changed safely. Set these there yourself: ${wrong.join(', ')}.`);
  }
}

/** Replaces the line that sets a variable, or the one that shows its default as a comment, or adds a line. */
function withLine(text: string, name: string, value: string): string {
  // Without quotation marks, a value would end at a `#`, and Docker Compose would take a `$` for a variable.
  const mark = /[#$'"`\\]/.test(value) ? (["'", '"', '`'].find((one) => !value.includes(one)) ?? '') : '';
  const line = `${name}=${mark}${value}${mark}`;
  const present = [`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, `^#${name}=.*$`]
    .map((pattern) => new RegExp(pattern, 'm'))
    .find((pattern) => pattern.test(text));
  if (present) return text.replace(present, () => line);
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}
