import { dayOf } from '../../lib/clock.ts';
import { sumOf } from '../../lib/decimals.ts';
import { amountOf, type Entry, type Standing, standingOf } from './entry.ts';

export interface UsesQuestion {
  /** Days of UTC, `YYYY-MM-DD`, both included. What counts is the day of the order. */
  range: { start: string; end: string };
  /** Everybody's, everywhere, without them. */
  memberId?: string | undefined;
  guildId?: string | undefined;
}

/** Orders of one day that are alike, summed. What was refunded is no use, and not among them. */
export interface Use {
  day: string;
  /** undefined: whoever it was has had their data deleted. */
  memberId: string | undefined;
  kind: string;
  model: string | undefined;
  count: number;
  /** The sum with every digit; undefined for orders of which nobody knows what they cost. */
  amount: string | undefined;
  isEstimate: boolean;
  /** Done; not ended yet; or nobody knows whether the gateway took it. */
  state: 'settled' | 'open' | 'unconfirmed';
}

const STATES: Readonly<Record<Standing, Use['state'] | undefined>> = {
  settled: 'settled',
  reserved: 'open',
  unconfirmed: 'unconfirmed',
  refunded: undefined,
};

/** By day, and within a day in the order of the first of each. */
export async function usesAmong(entries: AsyncIterable<Entry>, { memberId, guildId }: UsesQuestion): Promise<Use[]> {
  const groups = new Map<string, { use: Omit<Use, 'amount'>; amounts: string[] }>();
  for await (const entry of entries) {
    const state = STATES[standingOf(entry)];
    if (state === undefined) continue;
    if (memberId !== undefined && entry.memberId !== memberId) continue;
    if (guildId !== undefined && entry.guildId !== guildId) continue;
    const known = amountOf(entry);
    const { kind, model } = entry;
    const alike = { day: dayOf(entry.at), memberId: entry.memberId, kind, model, state };
    const isEstimate = known?.isEstimate ?? false;
    const key = JSON.stringify([...Object.values(alike), isEstimate, known !== undefined]);
    const group = groups.get(key) ?? { use: { ...alike, isEstimate, count: 0 }, amounts: [] };
    groups.set(key, group);
    group.use.count += 1;
    if (known) group.amounts.push(known.amount);
  }
  return [...groups.values()].map(({ use, amounts }) => ({ ...use, amount: sumOf(amounts) }));
}
