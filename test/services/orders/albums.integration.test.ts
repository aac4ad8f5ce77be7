import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { Albums } from '../../../src/services/orders/albums.ts';
import { createOrdersContext } from '../../../src/services/orders/orders-context.ts';
import { openNamespaces } from '../../../src/services/store/namespaces.ts';
import { openStoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { hasEnded, type Task } from '../../../src/services/tasks/task.ts';
import { batchPolls, orderSongs, singlePolls } from '../../e2e/tasks/songs.ts';
import { ofKind } from '../../support/tasks.ts';
import { FailingBackend } from '../store/failing-power.ts';
import { createTemporaryFolder } from '../store/store-fixture.ts';
import { order } from './builders.ts';
import { type Engine, startEngine } from './engine.ts';
import { ordersSources } from './sources.ts';

const { kind: _, request: __, parent: ___, ...origin } = order;
const allowAll = (): void => undefined;
const titles = (count: number) => Array.from({ length: count }, (_one, index) => `Song ${index + 1}`);

const waitForEnd = ({ changes, until }: Engine, { id }: Task): Promise<Task> =>
  until(() => changes.findLast((task) => task.id === id && hasEnded(task)));

/** How often the batch with this task was polled. */
const batchPollCount = ({ gateway }: Engine, id: string): number =>
  batchPolls(gateway).filter(({ body }) => (body as { ids: string[] }).ids.includes(id)).length;

describe('An album', () => {
  it('An album of 300 tasks is polled with at most three requests per round, although each response omits a random third', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startEngine({ quirks: { looseBatches: true }, speed: 2 });
    const ids = await orderSongs(fixture.gateway, ...titles(300));
    const album = await fixture.tasks.albums.create(origin, ids, allowAll);
    await fixture.until(() => (batchPollCount(fixture, ids[0] ?? '') >= 3 ? true : undefined));
    const pollsBefore = pollTimes(fixture);
    // The polls stay grouped after a restart.
    await fixture.kill();
    const restarted = await startEngine({}, fixture);
    await waitForEnd(restarted, album);
    const pollsAfter = pollTimes(restarted).filter((at) => at > Math.max(...pollsBefore));
    expect(pollsAfter.length).toBeGreaterThan(3);
    expect(Math.max(maxWithin(pollsBefore, 2_000), maxWithin(pollsAfter, 2_000))).toBeLessThanOrEqual(3);
    for (const { task } of await restarted.tasks.albums.partsOf(album))
      expect(task).toMatchObject({ state: 'delivered' });
    expect(restarted.tasks.book.live().length).toBe(1);
    // Hundreds of tasks cause hundreds of writes, which take long on a busy machine.
  });

  it('An album ignores a response whose list is null, and polls again', async () => {
    const fixture = await startEngine({ speed: 20 });
    const ids = await orderSongs(fixture.gateway, ...titles(5));
    fixture.gateway.faults.add({
      on: { path: '/music/fetch', method: 'POST' },
      do: { type: 'body', body: { code: 'success', data: null } },
      times: 4,
    });
    const album = await fixture.tasks.albums.create(origin, ids, allowAll);
    await waitForEnd(fixture, album);
    const parts = await fixture.tasks.albums.partsOf(album);
    expect(parts.map(({ remoteId }) => remoteId)).toEqual(ids);
    expect(parts.every(({ task }) => task?.tracks?.length === 2)).toBe(true);
  });

  it('An album abandons a part only after the gateway has not known the part for minutes, even when polled on its own, and ends without it', async () => {
    const fixture = await startEngine({ speed: 20 });
    const [knownId = ''] = await orderSongs(fixture.gateway, 'Song');
    const album = await fixture.tasks.albums.create(origin, ['unknown-1', knownId, 'unknown-2', 'unknown-3'], allowAll);
    await waitForEnd(fixture, album);
    const parts = await fixture.tasks.albums.partsOf(album);
    expect(parts.map(({ task }) => task?.failure?.cause)).toEqual(['forgotten', undefined, 'forgotten', 'forgotten']);
    // A later album may request the abandoned part again.
    await fixture.tasks.albums.create(origin, ['unknown-1'], (found) =>
      expect([...found.values()]).toEqual([undefined]),
    );
  });

  it('An album polls with shorter lists permanently once the gateway has refused a long one', async () => {
    const fixture = await startEngine({ speed: 20, quirks: { batchLimit: 3 } });
    const ids = await orderSongs(fixture.gateway, ...titles(10));
    await waitForEnd(fixture, await fixture.tasks.albums.create(origin, ids, allowAll));
    const lengths = batchPolls(fixture.gateway).map(({ body }) => (body as { ids: string[] }).ids.length);
    expect(lengths.slice(0, 3)).toEqual([10, 5, 3]);
    expect(lengths.slice(7).every((length) => length <= 3)).toBe(true);
  });

  it('An album includes tasks that the bot is already polling without duplicating them', async () => {
    const fixture = await startEngine({ speed: 20 });
    const song = await fixture.tasks.orders.submit({ ...order, kind: 'song', request: { prompt: 'a storm' } });
    const ids = [song.remoteId ?? ''];
    const album = await fixture.tasks.albums.create(origin, ids, allowAll);
    expect(ofKind('album', album).request.parts).toEqual([{ id: song.id, remoteId: song.remoteId, isAdopted: false }]);
    await waitForEnd(fixture, album);
    await fixture.tasks.book.change(song.id, (task) => markDelivered(task, undefined, fixture.clock.now()));
    const second = await fixture.tasks.albums.create(origin, ids, allowAll);
    expect((await waitForEnd(fixture, second)).state).toBe('ready');
    expect(batchPolls(fixture.gateway)).toEqual([]);
  });

  it('Nothing is changed if the member is not allowed to create an album', async () => {
    const fixture = await startEngine({ speed: 20 });
    const refuse = (): void => {
      throw new Error('no');
    };
    await expect(fixture.tasks.albums.create(origin, ['unknown-1'], refuse)).rejects.toThrow('no');
    expect(await fixture.store.live()).toEqual([]);
    expect(fixture.tasks.book.live().length).toBe(0);
  });

  it('An album is erased with its parts when the member who started it requests erasure, once they have ended', async () => {
    const fixture = await startEngine({ speed: 20 });
    const ids = await orderSongs(fixture.gateway, ...titles(2));
    await fixture.tasks.albums.create(origin, ids, allowAll);
    const notified = Promise.withResolvers<void>();
    await fixture.tasks.erasure.begin(origin.requesterId, async () => {
      notified.resolve();
      return true;
    });
    await fixture.until(() => (fixture.tasks.book.live().length === 0 ? true : undefined));
    await notified.promise;
    const listed = async () => (await fixture.store.page({ of: { memberId: origin.requesterId }, max: 10 })).summaries;
    await expect.poll(listed).toEqual([]);
    for (const id of ids) expect(await fixture.store.findByRemoteId(id)).toBeUndefined();
  });

  it('An album is complete after a crash between the end of its last part and its own end', async () => {
    const fixture = await startEngine({ speed: 20 });
    const ids = await orderSongs(fixture.gateway, ...titles(2));
    const album = await fixture.tasks.albums.create(origin, ids, allowAll);
    await waitForEnd(fixture, album);
    await fixture.store.put(album);
    await fixture.kill();
    const restarted = await startEngine({}, fixture);
    expect((await waitForEnd(restarted, album)).state).toBe('ready');
  });

  it('An album is stored whole or not at all after a crash between any of its writes', async () => {
    const first = await startEngine({ speed: 20 });
    const ids = await orderSongs(first.gateway, ...titles(3));
    await first.kill();
    let isComplete = false;
    for (let writes = 0; !isComplete; writes += 1) {
      const file = join(createTemporaryFolder(), 'copy.sqlite');
      copyFileSync(first.file, file);
      isComplete = await tryToCreateAlbum(file, writes, ids, first);
      const fixture = await startEngine({}, { ...first, file });
      const { summaries } = await fixture.store.page({ of: { memberId: order.requesterId }, max: 100 });
      const albums = summaries.filter(({ kind }) => kind === 'album');
      expect(summaries.filter(({ kind }) => kind === 'music')).toHaveLength(3 * albums.length);
      if (isComplete) expect(albums).toHaveLength(1);
      for (const { id } of albums) {
        const album = (await fixture.tasks.book.get(id)) as Task;
        await waitForEnd(fixture, album);
        const parts = await fixture.tasks.albums.partsOf(album);
        expect(parts.map(({ remoteId, task }) => [remoteId, task?.state])).toEqual(
          ids.map((one) => [one, 'delivered']),
        );
      }
      await fixture.kill();
    }
  });
});

/** Creates an album on a store that fails after this many writes; returns whether the album was stored. */
async function tryToCreateAlbum(file: string, writes: number, ids: string[], { clock }: Engine): Promise<boolean> {
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const connection = new FailingBackend(file, writes);
  const store = openStoredTasks({
    specs: kindSpecs,
    namespaces: openNamespaces(connection),
    clock,
    log,
    close: () => connection.close(),
  });
  const context = { clock, log };
  const albums = new Albums(createOrdersContext(context, ordersSources(context, store), () => undefined));
  try {
    await albums.create(origin, ids, allowAll);
    return true;
  } catch {
    return false;
  } finally {
    await store.close();
  }
}

const pollTimes = ({ gateway }: Engine): number[] =>
  [...batchPolls(gateway), ...singlePolls(gateway)].map(({ at }) => at);

/** The largest number of polls within this time, which is shorter than the interval between rounds. */
function maxWithin(times: readonly number[], ms: number): number {
  return Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + ms).length));
}
