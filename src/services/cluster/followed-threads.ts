import { pause } from '../../lib/clock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
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
export class ThreadAnnouncer {
  readonly #cluster: ClusterContext;
  readonly #pendingEntries = new RecentMap<string, true>(MAX_PENDING_ENTRIES);
  readonly #stop = new AbortController();
  #isWriting = false;

  constructor(cluster: ClusterContext) {
    this.#cluster = cluster;
  }

  /** To be called once the book is open. */
  watch(book: TaskBook, partition: number): void {
    const announce = (task: Task): void => {
      const thread = threadOf(task);
      if (thread !== undefined && !hasEnded(task)) this.#add(`${thread} ${partition}`);
    };
    for (const task of book.live()) announce(task);
    book.onAdd(announce);
    // The thread of a live conversation is created after its task.
    book.onChange((task, previous) => {
      if (previous && previous.channelId !== task.channelId) announce(task);
    });
  }

  stop(): void {
    this.#stop.abort();
  }

  #add(entry: string): void {
    this.#pendingEntries.set(entry, true);
    if (!this.#isWriting) void this.#write();
  }

  async #write(): Promise<void> {
    const { facts, clock, log } = this.#cluster;
    const { signal } = this.#stop;
    this.#isWriting = true;
    for (const entry of this.#pendingEntries.keys()) {
      while (!signal.aborted && this.#pendingEntries.has(entry)) {
        try {
          await facts.add(THREAD_LIST, entry, CONVERSATION_TIMEOUT_MS);
          this.#pendingEntries.delete(entry);
        } catch (error) {
          log.warn({ err: error }, 'Could not announce a thread to the shard processes; retrying.');
          await pause(clock, RETRY_INTERVAL_MS, signal);
        }
      }
    }
    this.#isWriting = false;
  }
}

/** The threads that the workers of the cluster have announced, in memory, because a shard process looks up every message of every server. */
export class FollowedThreads {
  readonly #cluster: ClusterContext;
  /** The least recently announced come first. */
  readonly #followedThreads = new RecentMap<string, { partition: number; until: number }>(MAX_THREADS);
  readonly #stop = new AbortController();
  #readAt = 0;

  private constructor(cluster: ClusterContext) {
    this.#cluster = cluster;
  }

  static async open(cluster: ClusterContext): Promise<FollowedThreads> {
    const threads = new FollowedThreads(cluster);
    await threads.#read();
    void threads.#keepReading();
    return threads;
  }

  get count(): number {
    return this.#followedThreads.size;
  }

  partitionOf(channelId: string): number | undefined {
    return this.#followedThreads.get(channelId)?.partition;
  }

  close(): void {
    this.#stop.abort();
  }

  async #keepReading(): Promise<void> {
    const { clock, log } = this.#cluster;
    const { signal } = this.#stop;
    for (let isFailing = false; !signal.aborted; await pause(clock, READ_INTERVAL_MS, signal)) {
      try {
        await this.#read();
        isFailing = false;
      } catch (error) {
        if (!isFailing && !signal.aborted)
          log.warn({ err: error }, 'The threads of conversations could not be read; messages in new ones are missed.');
        isFailing = true;
      }
    }
  }

  async #read(): Promise<void> {
    const { facts, clock } = this.#cluster;
    const { entries, at } = await facts.addedSince(THREAD_LIST, Math.max(0, this.#readAt - OVERLAP_MS));
    this.#readAt = at;
    const now = clock.now();
    for (const entry of entries) {
      const [thread = '', partition] = entry.split(' ');
      this.#followedThreads.set(thread, { partition: Number(partition), until: now + CONVERSATION_TIMEOUT_MS });
    }
    for (const [thread, { until }] of this.#followedThreads) {
      if (until > now) break;
      this.#followedThreads.delete(thread);
    }
  }
}
