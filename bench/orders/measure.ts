import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kindSpecs } from '../../src/commands/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openLog } from '../../src/lib/log.ts';
import type { EntryStore } from '../../src/services/ledger/entry.ts';
import { Ledger } from '../../src/services/ledger/ledger.ts';
import { withLimits } from '../../src/services/spending/budget-changes.ts';
import { Budgets } from '../../src/services/spending/budgets.ts';
import type { Limits } from '../../src/services/spending/limits.ts';
import { Calendar } from '../../src/services/spending/periods.ts';
import { Spending } from '../../src/services/spending/spending.ts';
import { openStore } from '../../src/services/store/index.ts';
import type { StoredTasks } from '../../src/services/store/stored-tasks.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { median, table } from '../table.ts';
import { runningTask } from '../tasks/filled-store.ts';
import { percentile } from '../tasks/percentile.ts';
import { measureRules } from './rules.ts';

const ORDERS = 4_000;
/** So many orders at a time on each side, in turns, so a busy moment of the machine hits both. */
const TURN = 100;
const GUILDS = 20;
const MEMBERS = 1_000;
const MEMBERS_WITH_LIMITS = 200;

/** Limits in every period, in all and for a kind. They are so high that every order is admitted. */
const caps = { amount: '1000000', tasks: 1_000_000 };
const inEveryPeriod = { day: caps, week: caps, month: caps };
const everything: Limits = { ...inEveryPeriod, atOnce: 1_000_000, kinds: { imagine: inEveryPeriod } };

/** As by default: an amount and a number of tasks a day. */
const byDay: Limits = { day: caps };

interface Side {
  name: string;
  order(task: Task): Promise<void>;
  writes(): number;
  close(): Promise<void>;
}

/** Measures the time that limits add to an order, from the check to the stored task. */
export async function measureOrders(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  const sides = [
    await sideOf('without limits', join(folder, 'none.sqlite'), {}),
    await sideOf('limits by day, as by default', join(folder, 'day.sqlite'), { limits: byDay }),
    await sideOf('limits by day, week, month, kind', join(folder, 'operator.sqlite'), { limits: everything }),
    await sideOf('the same, and 20 servers’ budgets', join(folder, 'budgets.sqlite'), {
      limits: everything,
      withBudgets: true,
    }),
  ];
  const times = new Map(sides.map((side) => [side, [] as number[]]));
  for (let from = 0; from < ORDERS; from += TURN) {
    for (const side of from % (2 * TURN) === 0 ? sides : sides.toReversed()) {
      for (let at = from; at < from + TURN; at++) {
        const task = orderOf(at);
        const start = performance.now();
        await side.order(task);
        times.get(side)?.push(performance.now() - start);
      }
    }
  }
  const base = median(times.get(sides[0] as Side) ?? []);
  const rows = sides.map((side) => {
    const taken = times.get(side) ?? [];
    const middle = median(taken);
    const writes = (side.writes() / ORDERS).toFixed(2);
    return [side.name, ...[middle, percentile(taken, 0.95), middle - base].map((ms) => ms.toFixed(3)), writes];
  });
  console.log(`${ORDERS} orders of ${MEMBERS} members in ${GUILDS} servers on SQLite, in turns of ${TURN}\n`);
  console.log(table(['', 'median ms', 'p95 ms', 'added ms', 'writes each'], rows));
  measureRules();
  for (const side of sides) await side.close();
  await rm(folder, { recursive: true, force: true });
}

function orderOf(at: number): Task {
  const now = systemClock.now();
  return {
    ...runningTask(at, { ageMs: 0 }),
    state: 'submitting',
    requesterId: `member-${(at * 7) % MEMBERS}`,
    guildId: guildOf(at),
    estimate: { amount: '0.0312', source: 'operator', at: now },
  } as Task;
}

const guildOf = (at: number): string => `guild-${at % GUILDS}`;

interface SideOptions {
  limits?: Limits;
  withBudgets?: boolean;
}

async function sideOf(name: string, file: string, { limits, withBudgets = false }: SideOptions): Promise<Side> {
  const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
  const clock = systemClock;
  const store = (await openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock },
  )) as StoredTasks;
  let writes = 0;
  const counted = <Store extends object>(of: Store, names: readonly string[]): Store =>
    new Proxy(of, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (names.includes(String(property))) writes += 1;
          return (value as (...all: unknown[]) => unknown).apply(target, given);
        };
      },
    });
  const entries: EntryStore = counted(store.entries, ['change', 'rename', 'keepScopes', 'setOpenSince']);
  const hashOf = (text: string): string => createHmac('sha256', 'secret').update(text).digest('hex').slice(0, 24);
  const budgets = new Budgets({ store: counted(store.budgets, ['put']), hashOf });
  const all = limits ?? {};
  const spending = new Spending({
    ...{ budgets, hashOf, clock },
    settings: { total: all, server: all, member: all, direct: all, trustedGuildIds: [] },
    calendar: new Calendar('UTC'),
  });
  if (withBudgets) await fill(budgets);
  const ledger = new Ledger({ entries, ...(limits && { spending }), clock, log });
  await ledger.open([]);
  const tasks = counted(store, ['put']);
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

/** Limits of each server, of roles and of many members. */
async function fill(budgets: Budgets): Promise<void> {
  const author = { by: 'admin', at: systemClock.now() };
  for (let guild = 0; guild < GUILDS; guild++) {
    const guildId = guildOf(guild);
    await budgets.change(guildId, (before) => {
      let budget = withLimits(before, { of: 'server' }, everything, author);
      for (const roleId of ['role-1', 'role-2'])
        budget = withLimits(budget, { of: 'role', roleId }, everything, author);
      for (let at = 0; at < MEMBERS_WITH_LIMITS; at++) {
        const memberId = `member-${at}`;
        budget = withLimits(
          budget,
          { of: 'member', hash: budgets.memberHash(guildId, memberId), memberId },
          everything,
          author,
        );
      }
      return budget;
    });
  }
}
