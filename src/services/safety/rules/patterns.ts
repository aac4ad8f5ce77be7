import { createRequire } from 'node:module';
import { Mistakes } from '../../../lib/mistakes.ts';
import { Refusal } from '../../../lib/refusal.ts';
import type { RuleSet } from '../server-rules.ts';

const require = createRequire(import.meta.url);

/** Only loaded for the first pattern, because most servers have none. */
const loadEngine = (): typeof import('re2js', { with: { 'resolution-mode': 'require' }}) => require('re2js');

/** At worst, each instruction costs two nanoseconds for each character of a text. A hundred usual patterns have some 3,000. */
const MAX_INSTRUCTIONS = 4_000;
/** How many bytes of states a rule set keeps between texts. With fewer, characters cost more time. */
const MAX_STATE_BYTES = 1_000_000;

/** The patterns of admins, compiled into one program, so that the time for a text depends only on its length and the program's size. */
export class PatternList {
  readonly #patterns: RuleSet['patterns'];
  readonly #program: { match(text: string): number[] } | undefined;

  /** Throws a `Refusal` for the patterns that are invalid, or for the one with which the program would be too large. */
  constructor(patterns: RuleSet['patterns']) {
    this.#patterns = patterns;
    if (patterns.length > 0) this.#program = compile(patterns.map(({ text }) => text));
  }

  appliesTo(kind: string): boolean {
    return this.#patterns.some((pattern) => isFor(pattern, kind));
  }

  /** Returns the first pattern for a kind that matches, as it was listed. */
  find(kind: string, text: string): string | undefined {
    const matching = this.#program?.match(text).map((index) => this.#patterns[index]);
    return matching?.find((pattern) => pattern && isFor(pattern, kind))?.text;
  }
}

const isFor = ({ kinds }: RuleSet['patterns'][number], kind: string): boolean => kinds?.includes(kind) ?? true;

function compile(patterns: readonly string[]): { match(text: string): number[] } {
  const { RE2JS, RE2JSSyntaxException, RE2Set } = loadEngine();
  const program = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, MAX_STATE_BYTES);
  const mistakes = new Mistakes();
  let instructions = 0;
  for (const pattern of patterns) {
    // Admins also write escapes such as `\u00e9`, which only JavaScript has.
    const translated = RE2JS.translateRegExp(pattern);
    try {
      instructions += RE2JS.compile(translated, RE2JS.CASE_INSENSITIVE).programSize();
    } catch (error) {
      if (!(error instanceof RE2JSSyntaxException)) throw error;
      mistakes.add(new Refusal('refusals.rules.patternInvalid', { pattern, reason: error.getDescription() }));
      continue;
    }
    if (instructions > MAX_INSTRUCTIONS) {
      mistakes.add(new Refusal('refusals.rules.patternsTooComplex', { pattern }));
      break;
    }
    program.add(translated);
  }
  mistakes.throwIfAny();
  program.compile();
  return program;
}
