import Big from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../src/lib/refusal.ts';
import {
  withBlock,
  withGrant,
  withLimits,
  withPause,
  withResets,
} from '../../../../src/services/money/budget-changes.ts';
import { Budgets, limitsIn } from '../../../../src/services/money/budgets.ts';
import { Ledger } from '../../../../src/services/money/ledger.ts';
import {
  type CapsByPeriod,
  EVERY_PERIOD,
  type Limits,
  mostGenerousLimits,
} from '../../../../src/services/money/limits.ts';
import { type Period, periods } from '../../../../src/services/money/periods.ts';
import type { Spending } from '../../../../src/services/money/spending.ts';
import type { StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { runs } from '../../../support/runs.ts';
import { createStoreFixture, DAY_MS, makeTask, type StoreFixture } from '../../store/store-fixture.ts';
import { createSpending } from './fixture.ts';

const HOUR_MS = 3_600_000;
const GUILD = 'den';
const settings = { total: {}, server: { day: { tasks: 12 } }, member: { day: { tasks: 5 } }, direct: {} };

interface ModelOrder {
  task: Task;
  memberId: string;
  at: number;
  price: string;
}

/** The start of the period to which a time belongs, in UTC. Weeks begin on Monday. */
function startOf(period: Period, at: number): number {
  const date = new Date(at);
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  if (period === 'day') return day;
  if (period === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
}

type Sums = Record<'amount' | 'tasks', Big>;

/** The budget as a list of facts, all of which are searched for every query. */
class Model {
  readonly orders: ModelOrder[] = [];
  readonly grants: { holder: string | undefined; at: number; amount: string; tasks: number }[] = [];
  /** How many orders a holder had made when its usage was reset. */
  readonly resets = new Map<string, number>();
  server: Limits | undefined;
  members: Limits | undefined;
  readonly memberLimits = new Map<string, Limits>();
  readonly roles = new Map<string, Limits>();
  /** When the limits of the server, its members, a role or a member were last changed. */
  readonly changedAt = new Map<string, number>();
  readonly blocked = new Map<string, number>();
  isPaused = false;

  mayOrder(memberId: string, roleIds: readonly string[], price: string, now: number): boolean {
    if (this.isPaused || (this.blocked.get(memberId) ?? 0) > now) return false;
    const byRole = mostGenerousLimits(roleIds.flatMap((id) => this.roles.get(id) ?? []));
    const ownLimits = this.memberLimits.get(memberId);
    const limits = ownLimits ?? byRole ?? this.members ?? settings.member;
    const deciding = [memberId, ...(ownLimits ? [] : roleIds), ...((ownLimits ?? byRole) ? [] : ['members'])];
    // The server's admins are trusted, so its own limits replace the default.
    return (
      this.#fits({ limits: this.server ?? settings.server, deciding: ['server'] }, undefined, price, now) &&
      this.#fits({ limits, deciding }, memberId, price, now)
    );
  }

  /** `deciding`: whose changes decide since when the limits apply. */
  #fits(
    { limits, deciding }: { limits: CapsByPeriod; deciding: readonly string[] },
    holder: string | undefined,
    price: string,
    now: number,
  ): boolean {
    const since = Math.max(0, ...deciding.map((name) => this.changedAt.get(name) ?? 0));
    return periods.every((period) => {
      const { amount, tasks } = limits[period] ?? {};
      const start = startOf(period, now);
      const [used, usedBefore] = [
        this.#used(holder, period, start),
        this.#used(holder, period, startOf(period, start - 1)),
      ];
      const [granted, grantedBefore] = [
        this.#granted(holder, period, start),
        this.#granted(holder, period, startOf(period, start - 1)),
      ];
      if (tasks !== undefined && used.tasks.gte(granted.tasks.plus(tasks))) return false;
      if (amount === undefined) return true;
      const isCovered = since <= startOf(period, start - 1);
      const excess = isCovered ? usedBefore.amount.minus(grantedBefore.amount.plus(amount)) : Big(0);
      const effectiveUse = used.amount.plus(excess.gt(0) ? excess : 0);
      const left = granted.amount.plus(amount).minus(effectiveUse);
      return left.gt(0) && left.gte(price);
    });
  }

  #used(holder: string | undefined, period: Period, start: number): Sums {
    const since = this.resets.get(holder ?? '') ?? 0;
    const countedOrders = this.orders.filter(
      ({ memberId, at }, index) => index >= since && (holder ?? memberId) === memberId && startOf(period, at) === start,
    );
    return {
      tasks: Big(countedOrders.length),
      amount: countedOrders.reduce((sum, { price }) => sum.plus(price), Big(0)),
    };
  }

  #granted(holder: string | undefined, period: Period, start: number): Sums {
    const matching = this.grants.filter(
      ({ holder: grantee, at }) => grantee === holder && startOf(period, at) === start,
    );
    return {
      tasks: matching.reduce((sum, { tasks }) => sum.plus(tasks), Big(0)),
      amount: matching.reduce((sum, { amount }) => sum.plus(amount), Big(0)),
    };
  }
}

class Bot {
  readonly setup: StoreFixture;
  store!: StoredTasks;
  ledger!: Ledger;
  budgets!: Budgets;
  spending!: Spending;

  constructor(setup: StoreFixture) {
    this.setup = setup;
  }

  /** Starts as after a crash, with nothing but the content of the store. */
  async start(): Promise<void> {
    this.store = (await this.setup.open()) as StoredTasks;
    const { clock, log } = this.setup;
    const hashOf = (name: string): string => `#${name}`;
    this.budgets = new Budgets(this.store.budgets, hashOf);
    await this.budgets.open();
    this.spending = createSpending({ settings, clock, hashOf, budgets: this.budgets, trustedGuildIds: [GUILD] });
    this.ledger = new Ledger({ clock, log }, this.store.entries, this.spending);
    this.budgets.beforeChange((_, budget) => this.ledger.countFor(limitsIn(budget)));
    await this.ledger.open(await this.store.live());
  }

  async restart(): Promise<void> {
    await this.store.close();
    await this.start();
  }

  memberReference(memberId: string) {
    return { hash: this.budgets.memberHash(GUILD, memberId), memberId };
  }

  get author() {
    return { by: 'admin', at: this.setup.clock.now() };
  }
}

type Action = (bot: Bot, model: Model) => Promise<void>;

class Step implements fc.AsyncCommand<Model, Bot> {
  readonly name: string;
  readonly act: Action;

  constructor(name: string, act: Action) {
    this.name = name;
    this.act = act;
  }

  check = (): boolean => true;
  run = (model: Model, bot: Bot): Promise<void> => this.act(bot, model);
  toString = (): string => this.name;
}

const members = fc.constantFrom('ann', 'bob');
const roleLists = fc.subarray(['red', 'blue']);
const prices = fc.constantFrom('0', '0.1', '0.35', '0.123456789');

const caps = fc
  .record(
    { amount: fc.constantFrom('0', '0.4', '1', '2'), tasks: fc.constantFrom(0, 1, 2, 3, 4, 6) },
    { requiredKeys: [] },
  )
  .filter(({ amount, tasks }) => amount !== undefined || tasks !== undefined);
const limits: fc.Arbitrary<Limits | undefined> = fc.option(
  fc.record({ day: caps, week: caps, month: caps }, { requiredKeys: [] }) as fc.Arbitrary<Limits>,
  { nil: undefined },
);

function setOrRemove<Key>(map: Map<Key, Limits>, key: Key, value: Limits | undefined): void {
  if (value) map.set(key, value);
  else map.delete(key);
}

const order = fc.tuple(members, roleLists, prices).map(
  ([memberId, roleIds, price]) =>
    new Step(`order ${memberId} ${roleIds} ${price}`, async (bot, model) => {
      const at = bot.setup.clock.now();
      const task = makeTask({
        state: 'submitting',
        requesterId: memberId,
        guildId: GUILD,
        estimate: { amount: price, source: 'operator', at: 0 },
        times: { created: at },
      });
      const isExpected = model.mayOrder(memberId, roleIds, price, at);
      const isAdmitted = await bot.ledger.reserve(task, roleIds).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Refusal) return false;
          throw error;
        },
      );
      expect(isAdmitted).toBe(isExpected);
      if (!isAdmitted) return;
      await bot.store.put(task);
      model.orders.push({ task, memberId, at, price });
    }),
);

/** The newest order ends, and turns out to have cost more than estimated. */
const settle = fc.constant(
  new Step('settle above the estimate', async (bot, model) => {
    const newest = model.orders.at(-1);
    const isReset = Math.max(0, ...model.resets.values()) === model.orders.length;
    if (!newest || isReset || newest.task.state === 'ready') return;
    newest.price = Big(newest.price).plus('0.7').toString();
    newest.task = { ...newest.task, state: 'ready', cost: newest.price };
    await bot.store.put(newest.task);
    bot.ledger.onTaskChange(newest.task);
    await bot.ledger.flush();
  }),
);

const limitSteps = (name: string, apply: (bot: Bot, model: Model, value: Limits | undefined) => Promise<unknown>) =>
  limits.map(
    (value) =>
      new Step(`limits of ${name} ${JSON.stringify(value)}`, async (bot, model) => {
        const before = bot.budgets.get(GUILD);
        await apply(bot, model, value);
        if (bot.budgets.get(GUILD) !== before) model.changedAt.set(name, bot.author.at);
      }),
  );

const changeLimits = (bot: Bot, target: Parameters<typeof withLimits>[1], value: Limits | undefined) =>
  bot.budgets.change(GUILD, (budget) => withLimits(budget, target, value, bot.author));

const steps = [
  ...Array.from({ length: 10 }, () => order),
  settle,
  limitSteps('server', (bot, model, value) => {
    model.server = value;
    return changeLimits(bot, { type: 'server' }, value);
  }),
  limitSteps('members', (bot, model, value) => {
    model.members = value;
    return changeLimits(bot, { type: 'members' }, value);
  }),
  limitSteps('ann', (bot, model, value) => {
    setOrRemove(model.memberLimits, 'ann', value);
    return changeLimits(bot, { type: 'member', ...bot.memberReference('ann') }, value);
  }),
  limitSteps('red', (bot, model, value) => {
    setOrRemove(model.roles, 'red', value);
    return changeLimits(bot, { type: 'role', roleId: 'red' }, value);
  }),
  limitSteps('blue', (bot, model, value) => {
    setOrRemove(model.roles, 'blue', value);
    return changeLimits(bot, { type: 'role', roleId: 'blue' }, value);
  }),
  fc.option(members, { nil: undefined }).map(
    (holder) =>
      new Step(`grant ${holder}`, async (bot, model) => {
        const grant = { amount: '0.5', tasks: 2 };
        const { author } = bot;
        model.grants.push({ holder, at: author.at, ...grant });
        const name = holder === undefined ? undefined : bot.memberReference(holder);
        await bot.budgets.change(GUILD, (budget) => withGrant(budget, name, grant, { ...author, isOperator: false }));
      }),
  ),
  fc.option(members, { nil: undefined }).map(
    (holder) =>
      new Step(`reset ${holder}`, async (bot, model) => {
        model.resets.set(holder ?? '', model.orders.length);
        const name = holder === undefined ? undefined : bot.memberReference(holder);
        const scope = name?.hash ?? bot.spending.limits.serverScope(GUILD);
        await bot.ledger.countFor(EVERY_PERIOD);
        await bot.budgets.change(GUILD, (budget) =>
          withResets(budget, name, { [scope]: bot.spending.createReset(scope) }, bot.author),
        );
      }),
  ),
  members.map(
    (memberId) =>
      new Step(`block ${memberId}`, async (bot, model) => {
        const until = bot.setup.clock.now() + 5 * HOUR_MS;
        model.blocked.set(memberId, until);
        await bot.budgets.change(GUILD, (budget) =>
          withBlock(budget, bot.memberReference(memberId), until, bot.author),
        );
      }),
  ),
  fc.boolean().map(
    (isPaused) =>
      new Step(`pause ${isPaused}`, async (bot, model) => {
        model.isPaused = isPaused;
        await bot.budgets.change(GUILD, (budget) => withPause(budget, isPaused, bot.author));
      }),
  ),
  fc
    .constantFrom(7 * HOUR_MS, DAY_MS, 5 * DAY_MS)
    .map((ms) => new Step(`wait ${ms / HOUR_MS} h`, async (bot) => bot.setup.clock.advance(ms))),
  fc.constant(new Step('restart', (bot) => bot.restart())),
];

describe('Budgets under any history', () => {
  it('Budgets under any history of limits, grants, resets, blocks, orders and restarts admit exactly the orders that they should', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 80, size: 'max' }), async (commands) => {
        const bot = new Bot(createStoreFixture());
        await bot.start();
        try {
          await fc.asyncModelRun(() => ({ model: new Model(), real: bot }), commands);
        } finally {
          await bot.store.close();
        }
      }),
      { numRuns: runs(40, 15) },
    );
  });
});
