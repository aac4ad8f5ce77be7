import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../../../src/lib/log.ts';
import type { Snapshot } from '../../../../src/services/gateway/snapshot.ts';
import type { LedgerEntry } from '../../../../src/services/money/entry.ts';
import type { ErasureOutcome, MessageRemoval } from '../../../../src/services/orders/task-store.ts';
import { Tasks } from '../../../../src/services/orders/tasks.ts';
import type { StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import { markDelivered } from '../../../../src/services/tasks/delivery-state.ts';
import { defineKind } from '../../../../src/services/tasks/kind.ts';
import { hasEnded, isLive, type Task } from '../../../../src/services/tasks/task.ts';
import type { ManualClock } from '../../../support/manual-clock.ts';
import { silentDiscord } from '../../../support/silent-discord.ts';
import { acceptedSubmit, buildSnapshot } from '../builders.ts';
import { ordersSources } from '../sources.ts';

export const prices = { imagine: '0.05', 'imagine:niji': '0.07' };

export interface RunningEngine {
  tasks: Tasks;
  /** The direct messages that report an erasure. */
  directMessages: { memberId: string; outcome: ErasureOutcome }[];
  /** The ids of tasks whose messages were deleted, and of tasks whose result was shown. */
  removed: string[];
  shown: string[];
  /** Advances time in steps of one second until the condition holds. */
  waitFor(condition: () => boolean | Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
}

export interface EngineOptions {
  store: StoredTasks;
  clock: ManualClock;
  log: Log;
  removal?: (task: Task) => Promise<MessageRemoval>;
  /** The gateway's response for a task by its remote id. */
  pollResponse?: (remoteId: string) => Snapshot;
  submitOrder?: () => Promise<typeof acceptedSubmit>;
  canSendDirectMessage?: () => boolean;
}

export const NOTHING_REMOVED: MessageRemoval = { removed: 0, left: [], needsRetry: false };

/** Starts the engine with its ledger in a store, and a delivery that shows every result immediately. */
export async function startEngine({
  store,
  clock,
  log,
  removal = async () => NOTHING_REMOVED,
  pollResponse = () => buildSnapshot({ state: 'succeeded' }),
  submitOrder = async () => acceptedSubmit,
  canSendDirectMessage = () => true,
}: EngineOptions): Promise<RunningEngine> {
  const [directMessages, removed, shown]: [RunningEngine['directMessages'], string[], string[]] = [[], [], []];
  const context = { clock, log };
  const sources = ordersSources(context, store, {
    prices,
    discord: {
      ...silentDiscord,
      removeMessages: async (task) => {
        removed.push(task.id);
        return removal(task);
      },
      notifyErased: async (memberId, outcome) => {
        directMessages.push({ memberId, outcome });
        return canSendDirectMessage();
      },
    },
    kinds: [
      defineKind({
        name: 'imagine',
        source: { name: 'imgx', endpoint: { get: async (remoteId) => pollResponse(remoteId) } },
        waitLimit: () => 'image',
        durationKey: () => 'imagine',
        submit: submitOrder,
      }),
    ],
  });
  const tasks = new Tasks(context, sources);
  tasks.book.onChange((task) => {
    if (!hasEnded(task) || !isLive(task) || task.unwanted) return;
    shown.push(task.id);
    tasks.book
      .change(task.id, (current) => (isLive(current) ? markDelivered(current, undefined, clock.now()) : current))
      .catch(() => {
        shown.pop();
      });
  });
  await tasks.open();
  await tasks.start();
  return {
    tasks,
    directMessages,
    removed,
    shown,
    async waitFor(condition) {
      for (let step = 0; step < MAX_STEPS; step++) {
        if (await condition()) return;
        for (let turn = 0; turn < 10; turn++) await setImmediate();
        clock.advance(1_000);
      }
      throw new Error('The expected state was never reached.');
    },
    stop: () => tasks.pause(),
  };
}

const MAX_STEPS = 2_000;

export const entriesOf = (store: StoredTasks): Promise<LedgerEntry[]> =>
  Array.fromAsync(store.entries.readRange('', '9999-12-31'));

/** The usage in the ledger over all members: counts and amounts by kind, model and state. */
export function sumUsage(entries: readonly LedgerEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind: name, model = '', facts } of entries) {
    const key = [name, model, facts[0]?.amount, facts.at(-1)?.standing].join(' ');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort());
}
