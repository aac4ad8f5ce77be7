import { isRecord } from '../../../lib/exact-json.ts';
import { firstAt, type Place } from './places.ts';
import { asNumber } from './values.ts';

/** What was used, in whole numbers, each where it may stand; undefined where nothing is told. */
export function countsIn<Name extends string>(
  value: unknown,
  at: Readonly<Record<Name, readonly Place[]>>,
): Record<Name, number | undefined> | undefined {
  if (!isRecord(value)) return undefined;
  const names = Object.keys(at) as Name[];
  const counts = names.map((name) => [name, firstAt(value, at[name], asCount)] as const);
  if (counts.every(([, count]) => count === undefined)) return undefined;
  return Object.fromEntries(counts) as Record<Name, number | undefined>;
}

function asCount(value: unknown): number | undefined {
  const number = asNumber(value);
  return number !== undefined && number >= 0 ? Math.round(number) : undefined;
}
