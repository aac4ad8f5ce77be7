import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { openLog } from '../../../src/lib/log.ts';
import { openNamespaces } from '../../../src/services/store/namespaces.ts';
import { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { Albums } from '../../../src/services/tasks/albums.ts';
import { TaskBook } from '../../../src/services/tasks/book.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { hasEnded, type Task } from '../../../src/services/tasks/task.ts';
import { batchPolls, orderSongs, singlePolls } from '../../e2e/tasks/songs.ts';
import { ofKind } from '../../support/tasks.ts';
import { FailingPower } from '../store/failing-power.ts';
import { folder } from '../store/stage.ts';
import { type Engine, engine } from './engine.ts';
import { order } from './made.ts';

const { kind: _, request: __, parent: ___, ...origin } = order;
const everything = (): void => undefined;
const titles = (count: number) => Array.from({ length: count }, (_one, index) => `Song ${index + 1}`);

const ended = ({ news, until }: Engine, { id }: Task): Promise<Task> =>
  until(() => news.findLast((task) => task.id === id && hasEnded(task)));

/** How often the batch with this task was polled. */
const rounds = ({ gateway }: Engine, id: string): number =>
  batchPolls(gateway).filter(({ body }) => (body as { ids: string[] }).ids.includes(id)).length;

describe('An album', () => {
  it('An album of 300 tasks is polled with at most three requests per round, although each response omits a random third', async () => {
    const side = await engine({ quirks: { looseBatches: true }, speed: 2 });
    const ids = await orderSongs(side.gateway, ...titles(300));
    const album = await side.tasks.albums.create(origin, ids, everything);
    await side.until(() => (rounds(side, ids[0] ?? '') >= 3 ? true : undefined));
    const before = questionsOf(side);
    // A restart does not spread the polls either.
    await side.drop();
    const next = await engine({}, side);
    await ended(next, album);
    const after = questionsOf(next).filter((at) => at > Math.max(...before));
    expect(after.length).toBeGreaterThan(3);
    expect(Math.max(maxWithin(before, 2_000), maxWithin(after, 2_000))).toBeLessThanOrEqual(3);
    for (const { task } of await next.tasks.albums.partsOf(album)) expect(task).toMatchObject({ state: 'delivered' });
    expect(next.tasks.book.liveCount).toBe(1);
    // Hundreds of tasks cause hundreds of writes, which take long on a busy machine.
  }, 60_000);

  it('An album ignores a response whose list is null, and polls again', async () => {
    const side = await engine({ speed: 20 });
    const ids = await orderSongs(side.gateway, ...titles(5));
    side.gateway.faults.add({
      on: { path: '/music/fetch', method: 'POST' },
      do: { type: 'body', body: { code: 'success', data: null } },
      times: 4,
    });
    const album = await side.tasks.albums.create(origin, ids, everything);
    await ended(side, album);
    const parts = await side.tasks.albums.partsOf(album);
    expect(parts.map(({ remoteId }) => remoteId)).toEqual(ids);
    expect(parts.every(({ task }) => task?.tracks?.length === 2)).toBe(true);
  });

  it('An album abandons a part only after the gateway has not known it for minutes, even polled on its own, and ends without it', async () => {
    const side = await engine({ speed: 20 });
    const [known = ''] = await orderSongs(side.gateway, 'Song');
    const album = await side.tasks.albums.create(origin, ['nobody-1', known, 'nobody-2', 'nobody-3'], everything);
    await ended(side, album);
    const parts = await side.tasks.albums.partsOf(album);
    expect(parts.map(({ task }) => task?.failure?.cause)).toEqual(['forgotten', undefined, 'forgotten', 'forgotten']);
    // A repeated request may still find it.
    await side.tasks.albums.create(origin, ['nobody-1'], (found) => expect([...found.values()]).toEqual([undefined]));
  });

  it('An album polls with shorter lists permanently once the gateway has refused a long one', async () => {
    const side = await engine({ speed: 20, quirks: { batchLimit: 3 } });
    const ids = await orderSongs(side.gateway, ...titles(10));
    await ended(side, await side.tasks.albums.create(origin, ids, everything));
    const lengths = batchPolls(side.gateway).map(({ body }) => (body as { ids: string[] }).ids.length);
    expect(lengths.slice(0, 3)).toEqual([10, 5, 3]);
    expect(lengths.slice(7).every((length) => length <= 3)).toBe(true);
  });

  it('An album includes tasks that the bot already follows without duplicating them', async () => {
    const side = await engine({ speed: 20 });
    const song = await side.tasks.orders.submit({ ...order, kind: 'song', request: { prompt: 'a storm' } });
    const ids = [song.remoteId ?? ''];
    const album = await side.tasks.albums.create(origin, ids, everything);
    expect(ofKind('album', album).request.parts).toEqual([{ id: song.id, remoteId: song.remoteId, isAdopted: false }]);
    await ended(side, album);
    await side.tasks.book.change(song.id, (task) => markDelivered(task, undefined, side.clock.now()));
    const again = await side.tasks.albums.create(origin, ids, everything);
    expect((await ended(side, again)).state).toBe('ready');
    expect(batchPolls(side.gateway)).toEqual([]);
  });

  it('Nothing is changed if the member may not create an album', async () => {
    const side = await engine({ speed: 20 });
    const refuse = (): void => {
      throw new Error('no');
    };
    await expect(side.tasks.albums.create(origin, ['nobody-1'], refuse)).rejects.toThrow('no');
    expect(await side.store.live()).toEqual([]);
    expect(side.tasks.book.liveCount).toBe(0);
  });

  it('An album is erased with its parts when the member who started it requests erasure, once they have ended', async () => {
    const side = await engine({ speed: 20 });
    const ids = await orderSongs(side.gateway, ...titles(2));
    await side.tasks.albums.create(origin, ids, everything);
    const told = Promise.withResolvers<void>();
    await side.tasks.erasure.begin(origin.requesterId, async () => {
      told.resolve();
      return true;
    });
    await side.until(() => (side.tasks.book.liveCount === 0 ? true : undefined));
    await told.promise;
    expect(await side.store.page({ of: { memberId: origin.requesterId }, max: 10 })).toMatchObject({ summaries: [] });
    for (const id of ids) expect(await side.store.findByRemoteId(id)).toBeUndefined();
  });

  it('An album is complete after a crash between the end of its last part and its own end', async () => {
    const side = await engine({ speed: 20 });
    const ids = await orderSongs(side.gateway, ...titles(2));
    const album = await side.tasks.albums.create(origin, ids, everything);
    await ended(side, album);
    await side.store.put(album);
    await side.drop();
    const next = await engine({}, side);
    expect((await ended(next, album)).state).toBe('ready');
  });

  it('An album is stored whole or not at all after a crash between any of its writes', async () => {
    const first = await engine({ speed: 20 });
    const ids = await orderSongs(first.gateway, ...titles(3));
    await first.drop();
    let isThrough = false;
    for (let writes = 0; !isThrough; writes += 1) {
      const file = join(folder(), 'copy.sqlite');
      copyFileSync(first.file, file);
      isThrough = await gatheredWith(file, writes, ids, first);
      const side = await engine({}, { ...first, file });
      const { summaries } = await side.store.page({ of: { memberId: order.requesterId }, max: 100 });
      const albums = summaries.filter(({ kind }) => kind === 'album');
      expect(summaries.filter(({ kind }) => kind === 'music')).toHaveLength(3 * albums.length);
      if (isThrough) expect(albums).toHaveLength(1);
      for (const { id } of albums) {
        const album = (await side.tasks.book.get(id)) as Task;
        await ended(side, album);
        const parts = await side.tasks.albums.partsOf(album);
        expect(parts.map(({ remoteId, task }) => [remoteId, task?.state])).toEqual(
          ids.map((one) => [one, 'delivered']),
        );
      }
      await side.drop();
    }
  });
});

/** Whether the album was stored before the power failed. */
async function gatheredWith(file: string, writes: number, ids: string[], { clock }: Engine): Promise<boolean> {
  const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
  const connection = new FailingPower(file, writes);
  const store = new StoredTasks({
    specs: kindSpecs,
    namespaces: openNamespaces(connection),
    clock,
    log,
    close: () => connection.close(),
  });
  const book = new TaskBook({ store, log });
  const albums = new Albums({ specs: kindSpecs, book, store, clock, log, follow: () => undefined });
  try {
    await albums.create(origin, ids, everything);
    return true;
  } catch {
    return false;
  } finally {
    await store.close();
  }
}

const questionsOf = ({ gateway }: Engine): number[] =>
  [...batchPolls(gateway), ...singlePolls(gateway)].map(({ at }) => at);

/** The largest number of polls within this time, which is shorter than the interval between rounds. */
function maxWithin(times: readonly number[], ms: number): number {
  return Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + ms).length));
}
