import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { bucketWithin } from '../tasks/homes.ts';
import { defineRequest, type KindSpec } from '../tasks/kind-spec.ts';
import { hasEnded, isOfKind, type Task } from '../tasks/task.ts';
import { createTaskId } from '../tasks/task-id.ts';
import { adoptTask, completeAlbum, createAlbum } from '../tasks/transitions.ts';
import type { OrderOrigin } from './orders.ts';
import type { OrdersContext } from './orders-context.ts';

/** The parts of an album are separate tasks, in the order in which the member named them. */
const albumShape = defineRequest({
  parts: z.array(z.object({ id: z.string(), remoteId: z.string(), isAdopted: z.boolean() })),
});
type AlbumRequest = z.output<typeof albumShape>;
type AlbumPart = AlbumRequest['parts'][number];

declare module '../tasks/kind-spec.ts' {
  interface TaskRequests {
    album: AlbumRequest;
  }
}

export const albumSpec: KindSpec<'album'> = { request: albumShape.loose(), traits: { isAlbum: true } };

/** Throws if the member is not allowed to follow these tasks. The map contains the task of each remote id, if it exists. */
export type CheckAdmission = (tasksByRemoteId: ReadonlyMap<string, Task | undefined>) => void;

/**
 * Shows several tasks of the gateway in one message. An album is not polled and stores no state of its parts: they are tasks that are
 * stored separately, and each start of the bot checks again whether all of them have ended.
 *
 * The album is stored first, with the ids of its parts, so the next start can add the parts that a crash left out. If the parts were stored
 * first, a crash would leave tasks that are followed but never shown.
 */
export class Albums {
  readonly #context: OrdersContext;
  /** The parts of each open album that have not ended. Two albums can have a part in common. */
  readonly #openParts = new Map<string, Set<string>>();
  readonly #lock = new KeyedLock();

  constructor(context: OrdersContext) {
    this.#context = context;
    context.book.onChange((task) => this.#onPartChange(task.id, hasEnded(task)));
  }

  /** Songs that already have a task are shown in their current state, and are not polled more often. */
  create(origin: OrderOrigin, remoteIds: readonly string[], checkAdmission: CheckAdmission): Promise<Task> {
    // Two members who follow the same song at the same moment must share one task.
    return this.#lock.run('together', async () => {
      const tasksByRemoteId = await this.#find(remoteIds);
      checkAdmission(tasksByRemoteId);
      const { clock, partition } = this.#context;
      const now = clock.now();
      const bucket = bucketWithin(origin.guildId ?? origin.requesterId, partition);
      const parts = remoteIds.map((remoteId): AlbumPart => {
        const knownTask = tasksByRemoteId.get(remoteId);
        return { id: knownTask?.id ?? createTaskId(now, bucket), remoteId, isAdopted: knownTask === undefined };
      });
      const { traits } = albumSpec;
      const facts = { id: createTaskId(now, bucket), traits, idempotencyKey: randomUUID(), durationKey: 'album', now };
      const album = createAlbum({ ...origin, kind: 'album', request: { parts } }, facts);
      await this.#context.book.add(album);
      try {
        await this.#adopt(album, parts);
      } catch (error) {
        await this.#removeAll(album, parts);
        throw error;
      }
      await this.#watch(album, parts);
      return album;
    });
  }

  async partsOf(album: Task): Promise<{ remoteId: string; task: Task | undefined }[]> {
    const parts = isOfKind('album', album) ? album.request.parts : [];
    return Promise.all(parts.map(async ({ id, remoteId }) => ({ remoteId, task: await this.#context.book.get(id) })));
  }

  async start(storedTasks: readonly Task[]): Promise<void> {
    for (const album of storedTasks) {
      if (!isOfKind('album', album) || hasEnded(album)) continue;
      const { parts } = album.request;
      await this.#adopt(album, parts);
      await this.#watch(album, parts);
    }
  }

  /** Stores missing parts. None is polled before all are stored, so that they start together and are polled as one list. */
  async #adopt(album: Task, parts: readonly AlbumPart[]): Promise<void> {
    const { book, follow } = this.#context;
    const { requesterId, guildId, channelId, language, route, times } = album;
    const addedTasks: Task[] = [];
    for (const { id, remoteId, isAdopted } of parts) {
      if (!isAdopted || (await book.get(id))) continue;
      const order = {
        kind: 'music',
        request: {},
        requesterId,
        guildId,
        channelId,
        language,
        route,
        parent: album,
      } as const;
      const { traits } = this.#context.specs.music;
      const partFacts = { id, idempotencyKey: randomUUID(), durationKey: 'music', now: times.created };
      const part = adoptTask(order, { ...partFacts, traits, remoteId });
      await book.add(part);
      addedTasks.push(part);
    }
    for (const part of addedTasks) follow(part);
  }

  async #watch({ id }: Task, parts: readonly AlbumPart[]): Promise<void> {
    const openPartIds = new Set(parts.map((part) => part.id));
    this.#openParts.set(id, openPartIds);
    // The listener reports later changes. Parts that have already ended are found here.
    for (const part of [...openPartIds]) {
      const task = await this.#context.book.get(part);
      if (!task || hasEnded(task)) this.#onPartChange(part, true);
    }
    const album = this.#context.book.find(id);
    if (album && !hasEnded(album)) this.#context.book.announce(id);
  }

  #onPartChange(partId: string, isEnd: boolean): void {
    for (const [id, openPartIds] of this.#openParts) {
      if (!openPartIds.has(partId)) continue;
      if (isEnd) openPartIds.delete(partId);
      if (openPartIds.size === 0) this.#complete(id);
      else this.#context.book.announce(id);
    }
  }

  #complete(id: string): void {
    this.#openParts.delete(id);
    const { book, clock, log, pendingWork } = this.#context;
    const work = book
      .change(id, (album) => completeAlbum(album, clock.now()), { mustHold: true })
      // The member may have erased the album along with all other data.
      .catch((error: unknown) => log.info({ task: id, err: error }, 'An album was erased before it was complete.'));
    void trackUntilDone(work, pendingWork);
  }

  async #find(remoteIds: readonly string[]): Promise<Map<string, Task | undefined>> {
    const { book, store } = this.#context;
    const liveTasks = new Map(book.live().flatMap((task) => (isMusic(task) ? [[task.remoteId, task] as const] : [])));
    const tasksByRemoteId = new Map<string, Task | undefined>();
    for (const remoteId of remoteIds) {
      const task = liveTasks.get(remoteId) ?? (await store.findByRemoteId(remoteId));
      tasksByRemoteId.set(remoteId, task && isGivenUp(task) ? undefined : task);
    }
    return tasksByRemoteId;
  }

  async #removeAll(album: Task, parts: readonly AlbumPart[]): Promise<void> {
    const { book, log } = this.#context;
    try {
      for (const { id, isAdopted } of parts) if (isAdopted) await book.remove(id);
      await book.remove(album.id);
    } catch (error) {
      // The next start continues with what is stored.
      log.error({ task: album.id, err: error }, 'A failed album could not be removed from the store.');
    }
  }
}

const isMusic = ({ traits, remoteId }: Task): boolean => remoteId !== undefined && traits.isFollowable === true;

/** Whether a task was given up because the gateway did not know the song. It may know the song now. */
const isGivenUp = ({ traits, failure }: Task): boolean => traits.isPart === true && failure?.cause === 'forgotten';
