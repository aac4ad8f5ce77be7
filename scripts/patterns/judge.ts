import { checkSync } from 'recheck';
import type { Pattern } from './patterns.ts';

/*
 * These limit the number of steps and not the time, so every machine gets the same result. The time limits below
 * only stop a check that would never end. An exception gets less time, because the check only has to find out whether
 * it is still needed.
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
const MAX_MS = 300_000;
const MAX_EXCEPTION_MS = 2_000;

/** The problems of the patterns and of the list of exceptions, one line each. */
export function findProblems(patterns: readonly Pattern[], exceptions: readonly string[]): string[] {
  const problems: string[] = [];
  const verdicts = new Map<string, string | undefined>();
  const unused = new Set(exceptions);
  for (const { text, path, line, regex } of patterns) {
    const place = `${path} ${text}`;
    const isException = exceptions.includes(place);
    const key = `${text} ${isException}`;
    if (!verdicts.has(key)) verdicts.set(key, regex ? verdictOn(regex, isException) : BUILT_AT_RUN_TIME);
    const verdict = verdicts.get(key);
    if (verdict === undefined) continue;
    if (isException) unused.delete(place);
    else problems.push(`${path}:${line}: ${text} ${verdict}`);
  }
  return [...problems, ...[...unused].map((place) => `The exception for ${place} is no longer needed.`)];
}

const BUILT_AT_RUN_TIME = 'is built at run time.';

/** Undefined if the pattern takes linear time. */
function verdictOn({ pattern, flags }: NonNullable<Pattern['regex']>, isException: boolean): string | undefined {
  const result = checkSync(pattern, flags, { ...LIMITS, timeout: isException ? MAX_EXCEPTION_MS : MAX_MS });
  if (result.status === 'safe') return undefined;
  if (result.status === 'unknown') return `cannot be checked (${result.error.kind}).`;
  return `can take ${result.complexity.summary} time, for example with ${result.attack.pattern}.`;
}
