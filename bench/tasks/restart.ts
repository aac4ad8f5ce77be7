import { median, table } from '../table.ts';
import { BotHarness, type BotStart } from './bot-harness.ts';
import type { StoreContent } from './filled-store.ts';

const ROUNDS = 3;
const TASKS = 10_000;
const TARGET_MS = 1_000;
const MINUTE_MS = 60_000;

const stores = {
  empty: { tasks: 0, ageMs: 0 },
  full: { tasks: TASKS, ageMs: MINUTE_MS },
  late: { tasks: TASKS, ageMs: 20 * MINUTE_MS, hasExpiredTokens: true },
} as const satisfies Record<string, StoreContent>;
type Store = keyof typeof stores;
const storeNames = Object.keys(stores) as Store[];

const names: Readonly<Record<Store, string>> = {
  empty: 'empty store',
  full: `${TASKS.toLocaleString('en')} live tasks`,
  late: 'as many, with expired tokens',
};

/** Measures the time from the start of the shipped bot's process to its first poll for a task that was running. */
export async function measureRestart(): Promise<void> {
  const results: Record<Store, BotStart[]> = { empty: [], full: [], late: [] };
  const harness = await BotHarness.open();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const store of storeNames) {
        const content = stores[store];
        const botStart = await harness.launchBot({
          storeContent: content,
          polls: content.tasks > 0 ? 1 : 0,
          hasProbe: false,
        });
        results[store].push(botStart);
        await harness.stopBot(botStart.bot);
      }
    }
  } finally {
    await harness.close();
  }
  report(results);
}

function report(results: Record<Store, BotStart[]>): void {
  const medianOf = (store: Store, pick: (botStart: BotStart) => number): number => median(results[store].map(pick));
  const ready = (store: Store): number => medianOf(store, ({ readyAfter }) => readyAfter);
  const firstPollOf = ({ firstPollAfter = Number.NaN }: BotStart): number => firstPollAfter;
  const rows = storeNames.map((store) => [
    names[store],
    ready(store).toFixed(0),
    (ready(store) / ready('empty')).toFixed(2),
    medianOf(store, ({ readyLogAfter }) => readyLogAfter).toFixed(0),
    ...[
      medianOf(store, firstPollOf),
      medianOf(store, (botStart) => firstPollOf(botStart) - botStart.readyAfter),
      medianOf(store, (botStart) => firstPollOf(botStart) - botStart.readyLogAfter),
    ].map((ms) => (Number.isNaN(ms) ? '' : ms.toFixed(0))),
  ]);
  console.log(`
Milliseconds from the start of the shipped bot's process, median of ${ROUNDS} alternating starts. In the last row, the bot had been stopped for
so long that every token had expired; the tokens are removed from the store before anything else.
Target: the first poll at most ${TARGET_MS.toLocaleString('en')} ms after READY.
`);
  console.log(table(['', 'READY', 'ratio', 'ready log', 'first poll', 'after READY', 'after ready log'], rows));
}
