import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs, kindViews, texts } from '../../src/commands/index.ts';
import { openLog } from '../../src/lib/log.ts';
import { createSay } from '../../src/locales/index.ts';
import { noteFinder } from '../../src/messages/notes.ts';
import { openMedia } from '../../src/services/media/index.ts';
import { openStore } from '../../src/services/store/index.ts';
import { TaskBook } from '../../src/services/tasks/book.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { file, openFileHost } from '../services/media/file-host.ts';
import { mp4Video } from '../services/media/videos.ts';
import { madeTask } from '../services/tasks/made.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { Parts } from '../support/tasks.ts';

/** Starts a local file host with a video, and makes notes about tasks whose references are there. */
async function notesScene() {
  const host = await openFileHost();
  onTestFinished(() => host.close());
  const url = host.on('/dance.mp4', file(mp4Video()));
  const clock = new ManualClock();
  const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
  const media = openMedia({ gatewayOrigin: host.origin, apiKey: 'sk-sandbox', allowPrivate: true }, { log, clock });
  onTestFinished(() => media.close());
  const references = [{ address: url, name: 'dance.mp4', medium: 'video', takes: 'address' }];
  const request = { prompt: 'waves', model: 'reel-2', references };
  const failed = (changes: Parts = {}): Task =>
    madeTask({ kind: 'video', state: 'failed', failure: { cause: 'failed' }, request, ...changes });
  const store = await openStore(
    { url: 'sqlite://:memory:', scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, botVersion: '0' },
  );
  onTestFinished(() => store.close());
  /** Simulates a restart, after which only stored data is available. */
  const begin = async () => {
    const book = new TaskBook({ store, log });
    await book.open();
    return noteFinder({
      ...{ media, views: kindViews, log, clock, say: createSay(texts) },
      change: (id, transition) => book.change(id, transition),
    });
  };
  const stored = async (task: Task): Promise<Task> => {
    await store.put(task);
    return task;
  };
  return { host, media, failed, begin, stored };
}

describe('The references of a failed task', () => {
  it('The references of a failed task are fetched once for any number of views, and without sending the key', async () => {
    const { host, failed, stored, begin } = await notesScene();
    const task = await stored(failed());
    const { ofFailure } = await begin();
    const first = await ofFailure(task);
    expect(first[0]).toContain('The reference `dance.mp4` is available');
    expect(await ofFailure(task)).toEqual(first);
    expect(host.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/dance.mp4', undefined],
    ]);
    const other = await stored(failed({ id: '01k3v9x2mabcdefgz' }));
    await (await begin()).ofFailure(other);
    expect(host.requests).toHaveLength(2);
  });

  it('The references of a failed task are not fetched again after a restart, even if the first check was interrupted', async () => {
    const { host, failed, stored, begin } = await notesScene();
    const task = await stored(failed());
    const first = await (await begin()).ofFailure(task);
    expect(await (await begin()).ofFailure(task)).toEqual(first);
    const never = host.on('/never.mp4', () => undefined);
    const reference = { address: never, name: 'never.mp4', medium: 'video', takes: 'address' };
    const request = { prompt: 'waves', model: 'reel-2', references: [reference] };
    const cut = await stored(failed({ id: '01k3v9x2mabcdefgz', request }));
    const checking = (await begin()).ofFailure(cut);
    await expect.poll(() => host.requests.length).toBe(2);
    expect(await (await begin()).ofFailure(cut)).toEqual([]);
    expect(host.requests).toHaveLength(2);
    await host.close();
    await checking;
  });

  it('The references of a failed task are not fetched if there are none or the failure has another cause', async () => {
    const { host, failed, begin } = await notesScene();
    const { ofFailure } = await begin();
    for (const cause of ['forgotten', 'dismissed', 'cancelled', 'expired'] as const)
      expect(await ofFailure(failed({ failure: { cause } }))).toEqual([]);
    expect(await ofFailure(failed({ request: { prompt: 'waves', model: 'reel-2' } }))).toEqual([]);
    expect(host.requests).toEqual([]);
  });

  it('References with an unknown shape are not read', async () => {
    const { failed } = await notesScene();
    const request = { prompt: 'waves', model: 'reel-2', references: 'odd' };
    expect(() => failed({ request })).toThrow('request.references');
  });

  it('A check that is interrupted because the bot stops reports no fault', async () => {
    const { host, media, failed, stored, begin } = await notesScene();
    const task = await stored(failed());
    await media.close();
    expect(await (await begin()).ofFailure(task)).toEqual([]);
    expect(host.requests).toEqual([]);
  });
});
