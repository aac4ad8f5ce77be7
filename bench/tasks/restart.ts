import { end, messageFrom, start } from '../discord/child.ts';
import { Stage } from '../discord/stage.ts';
import { median, table } from '../table.ts';
import { startBot } from './bot.ts';
import type { Filling } from './filled-store.ts';
import { StoreFolder } from './store-folder.ts';
import type { StubHeard, StubOrder, StubServed } from './stub.ts';

const ROUNDS = 3;
const TASKS = 10_000;
const TARGET_MS = 1_000;
const MINUTE_MS = 60_000;

const stores = {
  empty: { tasks: 0, ageMs: 0 },
  full: { tasks: TASKS, ageMs: MINUTE_MS },
  // The bot was away for so long that every token has run out, and each is taken out of the store before anything else.
  late: { tasks: TASKS, ageMs: 20 * MINUTE_MS, withDeadTokens: true },
} as const satisfies Record<string, Filling>;
type Store = keyof typeof stores;

const names: Readonly<Record<Store, string>> = {
  empty: 'empty store',
  full: `${TASKS.toLocaleString('en')} live tasks`,
  late: 'the same, tokens run out meanwhile',
};

interface Restart {
  ready: number;
  here: number;
  /** Nobody is asked about where nothing is live. */
  poll: number;
}

/** From the start of the shipped bot's process to its first question about a task that was under way. */
export async function measureRestart(): Promise<void> {
  const results: Record<Store, Restart[]> = { empty: [], full: [], late: [] };
  const [stage, folder] = await Promise.all([Stage.open(), StoreFolder.open()]);
  const stub = start(new URL('stub.ts', import.meta.url));
  try {
    const { url } = await messageFrom<StubServed>(stub);
    let sessions = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of Object.keys(stores) as Store[]) {
        const filling = stores[name];
        const file = await folder.filled(filling);
        sessions += 1;
        // Asked before the bot starts, so that the answers find somebody who waits for them.
        const ready = stage.ask('ready', { sessions }).then(() => Date.now());
        const polled = filling.tasks > 0 ? firstPoll(stub) : undefined;
        const bot = startBot({ ...settingsFor(stage, url), STORE_URL: `sqlite://${file}` });
        const [readyAt, here, pollAt] = await Promise.all([ready, bot.here, polled]);
        if (here.tasks !== filling.tasks) throw new Error(`The bot found ${here.tasks} of ${filling.tasks} tasks.`);
        const since = (at: number): number => at - bot.startedAt;
        results[name].push({ ready: since(readyAt), here: since(here.at), poll: since(pollAt ?? Number.NaN) });
        await end(bot.process);
        await stage.ask('forget', null);
      }
    }
  } finally {
    await Promise.all([stage.close(), folder.close(), end(stub)]);
  }
  report(results);
}
