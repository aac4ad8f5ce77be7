import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs, kindViews } from '../../src/commands/index.ts';
import { createLogger } from '../../src/lib/log.ts';
import { noteFinder } from '../../src/messages/notes.ts';
import { openMedia } from '../../src/services/media/media.ts';
import { TaskBook } from '../../src/services/orders/book.ts';
import { openStore } from '../../src/services/store/open-store.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { file, openFileHost } from '../services/media/file-host.ts';
import { mp4Video } from '../services/media/videos.ts';
import { buildTask } from '../services/orders/builders.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { mediaProcess } from '../support/media-process.ts';
import type { Parts } from '../support/tasks.ts';

/** Starts a local file host with a video, and prepares failed tasks that refer to it. */
async function createNotesFixture() {
  const host = await openFileHost();
  onTestFinished(() => host.close());
  const url = host.on('/dance.mp4', file(mp4Video()));
  const clock = new ManualClock();
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const isStoredResult = async () => true;
  const media = openMedia(
    { gatewayOrigin: host.origin, apiKey: 'sk-sandbox', allowPrivate: true },
    { log, process: mediaProcess, clock, isStoredResult },
  );
  onTestFinished(() => media.close());
  const references = [{ address: url, name: 'dance.mp4', medium: 'video', takes: 'address' }];
  const request = { prompt: 'waves', model: 'reel-2', references };
  const failedTask = (changes: Parts = {}): Task =>
    buildTask({ kind: 'video', state: 'failed', failure: { cause: 'failed' }, request, ...changes });
  const store = await openStore(
    { url: 'sqlite://:memory:', scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, botVersion: '0' },
  );
  onTestFinished(() => store.close());
  /** Simulates a restart, after which only stored data is available. */
  const restart = async () => {
    const book = new TaskBook(store, log);
    await book.open();
    return noteFinder({ media, views: kindViews, log, clock }, book);
  };
  const storeTask = async (task: Task): Promise<Task> => {
    await store.put(task);
    return task;
  };
  return { host, media, failedTask, restart, storeTask };
}

describe('The references of a failed task', () => {
  it('The references of a failed task are fetched once for any number of views, and without sending the API key', async () => {
    const { host, failedTask, storeTask, restart } = await createNotesFixture();
    const task = await storeTask(failedTask());
    const { failureNotes } = await restart();
    const first = await failureNotes(task);
    expect(first[0]).toContain('The reference `dance.mp4` is available');
    expect(await failureNotes(task)).toEqual(first);
    expect(host.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/dance.mp4', undefined],
    ]);
    const otherTask = await storeTask(failedTask({ id: '01k3v9x2mabcdefgz' }));
    await (await restart()).failureNotes(otherTask);
    expect(host.requests).toHaveLength(2);
  });

  it('The references of a failed task are not fetched again after a restart, even if the first check was interrupted', async () => {
    const { host, failedTask, storeTask, restart } = await createNotesFixture();
    const task = await storeTask(failedTask());
    const first = await (await restart()).failureNotes(task);
    expect(await (await restart()).failureNotes(task)).toEqual(first);
    const pendingUrl = host.on('/never.mp4', () => undefined);
    const reference = { address: pendingUrl, name: 'never.mp4', medium: 'video', takes: 'address' };
    const request = { prompt: 'waves', model: 'reel-2', references: [reference] };
    const interruptedTask = await storeTask(failedTask({ id: '01k3v9x2mabcdefgz', request }));
    const checking = (await restart()).failureNotes(interruptedTask);
    await expect.poll(() => host.requests.length).toBe(2);
    expect(await (await restart()).failureNotes(interruptedTask)).toEqual([]);
    expect(host.requests).toHaveLength(2);
    await host.close();
    await checking;
  });

  it('The references of a failed task are not fetched if there are none or the failure has another cause', async () => {
    const { host, failedTask, restart } = await createNotesFixture();
    const { failureNotes } = await restart();
    for (const cause of ['forgotten', 'dismissed', 'cancelled', 'expired'] as const)
      expect(await failureNotes(failedTask({ failure: { cause } }))).toEqual([]);
    expect(await failureNotes(failedTask({ request: { prompt: 'waves', model: 'reel-2' } }))).toEqual([]);
    expect(host.requests).toEqual([]);
  });

  it('A task whose references have an unknown format is rejected', async () => {
    const { failedTask } = await createNotesFixture();
    const request = { prompt: 'waves', model: 'reel-2', references: 'odd' };
    expect(() => failedTask({ request })).toThrow('request.references');
  });

  it('A check of references that is interrupted because the bot stops reports nothing', async () => {
    const { host, media, failedTask, storeTask, restart } = await createNotesFixture();
    const task = await storeTask(failedTask());
    await media.close();
    expect(await (await restart()).failureNotes(task)).toEqual([]);
    expect(host.requests).toEqual([]);
  });
});
