import { median, table } from '../table.ts';
import type { Filling } from './filled-store.ts';
import { type Entrance, Scene } from './scene.ts';

const ROUNDS = 3;
const TASKS = 10_000;
const TARGET_MS = 1_000;
const MINUTE_MS = 60_000;

const stores = {
  empty: { tasks: 0, ageMs: 0 },
  full: { tasks: TASKS, ageMs: MINUTE_MS },
  late: { tasks: TASKS, ageMs: 20 * MINUTE_MS, withDeadTokens: true },
} as const satisfies Record<string, Filling>;
type Store = keyof typeof stores;
const stored = Object.keys(stores) as Store[];

const names: Readonly<Record<Store, string>> = {
  empty: 'empty store',
  full: `${TASKS.toLocaleString('en')} live tasks`,
  late: 'as many, their tokens run out',
};

/** Measures the time from the start of the shipped bot's process to its first poll for a task that was running. */
export async function measureRestart(): Promise<void> {
  const results: Record<Store, Entrance[]> = { empty: [], full: [], late: [] };
  const scene = await Scene.open();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const store of stored) {
        const filling = stores[store];
        const entrance = await scene.enter({ filling, questions: filling.tasks > 0 ? 1 : 0 });
        results[store].push(entrance);
        await scene.leave(entrance.bot);
      }
    }
  } finally {
    await scene.close();
  }
  report(results);
}

function report(results: Record<Store, Entrance[]>): void {
  const middle = (store: Store, pick: (entrance: Entrance) => number): number => median(results[store].map(pick));
  const ready = (store: Store): number => middle(store, ({ readyAfter }) => readyAfter);
  const polled = ({ firstPollAfter = Number.NaN }: Entrance): number => firstPollAfter;
  const rows = stored.map((store) => [
    names[store],
    ready(store).toFixed(0),
    (ready(store) / ready('empty')).toFixed(2),
    middle(store, ({ hereAfter }) => hereAfter).toFixed(0),
    ...[
      middle(store, polled),
      middle(store, (entrance) => polled(entrance) - entrance.readyAfter),
      middle(store, (entrance) => polled(entrance) - entrance.hereAfter),
    ].map((ms) => (Number.isNaN(ms) ? '' : ms.toFixed(0))),
  ]);
  console.log(`
Milliseconds from the start of the shipped bot's process, median of ${ROUNDS} starts by turns. In the last row the bot was away for so
long that every token has run out, and is taken out of the store before anything else.
Target: the first poll at most ${TARGET_MS.toLocaleString('en')} ms after READY.
`);
  console.log(table(['', 'READY', 'ratio', '"here"', 'first poll', 'after READY', 'after "here"'], rows));
}
