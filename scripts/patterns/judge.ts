import { checkSync } from 'recheck';
import type { Pattern } from './patterns.ts';

/** A pattern that may take longer than its text is long, and why that does no harm in its place. */
export interface Exception {
  readonly pattern: string;
  readonly path: string;
  readonly reason: string;
}

/*
 * Limits of work, so every machine comes to the same result; the limits of time are there for what would never end.
 * An exception is looked at for a shorter time: it need not be proved again, only not be known to be needless.
 */
const LIMITS = {
  randomSeed: 1,
  maxNFASize: 3_000,
  maxIteration: 1,
  maxInitialGenerationSize: 60,
  maxGenerationSize: 20,
  mutationSize: 20,
  crossoverSize: 10,
  incubationLimit: 10_000,
  incubationTimeout: null,
  attackLimit: 5_000_000,
  attackTimeout: null,
} as const;
const MAX_MS = 30_000;
const MAX_MS_OF_EXCEPTION = 2_000;

/** The problems of the patterns and the list of exceptions, one sentence each. */
export function objectionsTo(patterns: readonly Pattern[], exceptions: readonly Exception[]): string[] {
  const objections: string[] = [];
  const verdicts = new Map<string, string | undefined>();
  const used = new Set<Exception>();
  for (const { text, path, line, regex } of patterns) {
    const exception = exceptions.find((one) => one.pattern === text && one.path === path);
    const key = `${text} ${exception !== undefined}`;
    if (!verdicts.has(key)) verdicts.set(key, regex ? verdictOn(regex, exception !== undefined) : NOT_KNOWN);
    const verdict = verdicts.get(key);
    if (exception && verdict !== undefined) used.add(exception);
    else if (verdict !== undefined) objections.push(`${path}:${line}: ${text} ${verdict}`);
  }
  for (const exception of exceptions) {
    if (used.has(exception)) continue;
    objections.push(`${exception.path}: the exception for ${exception.pattern} is no longer needed.`);
  }
  return objections;
}

const NOT_KNOWN = 'is built at run time.';

/** Undefined if its time grows no faster than its text. */
function verdictOn({ pattern, flags }: NonNullable<Pattern['regex']>, isException: boolean): string | undefined {
  const result = checkSync(pattern, flags, { ...LIMITS, timeout: isException ? MAX_MS_OF_EXCEPTION : MAX_MS });
  if (result.status === 'safe') return undefined;
  if (result.status === 'unknown') return `cannot be checked (${result.error.kind}).`;
  return `can take ${result.complexity.summary} time, for example with ${result.attack.pattern}.`;
}
