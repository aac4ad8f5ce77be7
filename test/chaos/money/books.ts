import { amountText, amountOf as gatewayAmount, plus, times, ZERO } from '../../../sandbox/gateway/decimal.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { kindSpecs, ruleTargets } from '../../../src/commands/index.ts';
import { readConfig } from '../../../src/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { compare, difference, sumOf } from '../../../src/lib/decimals.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { amountOf, type LedgerEntry, standingOf } from '../../../src/services/money/entry.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { ledgerTasks } from '../../support/ledger-tasks.ts';

export interface Limits {
  total: string;
  server: string;
  member: string;
}

export interface Books {
  entries: readonly LedgerEntry[];
  tasks: ReadonlyMap<string, Task>;
}

/** Reads the store as the next start would do. */
export async function readBooks(settings: Record<string, string>): Promise<Books> {
  const config = readConfig(settings, ruleTargets);
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const store = await openStore(config.store, {
    log,
    clock: systemClock,
    specs: kindSpecs,
    botVersion: '0.0.0',
    leaseMs: config.storeLeaseMs,
  });
  try {
    const entries = await Array.fromAsync(store.entries.readRange('', '9999'));
    const tasks = new Map((await ledgerTasks(store.entries)).map((task) => [task.id, task]));
    return { entries, tasks };
  } finally {
    await store.close();
  }
}

export interface Verdict {
  failures: readonly string[];
  figures: readonly string[];
}

const isCounted = (entry: LedgerEntry): boolean => standingOf(entry) !== 'refunded';

/** Compares the bot's books with its limits and with what the gateway has charged. */
export function checkBooks({ entries, tasks }: Books, gateway: EmbeddedGateway, limits: Limits): Verdict {
  const countedEntries = entries.filter(isCounted);
  const exceededLimits = [
    ...aboveLimit(countedEntries, () => 'all', limits.total),
    ...aboveLimit(countedEntries, ({ guildId = '' }) => guildId, limits.server),
    ...aboveLimit(countedEntries, ({ guildId, memberId }) => `${guildId} ${memberId}`, limits.member),
  ];
  const doubleReleases = entries.filter(
    ({ facts }) => facts.filter(({ standing }) => standing === 'refunded').length > 1,
  );
  const jobs = gateway.jobs.list();
  const chargedJobs = jobs.filter(({ state }) => state !== 'failed');
  // Each request has its own prompt; a request that is repeated under the same key is several tasks, but only one job.
  const tasksByPrompt = Map.groupBy(tasks.values(), ({ request }) => request.prompt ?? '');
  const countedIds = new Set(countedEntries.map(({ id }) => id));
  const tasksOf = (job: { prompt: string }): Task[] => tasksByPrompt.get(job.prompt) ?? [];
  const unconfirmedTasks = [...tasks.values()].filter(
    ({ state, isRepeated }) => state === 'unconfirmed' && !isRepeated,
  );
  const unconfirmedJobs = chargedJobs.filter((job) => !tasksOf(job).some(({ remoteId }) => remoteId !== undefined));
  const unreservedJobs = chargedJobs.filter((job) => !tasksOf(job).some(({ id }) => countedIds.has(id)));
  const bill = amountText(chargedJobs.reduce((sum, { charge }) => plus(sum, charge), ZERO));
  const settledEntries = countedEntries.filter((entry) => standingOf(entry) === 'settled');
  // The bot counts a repeated order twice, because a gateway may ignore its key. This gateway charges it once.
  const [repeatedEntries = [], chargedEntries = []] = [true, false].map((isRepeated) =>
    settledEntries.filter(({ id }) => (tasks.get(id)?.isRepeated ?? false) === isRepeated),
  );
  const settledSum = sumOf(chargedEntries.flatMap((entry) => amountOf(entry)?.amount ?? []));
  const unconfirmedSum = amountText(unconfirmedJobs.reduce((sum, { charge }) => plus(sum, charge), ZERO));
  const discrepancy = difference(bill, sumOf([settledSum ?? '0', unconfirmedSum]) ?? '0');
  const bookedSum = amountText(gateway.usage.total('sk-sandbox'));
  return {
    failures: [
      ...exceededLimits.map((scope) => `reservations above the limit of ${scope}`),
      ...doubleReleases.map(({ id }) => `order ${id} was released twice`),
      ...unreservedJobs.map(({ id }) => `job ${id} has no reservation`),
      ...(compare(discrepancy, '0') === 0 ? [] : [`the gateway's bill differs by ${discrepancy}`]),
      ...(compare(bookedSum, bill) === 0 ? [] : [`the gateway's books say ${bookedSum}, and its jobs ${bill}`]),
    ],
    figures: [
      `orders with an entry: ${entries.length}; counted: ${countedEntries.length}; jobs at the gateway: ${jobs.length}`,
      `unconfirmed: ${unconfirmedTasks.length}, of which the gateway accepted ${unconfirmedJobs.length}; repeated: ${repeatedEntries.length}`,
      `reservations above a limit: ${exceededLimits.length}; double releases: ${doubleReleases.length}; lost reservations: ${unreservedJobs.length}`,
      `gateway's bill $${bill} = settled $${settledSum ?? '0'} + unconfirmed orders that it accepted $${unconfirmedSum}; difference ${discrepancy}`,
    ],
  };
}

/** The names of the sums that exceed a limit on some day. */
function aboveLimit(entries: readonly LedgerEntry[], nameOf: (entry: LedgerEntry) => string, limit: string): string[] {
  const sums = new Map<string, string[]>();
  for (const entry of entries) {
    const name = `${new Date(entry.at).toISOString().slice(0, 10)} ${nameOf(entry)}`;
    sums.set(name, [...(sums.get(name) ?? []), amountOf(entry)?.amount ?? '0']);
  }
  return [...sums].filter(([, amounts]) => compare(sumOf(amounts) ?? '0', limit) > 0).map(([name]) => name);
}

/** The price of this many units in dollars, as the operator would write it. */
export const dollars = (price: string, units: number): string => amountText(times(gatewayAmount(price), units));
