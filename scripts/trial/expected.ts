import { readFileSync } from 'node:fs';
import { differencesOf, type ExpectedStep } from './compare.ts';
import type { StepResult } from './report.ts';
import { ANY_KEY } from './shape.ts';

export const profiles = ['spec', 'stock'] as const;

/** What the embedded sides respond in the same trial, made by `npm run trial:expected`. */
export interface Expected {
  discord: ExpectedStep[];
  /** By the profile of the embedded gateway. */
  gateway: Record<(typeof profiles)[number], ExpectedStep[]>;
  member: ExpectedStep[];
}

export const readExpected = (): Expected => JSON.parse(readFileSync(new URL('expected.json', import.meta.url), 'utf8'));

/** The keys and words that the embedded sides use, which are those of the protocols. */
export function knownIn({ discord, gateway, member }: Expected): Set<string> {
  const responses = [...discord, ...gateway.spec, ...gateway.stock, ...member].flatMap((step) => step.responses);
  const events = responses.flatMap((one) => one.events);
  const shapes = [...responses, ...events];
  const keys = shapes.flatMap(({ fields }) => Object.keys(fields).flatMap((path) => path.split(/\.|\[\]/)));
  const words = shapes.flatMap((shape) => Object.values(shape.words).flat());
  return new Set([...keys, ...words, ...events.map(({ type }) => type)].filter((text) => text !== ANY_KEY));
}

/** Compares with the profile of the embedded gateway that differs least. */
export function compareWithExpected(results: readonly StepResult[], { discord, gateway, member }: Expected) {
  const compare = (profile: (typeof profiles)[number]) => {
    return { profile, differences: differencesOf(results, [...discord, ...gateway[profile], ...member]) };
  };
  const [spec, stock] = [compare('spec'), compare('stock')];
  return stock.differences.length < spec.differences.length ? stock : spec;
}
