import {
  chmodSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { parseEnv } from 'node:util';

/** Only the owner may read the secrets. */
const MODE = 0o600;
const EXAMPLE = new URL('../../.env.example', import.meta.url);

type Values = Readonly<Record<string, string | undefined>>;

/** The settings in `.env`, with what was decided since. Nothing is written before `write`. */
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

  saved(name: string): string | undefined {
    return this.#saved[name]?.trim() || undefined;
  }

  given(name: string): string | undefined {
    return this.#environment[name]?.trim() || undefined;
  }

  isDecided(name: string): boolean {
    return this.#decided.has(name);
  }

  decide(name: string, value: string): void {
    this.#decided.set(name, value);
  }

  /** Writes the file in one step, so that it is never incomplete. Returns whether there was anything to write. */
  write(): boolean {
    const text = this.#newText();
    const isSafe = this.#text !== undefined && (statSync(this.#path).mode & 0o077) === 0;
    if (text === this.#text) {
      if (!isSafe) chmodSync(this.#path, MODE);
      return !isSafe;
    }
    const temporaryPath = `${this.#path}.${process.pid}.tmp`;
    try {
      writeFileSync(temporaryPath, text, { mode: MODE, flush: true });
      renameSync(temporaryPath, this.#path);
    } finally {
      rmSync(temporaryPath, { force: true });
    }
    return true;
  }

  #newText(): string {
    let text = this.#text ?? (existsSync(EXAMPLE) ? readFileSync(EXAMPLE, 'utf8') : '');
    const before = parseEnv(text);
    for (const [name, value] of this.#decided) if (this.saved(name) !== value) text = withLine(text, name, value);
    const wanted = { ...before, ...Object.fromEntries(this.#decided) };
    const found = parseEnv(text);
    const changedByMistake = Object.keys({ ...wanted, ...found }).filter((name) => found[name] !== wanted[name]);
    if (changedByMistake.length > 0)
      throw new Error(`The lines of .env with ${changedByMistake.join(', ')} cannot be changed by a program.`);
    return text;
  }
}

/** Replaces the line that sets a variable, or the one that shows its default as a comment, or adds a line. */
function withLine(text: string, name: string, value: string): string {
  const line = `${name}=${quoted(value)}`;
  for (const pattern of [`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, `^#${name}=.*$`]) {
    const expression = new RegExp(pattern, 'm');
    if (expression.test(text)) return text.replace(expression, () => line);
  }
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}

/** Without quotation marks, a value ends at a `#`. */
function quoted(value: string): string {
  if (!/[#'"`\\]/.test(value)) return value;
  const mark = ["'", '"', '`'].find((one) => !value.includes(one)) ?? '';
  return `${mark}${value}${mark}`;
}
