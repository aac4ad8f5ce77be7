import { readFileSync, writeFileSync } from 'node:fs';
import { type Difference, differencesOf, type ExpectedStep } from './compare.ts';
import type { StepResult } from './run.ts';
import { ANY_KEY } from './shape.ts';

const FILE = new URL('expected.json', import.meta.url);
export const profiles = ['spec', 'stock'] as const;

/** What the embedded sides respond in the same trial, made by `npm run trial:expected`. */
export interface Expected {
  discord: ExpectedStep[];
  /** By the profile of the embedded gateway. */
  gateway: Record<(typeof profiles)[number], ExpectedStep[]>;
  member: ExpectedStep[];
}

export const readExpected = (): Expected => JSON.parse(readFileSync(FILE, 'utf8'));

/** One step a line, and without lengths, so that changes are readable. */
export function writeExpected({ discord, gateway, member }: Expected): void {
  const withoutLengths = (key: string, value: unknown): unknown =>
    key === 'length' || key === 'ms' ? undefined : value;
  const linesOf = (steps: readonly ExpectedStep[]): string =>
    `[\n${steps.map((step) => JSON.stringify(step, withoutLengths)).join(',\n')}\n]`;
  const own = profiles.map((profile) => `"${profile}": ${linesOf(gateway[profile])}`).join(',\n');
  writeFileSync(
    FILE,
    `{\n"discord": ${linesOf(discord)},\n"gateway": {\n${own}\n},\n"member": ${linesOf(member)}\n}\n`,
  );
}

/** The keys and words that the embedded sides use, which are those of the protocols. */
export function knownIn({ discord, gateway, member }: Expected): Set<string> {
  const contents = [...discord, ...gateway.spec, ...gateway.stock, ...member]
    .flatMap(({ responses }) => responses)
    .flatMap((one) => [one, ...one.events]);
  const keys = contents.flatMap(({ fields }) => Object.keys(fields).flatMap((path) => path.split(/\.|\[\]/)));
  const words = contents.flatMap((one) => Object.values(one.words).flat());
  const events = contents.flatMap((one) => ('type' in one ? one.type : []));
  return new Set([...keys, ...words, ...events].filter((text) => text !== ANY_KEY));
}

/** Compares with the profile of the embedded gateway that differs least. */
export function compareWithExpected(
  results: readonly StepResult[],
  expected: Expected,
): { profile: string; differences: Difference[] } {
  const candidates = profiles.map((profile) => {
    const steps = [...expected.discord, ...expected.gateway[profile], ...expected.member];
    return { profile, differences: differencesOf(results, steps) };
  });
  return (
    candidates.toSorted((a, b) => a.differences.length - b.differences.length)[0] ?? {
      profile: 'none',
      differences: [],
    }
  );
}
