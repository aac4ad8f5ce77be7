import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kindSpecs } from '../../src/commands/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { withLimits } from '../../src/services/money/budget-changes.ts';
import { Budgets } from '../../src/services/money/budgets.ts';
import type { EntryStore } from '../../src/services/money/entry.ts';
import { Ledger } from '../../src/services/money/ledger.ts';
import type { Limits } from '../../src/services/money/limits.ts';
import { Spending } from '../../src/services/money/spending.ts';
import { openStore } from '../../src/services/store/open-store.ts';
import type { StoredTasks } from '../../src/services/store/stored-tasks.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { median, percentile, table } from '../table.ts';
import { runningTask } from '../tasks/filled-store.ts';
import { measureRules } from './rules.ts';

const ORDER_COUNT = 4_000;
/** This many orders at a time, alternating with and without limits, so that a busy moment of the machine affects both. */
const ORDERS_PER_TURN = 100;
const GUILD_COUNT = 20;
const MEMBER_COUNT = 1_000;
const MEMBERS_WITH_LIMITS = 200;

/** Limits for every period, in total and for one kind. They are so high that every order is admitted. */
const caps = { amount: '1000000', tasks: 1_000_000 };
const capsByPeriod = { day: caps, week: caps, month: caps };
const allLimits: Limits = { ...capsByPeriod, atOnce: 1_000_000, kinds: { imagine: capsByPeriod } };

/** The default: an amount and a number of tasks per day. */
const dailyLimits: Limits = { day: caps };

interface Variant {
  name: string;
  order(task: Task): Promise<void>;
  writes(): number;
  close(): Promise<void>;
}

/** Measures the time that limits add to an order, from the check to the stored task. */
export async function measureOrders(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  const variants = [
    await createVariant('without limits', join(folder, 'none.sqlite'), {}),
    await createVariant('daily limits (the default)', join(folder, 'day.sqlite'), { limits: dailyLimits }),
    await createVariant('limits per day, week, month and kind', join(folder, 'operator.sqlite'), { limits: allLimits }),
    await createVariant('the same, plus budgets of 20 servers', join(folder, 'budgets.sqlite'), {
      limits: allLimits,
      withBudgets: true,
    }),
  ];
  const times = new Map(variants.map((variant) => [variant, [] as number[]]));
  for (let firstIndex = 0; firstIndex < ORDER_COUNT; firstIndex += ORDERS_PER_TURN) {
    for (const variant of firstIndex % (2 * ORDERS_PER_TURN) === 0 ? variants : variants.toReversed()) {
      for (let index = firstIndex; index < firstIndex + ORDERS_PER_TURN; index++) {
        const task = submittingTask(index);
        const start = performance.now();
        await variant.order(task);
        times.get(variant)?.push(performance.now() - start);
      }
    }
  }
  const baselineMs = median(times.get(variants[0] as Variant) ?? []);
  const rows = variants.map((variant) => {
    const durations = times.get(variant) ?? [];
    const medianMs = median(durations);
    const writes = (variant.writes() / ORDER_COUNT).toFixed(2);
    return [
      variant.name,
      ...[medianMs, percentile(durations, 0.95), medianMs - baselineMs].map((ms) => ms.toFixed(3)),
      writes,
    ];
  });
  console.log(
    `${ORDER_COUNT} orders by ${MEMBER_COUNT} members in ${GUILD_COUNT} servers on SQLite, alternating after ${ORDERS_PER_TURN} orders\n`,
  );
  console.log(table(['', 'median ms', 'p95 ms', 'added ms', 'writes/order'], rows));
  measureRules();
  for (const variant of variants) await variant.close();
  await rm(folder, { recursive: true, force: true });
}

function submittingTask(index: number): Task {
  const now = systemClock.now();
  return {
    ...runningTask(index, { ageMs: 0 }),
    state: 'submitting',
    requesterId: `member-${(index * 7) % MEMBER_COUNT}`,
    guildId: guildOf(index),
    estimate: { amount: '0.0312', source: 'operator', at: now },
  } as Task;
}

const guildOf = (index: number): string => `guild-${index % GUILD_COUNT}`;

interface VariantOptions {
  limits?: Limits;
  withBudgets?: boolean;
}

async function createVariant(
  name: string,
  file: string,
  { limits, withBudgets = false }: VariantOptions,
): Promise<Variant> {
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const clock = systemClock;
  const store = (await openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock },
  )) as StoredTasks;
  let writes = 0;
  const countWrites = <Store extends object>(instance: Store, names: readonly string[]): Store =>
    new Proxy(instance, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (names.includes(String(property))) writes += 1;
          return (value as (...all: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  const entries: EntryStore = countWrites(store.entries, ['change', 'rename', 'keepScopes', 'setOpenSince']);
  const hashOf = (text: string): string => createHmac('sha256', 'secret').update(text).digest('hex').slice(0, 24);
  const budgets = new Budgets(countWrites(store.budgets, ['put']), hashOf);
  const appliedLimits = limits ?? {};
  const settings = {
    total: appliedLimits,
    server: appliedLimits,
    member: appliedLimits,
    direct: appliedLimits,
    trustedGuildIds: [],
    timeZone: 'UTC',
  };
  const spending = new Spending(settings, budgets, clock);
  if (withBudgets) await fillBudgets(budgets);
  const ledger = new Ledger({ clock, log }, entries, limits && spending);
  await ledger.open([]);
  const tasks = countWrites(store, ['put']);
  writes = 0;
  return {
    name,
    async order(task) {
      const { requesterId: memberId, guildId, kind, estimate } = task;
      const roleIds = ['role-1', 'role-2'];
      if (limits)
        spending.check({ memberId, guildId, isDirect: undefined, roleIds }, { kind, amount: estimate?.amount });
      await ledger.reserve(task, roleIds);
      await tasks.put(task);
    },
    writes: () => writes,
    close: async () => store.close(),
  };
}

/** Limits for each server, for roles and for many members. */
async function fillBudgets(budgets: Budgets): Promise<void> {
  const author = { by: 'admin', at: systemClock.now() };
  for (let guild = 0; guild < GUILD_COUNT; guild++) {
    const guildId = guildOf(guild);
    await budgets.change(guildId, (current) => {
      let budget = withLimits(current, { type: 'server' }, allLimits, author);
      for (const roleId of ['role-1', 'role-2'])
        budget = withLimits(budget, { type: 'role', roleId }, allLimits, author);
      for (let index = 0; index < MEMBERS_WITH_LIMITS; index++) {
        const memberId = `member-${index}`;
        budget = withLimits(
          budget,
          { type: 'member', hash: budgets.memberHash(guildId, memberId), memberId },
          allLimits,
          author,
        );
      }
      return budget;
    });
  }
}
