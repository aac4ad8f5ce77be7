import { createRequire } from 'node:module';
import { Refusal } from '../../lib/refusal.ts';

const require = createRequire(import.meta.url);

/** Only loaded for the first pattern, because most servers have none. */
const loadEngine = (): typeof import('re2-wasm') => require('re2-wasm');

/** Ignore case, and treat the text as Unicode. */
const RE2_FLAGS = 'iu';
const PATTERN_SUFFIX = `/${RE2_FLAGS}: `;

/** Matches the patterns of admins. The time depends only on the length of the text, because all patterns are compiled into one program. */
export class PatternList {
  readonly #combined: { test(text: string): boolean } | undefined;
  readonly #patterns: readonly string[];

  /** Throws a `Refusal` for the first invalid pattern. */
  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
    if (patterns.length === 0) return;
    for (const pattern of patterns) compile(pattern);
    this.#combined = compile(patterns.map((one) => `(?:${one})`).join('|'));
  }

  /** Returns the first pattern that matches, as it was listed. */
  find(text: string): string | undefined {
    return this.#combined?.test(text) ? this.#patterns.find((pattern) => compile(pattern).test(text)) : undefined;
  }
}

function compile(pattern: string): { test(text: string): boolean } {
  const { RE2 } = loadEngine();
  try {
    return new RE2(pattern, RE2_FLAGS);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const reason = message.slice(message.lastIndexOf(PATTERN_SUFFIX) + PATTERN_SUFFIX.length);
    throw new Refusal('refusals.rules.patternInvalid', { pattern, reason });
  }
}
