import { dayOf } from '../../lib/clock.ts';
import { sumOf } from '../../lib/decimals.ts';
import { amountOf, estimateAndCostOf, type LedgerEntry, standingOf } from './entry.ts';

export interface UsageQuery {
  /** Days in UTC, `YYYY-MM-DD`, both included; the day of the request counts. */
  range: { start: string; end: string };
  /** Omitted: all members, all servers. */
  memberId?: string | undefined;
  guildId?: string | undefined;
}

/** The sum of similar requests of one day, without refunds. */
export interface UsageGroup {
  day: string;
  /** Undefined if the member's data was erased. */
  memberId: string | undefined;
  /** The roles that had limits. */
  roleIds: readonly string[];
  type: string;
  model: string | undefined;
  count: number;
  /** The exact sum; undefined for requests of unknown cost. */
  amount: string | undefined;
  isEstimate: boolean;
  /** The requests for which both the estimate and the cost are known. */
  compared?: { count: number; estimate: string; cost: string } | undefined;
  state: 'settled' | 'open' | 'unconfirmed' | 'waived';
}

interface UnsummedGroup {
  fields: Omit<UsageGroup, 'amount' | 'compared'>;
  amounts: string[];
  compared: NonNullable<ReturnType<typeof estimateAndCostOf>>[];
}

function sumOfCompared(comparisons: UnsummedGroup['compared']): UsageGroup['compared'] {
  const estimate = sumOf(comparisons.map((one) => one.estimate));
  const cost = sumOf(comparisons.map((one) => one.cost));
  return estimate === undefined || cost === undefined ? undefined : { count: comparisons.length, estimate, cost };
}

const STATE_OF_STANDING = {
  settled: 'settled',
  reserved: 'open',
  unconfirmed: 'unconfirmed',
  waived: 'waived',
  refunded: undefined,
} as const;

/** The sums of the entries in the range of the query, in the order of their first occurrence. */
export async function sumUsage(
  entriesInRange: AsyncIterable<LedgerEntry>,
  { memberId, guildId }: UsageQuery,
): Promise<UsageGroup[]> {
  const groups = new Map<string, UnsummedGroup>();
  for await (const entry of entriesInRange) {
    const state = STATE_OF_STANDING[standingOf(entry)];
    if (state === undefined) continue;
    if (memberId !== undefined && (entry.memberId !== memberId || state === 'waived')) continue;
    if (guildId !== undefined && entry.guildId !== guildId) continue;
    const known = amountOf(entry);
    const { memberId: owner, roleIds = [], kind, type = kind, model } = entry;
    const commonFields = { day: dayOf(entry.at), memberId: owner, roleIds, type, model, state };
    const isEstimate = known?.isEstimate ?? false;
    const key = JSON.stringify([...Object.values(commonFields), isEstimate, known !== undefined]);
    const group = groups.get(key) ?? { fields: { ...commonFields, isEstimate, count: 0 }, amounts: [], compared: [] };
    groups.set(key, group);
    group.fields.count += 1;
    if (known) group.amounts.push(known.amount);
    const compared = estimateAndCostOf(entry);
    if (compared) group.compared.push(compared);
  }
  return [...groups.values()].map(({ fields, amounts, compared }) => ({
    ...fields,
    amount: sumOf(amounts),
    compared: sumOfCompared(compared),
  }));
}
