import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { recentNotes } from '../../../src/services/cluster/open-cluster.ts';
import { createEntry, extendReservation, type LedgerEntry } from '../../../src/services/money/entry.ts';
import type { Limits } from '../../../src/services/money/limits.ts';
import { WholeBot } from '../../../src/services/money/whole-bot.ts';
import { openSharedFacts } from '../../../src/services/store/partitions.ts';
import type { SharedFacts } from '../../../src/services/store/shared-facts.ts';
import { bucketWithin } from '../../../src/services/tasks/homes.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';
import { onServers, type TestStore } from '../store/sites.ts';
import { makeTask } from '../store/store-fixture.ts';
import { createSpending } from './spending/fixture.ts';

const PARTITION_COUNT = 4;

async function openFacts({ scheme, url, log }: TestStore): Promise<SharedFacts> {
  const facts = await openSharedFacts({ url, scheme }, { log, clock: systemClock, limitMs: 10_000 });
  onTestFinished(() => facts.close());
  return facts;
}

/** The limits of the whole bot as one partition checks them. */
async function createPartition(
  testStore: TestStore,
  number: number,
  { total, isPausedHere }: { total: Limits; isPausedHere?: () => boolean },
) {
  const { clock, log } = testStore;
  const notes = recentNotes(await openFacts(testStore), clock);
  let waitingCount = 0;
  const wholeBot = new WholeBot({ clock, log }, notes, number);
  const spending = createSpending({
    settings: { total, server: {}, member: {}, direct: {} },
    clock,
    wholeBot,
  });
  await wholeBot.open({ used: () => spending.totalUsage(waitingCount), isPausedHere: () => isPausedHere?.() });
  const entry = (amount: string): LedgerEntry => {
    const id = createTaskId(clock.now(), bucketWithin('server', { number, count: PARTITION_COUNT }));
    const times = { created: clock.now() };
    return createEntry(makeTask({ id, times, estimate: { amount, source: 'operator', at: 0 } }));
  };
  return {
    spending,
    wholeBot,
    entry,
    /** Returns whether a task may join the queue. */
    async queue(): Promise<boolean> {
      waitingCount += 1;
      const counts = { all: () => waitingCount, server: () => 1, member: () => 1 };
      try {
        await spending.checkWaiting({ memberId: 'member', guildId: 'server' }, counts);
        return true;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        waitingCount -= 1;
        return false;
      }
    },
    /** The turn of a waiting task has come. */
    leaveQueue(): void {
      waitingCount -= 1;
    },
    /** Returns whether the order was admitted. */
    async order(amount: string): Promise<boolean> {
      try {
        await spending.admit(entry(amount), []);
        return true;
      } catch (error) {
        if (error instanceof Refusal) return false;
        throw error;
      }
    },
  };
}

describe('The limits of the whole bot', () =>
  onServers((createTestStore) => {
    it('Partitions that reserve at the same time use all of the limits of the whole bot, and never exceed them', async () => {
      const testStore = await createTestStore();
      const total = { day: { amount: '30', tasks: 40 }, kinds: { imagine: { month: { amount: '25.5' } } } };
      const partitions = await Promise.all(
        Array.from({ length: PARTITION_COUNT }, (_, index) => createPartition(testStore, index, { total })),
      );
      const admitted = await Promise.all(partitions.flatMap((one) => Array.from({ length: 10 }, () => one.order('1'))));
      expect(admitted.filter(Boolean)).toHaveLength(25);
      expect(await partitions[0]?.order('0.5')).toBe(true);
      expect(await partitions[1]?.order('0.1')).toBe(false);
      const left = partitions[1]?.spending.allowances({}).map((one) => `${one.unit} ${one.period} ${one.left}`);
      expect(left).toEqual(['amount day 4.5', 'tasks day 14', 'amount month 0']);
    });

    it.each<[string, Limits]>([
      ['a day', { day: { amount: '5' } }],
      ['a kind', { kinds: { imagine: { day: { amount: '5' } } } }],
      ['tasks at once', { atOnce: 2 }],
      ['tasks in the queue', { waiting: 2 }],
    ])(
      'A partition with a new limit of %s accepts nothing until all others publish what it limits',
      async (_, limit) => {
        const testStore = await createTestStore();
        const before: Limits = { month: { amount: '100' } };
        await createPartition(testStore, 0, { total: before });
        const earlier = await createPartition(testStore, 1, { total: before });
        expect(await earlier.order('4')).toBe(true);
        const updated = await createPartition(testStore, 2, { total: { ...before, ...limit } });
        const accepts = (): Promise<boolean> => (limit.waiting === undefined ? updated.order('2') : updated.queue());
        expect(await accepts()).toBe(false);
        for (const number of [0, 1]) await createPartition(testStore, number, { total: { ...before, ...limit } });
        expect(await accepts()).toBe(true);
      },
    );

    it('What is added to a reservation counts in all partitions, as an amount and not as a task', async () => {
      const testStore = await createTestStore();
      const total = { day: { amount: '1', tasks: 2 }, atOnce: 2 };
      const [one, other] = [
        await createPartition(testStore, 0, { total }),
        await createPartition(testStore, 1, { total }),
      ];
      const entry = one.entry('0.3');
      await one.spending.admit(entry, []);
      const grown = extendReservation(entry, '0.6', testStore.clock.now());
      await one.spending.admit(grown, [], entry);
      expect(await other.order('0.5')).toBe(false);
      expect(await other.order('0.3')).toBe(true);
      const tooLarge = extendReservation(grown, '0.8', testStore.clock.now());
      await expect(one.spending.admit(tooLarge, [], grown)).rejects.toMatchObject({ key: 'refusals.overBudget.total' });
      expect(one.spending.allowances({}).map(({ unit, left }) => `${unit} ${left}`)).toEqual([
        'amount 0.1',
        'tasks 0',
        'tasks 0',
      ]);
    });

    it('An amount that is refunded in one partition can be used in another', async () => {
      const testStore = await createTestStore();
      const total = { day: { amount: '1' } };
      const [one, other] = [
        await createPartition(testStore, 0, { total }),
        await createPartition(testStore, 1, { total }),
      ];
      const entry = one.entry('1');
      await one.spending.admit(entry, []);
      expect(await other.order('1')).toBe(false);
      one.spending.replace(entry, undefined);
      one.wholeBot.start();
      onTestFinished(() => one.wholeBot.stop());
      const orderLater = () => {
        testStore.clock.advance(2_000);
        return other.order('1');
      };
      await expect.poll(orderLater).toBe(true);
    });

    it('Tasks that join the queues of partitions at the same time never exceed the limit of the whole bot', async () => {
      const testStore = await createTestStore();
      const total = { waiting: 6 };
      const partitions = await Promise.all(
        Array.from({ length: PARTITION_COUNT }, (_, index) => createPartition(testStore, index, { total })),
      );
      const joined = await Promise.all(
        partitions.map(async (one) => {
          const results = [];
          for (let index = 0; index < 3; index += 1) results.push(await one.queue());
          return results.filter(Boolean).length;
        }),
      );
      expect(joined.reduce((sum, count) => sum + count, 0)).toBe(6);
      const one = partitions[joined.findIndex((count) => count > 0)];
      one?.leaveQueue();
      one?.wholeBot.start();
      onTestFinished(() => one?.wholeBot.stop());
      const queueLater = () => {
        testStore.clock.advance(2_000);
        return partitions.find((other) => other !== one)?.queue();
      };
      await expect.poll(queueLater).toBe(true);
    });

    it('A suspended process that has lost its partition reserves nothing more', async () => {
      const testStore = await createTestStore();
      const total = { day: { tasks: 5 } };
      const suspendedPartition = await createPartition(testStore, 2, { total });
      expect(await suspendedPartition.order('1')).toBe(true);
      const owner = await createPartition(testStore, 2, { total });
      await expect(suspendedPartition.order('1')).rejects.toThrow('Another process owns partition 2.');
      expect(await owner.order('1')).toBe(true);
    });

    it('A pause of the whole bot reaches the other partitions, and so does its end', async () => {
      const testStore = await createTestStore();
      let isPaused = false;
      const home = await createPartition(testStore, 0, { total: {}, isPausedHere: () => isPaused });
      const other = await createPartition(testStore, 3, { total: {} });
      for (const { wholeBot } of [home, other]) {
        wholeBot.start();
        onTestFinished(() => wholeBot.stop());
      }
      for (const expected of [true, false]) {
        isPaused = expected;
        const isPausedLater = () => {
          testStore.clock.advance(2_000);
          return other.wholeBot.isPausedElsewhere;
        };
        await expect.poll(isPausedLater).toBe(expected);
      }
    });
  }));
