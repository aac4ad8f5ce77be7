import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LedgerEntry, reconcileEntry, type Standing, standingOf } from '../../../../src/services/money/entry.ts';
import { markDelivered } from '../../../../src/services/tasks/delivery-state.ts';
import { StoreError } from '../../../../src/services/tasks/store-error.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { order } from '../../orders/builders.ts';
import { createStoreFixture, type StoreFixture, sql } from '../../store/store-fixture.ts';
import { type BotRun, type End, type SubmitOutcome, startBot } from './bot-run.ts';
import { examineLedger } from './doctor.ts';

const stepArbitrary = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('order'), outcome: fc.constantFrom('accepted', 'refused', 'unknown') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end'),
      end: fc.constantFrom('succeeded', 'failed', 'cancelled', 'expired'),
      which: fc.nat(9),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('deliver', 'dismiss', 'try again', 'follow again', 'reserve again'),
      which: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: 1, max: 50 * 3_600_000 }) }) },
) as fc.Arbitrary<
  | { do: 'order'; outcome: SubmitOutcome }
  | { do: 'end'; end: End; which: number }
  | { do: 'deliver' | 'dismiss' | 'try again' | 'follow again' | 'reserve again'; which: number }
  | { do: 'wait'; ms: number }
>;
type Step = typeof stepArbitrary extends fc.Arbitrary<infer One> ? One : never;

/** Consecutive processes of the bot, some of which are killed in the middle of a write. */
const history = fc.array(
  fc.record({
    steps: fc.array(stepArbitrary, { maxLength: 12 }),
    crashesAfterWrites: fc.option(fc.integer({ min: 1, max: 25 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 5 },
);

const EXPECTED_ERRORS = ['no', 'refusals.notYours', 'refusals.alreadyDecided', 'refusals.alreadyResubmitted'];

async function performStep(bot: BotRun, setup: StoreFixture, taskIds: string[], one: Step): Promise<void> {
  if (one.do === 'wait') return setup.clock.advance(one.ms);
  if (one.do === 'order') {
    const { id } = await bot.order(one.outcome);
    taskIds.push(id);
    return;
  }
  const id = taskIds[one.which % Math.max(1, taskIds.length)];
  const task = id === undefined ? undefined : await bot.tasks.book.get(id);
  if (id === undefined || task === undefined) return;
  const { kind: _, request: __, ...origin } = order;
  const isOver = !['accepted', 'queued', 'running', 'submitting'].includes(task.state);
  if (one.do === 'end') await bot.end(id, one.end);
  else if (one.do === 'deliver' && isOver)
    await bot.tasks.book.change(id, (previous) => markDelivered(previous, undefined, setup.clock.now()));
  else if (one.do === 'dismiss') await bot.tasks.orders.dismiss(id, order.requesterId);
  else if (one.do === 'try again') taskIds.push((await bot.tasks.orders.tryAgain(id, origin)).id);
  else if (one.do === 'follow again') bot.ledger.onTaskChange(task);
  else if (one.do === 'reserve again') await bot.ledger.reserve(task);
}

async function runProcess(
  setup: StoreFixture,
  plan: { steps: Step[]; crashesAfterWrites?: number | undefined },
  taskIds: string[],
): Promise<void> {
  let bot: BotRun | undefined;
  try {
    bot = await startBot(setup, { crashesAfterWrites: plan.crashesAfterWrites });
    for (const one of plan.steps) {
      try {
        await performStep(bot, setup, taskIds, one);
      } catch (error) {
        if (!(error instanceof Error) || !EXPECTED_ERRORS.includes(error.message)) throw error;
      }
    }
    await bot.stop();
  } catch (error) {
    // Once the process has been killed, every further write throws.
    if (!(error instanceof StoreError) || plan.crashesAfterWrites === undefined) throw error;
    await bot?.die();
  }
}

/** Derives the standing of an entry from its task, without the ledger's own code. */
function expectedStanding({ state, failure, isRepeated }: Task): Standing {
  if (state === 'ready' || state === 'delivered' || failure?.cause === 'dismissed') return 'settled';
  if (state === 'unconfirmed') return isRepeated ? 'settled' : 'unconfirmed';
  return ['failed', 'cancelled', 'expired'].includes(state) ? 'refunded' : 'reserved';
}

const withoutFacts = ({ facts: _, ...identity }: LedgerEntry) => identity;

async function readEntriesAndTasks(
  setup: StoreFixture,
): Promise<{ entries: Map<string, LedgerEntry>; tasks: Map<string, Task> }> {
  const bot = await startBot(setup);
  await bot.ledger.flush();
  const entries = new Map((await bot.entries()).map((entry) => [entry.id, entry]));
  const tasks = new Map<string, Task>();
  for (const { key } of sql(setup.file, "SELECT key FROM atelier WHERE namespace IN ('live', 'finished')")) {
    const task = await bot.store.get(String(key));
    if (task) tasks.set(task.id, task);
  }
  await bot.stop();
  return { entries, tasks };
}

describe('The ledger after any history', () => {
  it('After any history the ledger equals one that is rebuilt from its tasks', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (plans) => {
        const setup = createStoreFixture();
        const taskIds: string[] = [];
        let previous = new Map<string, LedgerEntry>();
        for (const plan of plans) {
          await runProcess(setup, plan, taskIds);
          const { entries } = await readEntriesAndTasks(setup);
          // A fact that has been written is never changed or lost.
          for (const [id, entry] of previous)
            expect(entries.get(id)?.facts.slice(0, entry.facts.length)).toEqual(entry.facts);
          previous = entries;
        }
        expect(await examineLedger(setup)).toEqual({});
        const { entries, tasks } = await readEntriesAndTasks(setup);
        expect(entries).toEqual(previous);
        for (const [id, entry] of entries) {
          const task = tasks.get(id);
          expect(standingOf(entry)).toBe(task ? expectedStanding(task) : 'refunded');
          if (!task) continue;
          const rebuilt = reconcileEntry(undefined, task);
          expect(withoutFacts(entry)).toEqual(JSON.parse(JSON.stringify(withoutFacts(rebuilt))));
          expect(standingOf(rebuilt)).toBe(standingOf(entry));
        }
        expect([...tasks.keys()].filter((id) => !entries.has(id))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});
