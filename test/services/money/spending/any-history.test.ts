import Big from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { Budgets } from '../../../../src/services/money/budgets.ts';
import { standingOf } from '../../../../src/services/money/entry.ts';
import { Ledger } from '../../../../src/services/money/ledger.ts';
import type { Spending } from '../../../../src/services/money/spending.ts';
import type { StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import type { Task, TaskState } from '../../../../src/services/tasks/task.ts';
import { runs } from '../../../support/runs.ts';
import { createStoreFixture, makeTask, START, type StoreFixture } from '../../store/store-fixture.ts';
import { createSpending } from './fixture.ts';

const settings = {
  total: { day: { amount: '2.00', tasks: 9 } },
  server: { day: { amount: '1.5' }, atOnce: 4, kinds: { video: { day: { tasks: 2 } } } },
  member: { day: { amount: '0.70', tasks: 4 } },
  direct: { day: { tasks: 2 }, atOnce: 1 },
};

interface ModelOrder {
  task: Task;
  price: string | undefined;
  cost?: string;
  standing: 'reserved' | 'unconfirmed' | 'settled' | 'refunded';
}

interface Requester {
  memberId: string;
  guildId: string | undefined;
}

/** What should be left of each limit, computed from scratch. */
function expectedAllowances(orders: readonly ModelOrder[], { memberId, guildId }: Requester) {
  const counted = orders.filter(({ standing }) => standing !== 'refunded');
  const serverOrders = counted.filter(({ task }) => task.guildId === guildId);
  const memberOrders = serverOrders.filter(({ task }) => task.requesterId === memberId);
  const amountLeft = (limit: string, included: readonly ModelOrder[]): string => {
    const used = included.reduce((sum, { price = '0', cost = price }) => sum.plus(cost), Big(0));
    const rest = Big(limit).minus(used);
    return rest.gt(0) ? rest.toString() : '0';
  };
  const tasksLeft = (limit: number, included: readonly ModelOrder[]): string =>
    String(Math.max(0, limit - included.length));
  const openOrders = (included: readonly ModelOrder[]): ModelOrder[] =>
    included.filter(({ standing }) => standing === 'reserved');
  const total = [amountLeft('2.00', counted), tasksLeft(9, counted)];
  if (guildId === undefined) return [...total, tasksLeft(2, memberOrders), tasksLeft(1, openOrders(memberOrders))];
  const videos = serverOrders.filter(({ task }) => task.kind === 'video');
  return [
    ...total,
    amountLeft('1.5', serverOrders),
    tasksLeft(2, videos),
    tasksLeft(4, openOrders(serverOrders)),
    amountLeft('0.70', memberOrders),
    tasksLeft(4, memberOrders),
  ];
}

class Bot {
  readonly setup: StoreFixture;
  readonly orders: ModelOrder[] = [];
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
    const secret = await this.store.hashSecret();
    const hashOf = (memberId: string): string => `${secret.slice(0, 4)}${memberId}`;
    this.budgets = new Budgets(this.store.budgets, hashOf);
    await this.budgets.open();
    this.spending = createSpending({ settings, clock, hashOf, budgets: this.budgets });
    this.ledger = new Ledger({ clock, log }, this.store.entries, this.spending);
    await this.ledger.open(await this.store.live());
  }

  async restart(): Promise<void> {
    await this.store.close();
    await this.start();
  }

  async order({ memberId, guildId }: Requester, kind: 'imagine' | 'video', price: string | undefined): Promise<void> {
    const estimate = price === undefined ? undefined : { amount: price, source: 'operator' as const, at: 0 };
    const task = makeTask({
      kind,
      state: 'submitting',
      requesterId: memberId,
      guildId,
      estimate,
      request: { prompt: 'a fox', ...(kind === 'video' && { model: 'm' }) },
      times: { created: START + this.orders.length },
    });
    const allowances = expectedAllowances(this.orders, { memberId, guildId });
    const shouldAdmit = allowances.every((left, index) =>
      isAmount(index, guildId)
        ? Big(left).gte(price ?? 0) && left !== '0'
        : left !== '0' || isLimitOfOtherKind(index, guildId, kind),
    );
    try {
      await this.ledger.reserve(task);
      expect(shouldAdmit).toBe(true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      expect(shouldAdmit).toBe(false);
      return;
    }
    await this.store.put(task);
    this.orders.push({ task, price, standing: 'reserved' });
  }

  async end(index: number, state: TaskState, standing: ModelOrder['standing'], cost?: string): Promise<void> {
    const order = this.orders.filter((one) => one.standing === 'reserved')[index];
    if (!order) return;
    const failure = state === 'unconfirmed' ? { cause: 'unconfirmed' as const } : undefined;
    order.task = { ...order.task, state, failure, cost, times: { ...order.task.times, ended: START + 500 } } as Task;
    order.standing = standing;
    if (cost !== undefined) order.cost = cost;
    await this.store.put(order.task);
    this.ledger.onTaskChange(order.task);
    // A listener may be called again for the same change.
    this.ledger.onTaskChange(order.task);
    await this.ledger.flush();
  }

  async erase(memberId: string): Promise<void> {
    for (const order of this.orders) {
      if (order.task.requesterId !== memberId || order.standing === 'reserved') continue;
      await this.store.remove(order.task);
    }
    await this.ledger.anonymise({ memberId, until: START + 1_000, secret: 'x' }, async () => false);
  }

  async check(): Promise<void> {
    for (const requester of requesters) {
      const left = this.spending.allowances(requester).map((one) => Big(one.left).toString());
      expect(left).toEqual(expectedAllowances(this.orders, requester).map((one) => Big(one).toString()));
    }
    for await (const entry of this.store.entries.readRange('', '9999')) {
      expect(entry.facts.filter(({ standing }) => standing === 'refunded').length).toBeLessThanOrEqual(1);
      expect(standingOf(entry)).not.toBe('');
    }
  }
}

const isAmount = (index: number, guildId: string | undefined): boolean =>
  index === 0 || (guildId !== undefined && (index === 2 || index === 5));
const isLimitOfOtherKind = (index: number, guildId: string | undefined, kind: string): boolean =>
  guildId !== undefined && index === 3 && kind !== 'video';

const requesters: readonly Requester[] = [
  { memberId: 'ann', guildId: 'den' },
  { memberId: 'bob', guildId: 'den' },
  { memberId: 'ann', guildId: 'lair' },
  { memberId: 'ann', guildId: undefined },
];

class Step implements fc.AsyncCommand<object, Bot> {
  readonly name: string;
  readonly act: (bot: Bot) => Promise<void>;

  constructor(name: string, act: (bot: Bot) => Promise<void>) {
    this.name = name;
    this.act = act;
  }

  check = (): boolean => true;

  async run(_model: object, bot: Bot): Promise<void> {
    await this.act(bot);
    await bot.check();
  }

  toString = (): string => this.name;
}

const price = fc.constantFrom(undefined, '0', '0.05', '0.333', '0.70', '0.1234567890123456789');
const steps = [
  fc
    .tuple(fc.constantFrom(...requesters), fc.constantFrom('imagine' as const, 'video' as const), price)
    .map(
      ([requester, kind, estimate]) =>
        new Step(`order ${JSON.stringify([requester, kind, estimate])}`, (bot) => bot.order(requester, kind, estimate)),
    ),
  fc.nat(3).map((index) => new Step(`succeed ${index}`, (bot) => bot.end(index, 'ready', 'settled'))),
  fc
    .tuple(fc.nat(3), price)
    .map(([index, cost]) => new Step(`cost ${index} ${cost}`, (bot) => bot.end(index, 'ready', 'settled', cost))),
  fc.nat(3).map((index) => new Step(`fail ${index}`, (bot) => bot.end(index, 'failed', 'refunded'))),
  fc.nat(3).map((index) => new Step(`lose ${index}`, (bot) => bot.end(index, 'unconfirmed', 'unconfirmed'))),
  fc.constant(new Step('restart', (bot) => bot.restart())),
  fc.constantFrom('ann', 'bob').map((memberId) => new Step(`erase ${memberId}`, (bot) => bot.erase(memberId))),
];

describe('Limits under any history', () => {
  it('Under any history of orders, ends, erasures and restarts, the remaining limits match the entries, and nothing above them is admitted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 40, size: 'max' }), async (commands) => {
        const bot = new Bot(createStoreFixture());
        await bot.start();
        try {
          await fc.asyncModelRun(() => ({ model: {}, real: bot }), commands);
        } finally {
          await bot.store.close();
        }
      }),
      { numRuns: runs(60, 10) },
    );
  });

  it('An erasure restores no allowance, not even after a restart', async () => {
    const bot = new Bot(createStoreFixture());
    await bot.start();
    for (let count = 0; count < 2; count++) {
      await bot.order({ memberId: 'ann', guildId: 'den' }, 'imagine', '0.333');
      await bot.end(0, 'ready', 'settled');
    }
    await bot.erase('ann');
    await bot.check();
    await bot.restart();
    const entries = await Array.fromAsync(bot.store.entries.readRange('', '9999'));
    expect(entries.map(({ memberId, guildId }) => [memberId, guildId])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    await bot.check();
    await bot.store.close();
  });

  it('An order that is repeated under the same key needs room of its own, because a gateway may ignore the key', async () => {
    const bot = new Bot(createStoreFixture());
    await bot.start();
    const reserve = (amount: string, predecessorId?: string) =>
      bot.ledger.reserve(
        makeTask({
          state: 'submitting',
          requesterId: 'ann',
          guildId: 'den',
          predecessorId,
          estimate: { amount, source: 'operator', at: 0 },
        }),
      );
    await reserve('0.40');
    await expect(reserve('0.40', 'the-first')).rejects.toBeInstanceOf(Refusal);
    await bot.store.close();
  });

  it('Simultaneous orders cannot exceed a limit in total', async () => {
    const bot = new Bot(createStoreFixture());
    await bot.start();
    const requester = { memberId: 'ann', guildId: 'den' };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        bot.ledger.reserve(
          makeTask({
            state: 'submitting',
            requesterId: 'ann',
            guildId: 'den',
            estimate: { amount: '0.20', source: 'operator', at: 0 },
            times: { created: START + index },
          }),
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(
      bot.spending.allowances(requester).find(({ holder, unit }) => holder === 'member' && unit === 'amount')?.left,
    ).toBe('0.10');
    await bot.store.close();
  });
});
