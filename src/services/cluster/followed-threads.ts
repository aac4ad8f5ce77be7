import { pause } from '../../lib/clock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { repeat } from '../../lib/repeat.ts';
import { CONVERSATION_TIMEOUT_MS } from '../conversations/conversation.ts';
import type { TaskBook } from '../orders/book.ts';
import { hasEnded, type Task } from '../tasks/task.ts';
import type { ClusterContext } from './claim.ts';

const THREAD_LIST = 'threads';
/** A member who writes sooner than this after the bot's first message cannot have read it. */
const READ_INTERVAL_MS = 250;
/** Entries may become visible later than their timestamp says. */
const OVERLAP_MS = 5_000;
const RETRY_INTERVAL_MS = 1_000;
const MAX_THREADS = 100_000;
const MAX_PENDING_ENTRIES = 10_000;

/** The thread in which members continue this task by writing. */
function threadOf({ traits, guildId, channelId, parentChannelId, route }: Task): string | undefined {
  if (guildId === undefined) return undefined;
  if (traits.isTalk || traits.isUtterance) return channelId;
  return traits.isText && parentChannelId !== undefined && !route.isPrivate ? channelId : undefined;
}

/** Announces to the shard processes which threads contain a worker's conversations. */
export function openThreadAnnouncer({ facts, clock, log }: ClusterContext) {
  const pendingEntries = new RecentMap<string, true>(MAX_PENDING_ENTRIES);
  const stopping = new AbortController();
  const { signal } = stopping;
  let isWriting = false;
  const write = async (): Promise<void> => {
    isWriting = true;
    for (const entry of pendingEntries.keys()) {
      while (!signal.aborted && pendingEntries.has(entry)) {
        try {
          await facts.add(THREAD_LIST, entry, CONVERSATION_TIMEOUT_MS);
          pendingEntries.delete(entry);
        } catch (error) {
          log.warn({ err: error }, 'Could not announce a thread to the shard processes; retrying.');
          await pause(clock, RETRY_INTERVAL_MS, signal);
        }
      }
    }
    isWriting = false;
  };
  return {
    /** To be called once the book is open. */
    watch(book: TaskBook, partition: number): void {
      const announce = (task: Task): void => {
        const thread = threadOf(task);
        if (thread === undefined || hasEnded(task)) return;
        pendingEntries.set(`${thread} ${partition}`, true);
        if (!isWriting) void write();
      };
      for (const task of book.live()) announce(task);
      book.onAdd(announce);
      // The thread of a live conversation is created after its task.
      book.onChange((task, previous) => {
        if (previous && previous.channelId !== task.channelId) announce(task);
      });
    },
    stop: (): void => stopping.abort(),
  };
}

export type FollowedThreads = Awaited<ReturnType<typeof openFollowedThreads>>;

/** The threads that the workers of the cluster have announced, in memory, because a shard process looks up every message of every server. */
export async function openFollowedThreads({ facts, clock, log }: ClusterContext) {
  /** The least recently announced come first. */
  const threads = new RecentMap<string, { partition: number; until: number }>(MAX_THREADS);
  let readAt = 0;
  let isFailing = false;
  const read = async (): Promise<void> => {
    const { entries, at } = await facts.addedSince(THREAD_LIST, Math.max(0, readAt - OVERLAP_MS));
    readAt = at;
    const now = clock.now();
    for (const entry of entries) {
      const [thread = '', partition] = entry.split(' ');
      threads.set(thread, { partition: Number(partition), until: now + CONVERSATION_TIMEOUT_MS });
    }
    for (const [thread, { until }] of threads) {
      if (until > now) break;
      threads.delete(thread);
    }
  };
  await read();
  const stop = repeat(
    clock,
    async (signal) => {
      try {
        await read();
        isFailing = false;
      } catch (error) {
        if (!isFailing && !signal.aborted)
          log.warn({ err: error }, 'The threads of conversations could not be read; messages in new ones are missed.');
        isFailing = true;
      }
      return READ_INTERVAL_MS;
    },
    READ_INTERVAL_MS,
  );
  return {
    get count(): number {
      return threads.size;
    },
    partitionOf: (channelId: string): number | undefined => threads.get(channelId)?.partition,
    close: (): void => void stop(),
  };
}
