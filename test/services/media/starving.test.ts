import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Media } from '../../../src/services/media/index.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { file, type RequestHandler } from './file-host.ts';
import { failureOf, openScene, type Scene } from './scene.ts';

const HUNDRED_MB = 100 * 1024 * 1024;

describe('Links that announce a large file but send nothing', () => {
  let scene: Scene;
  let clock: ManualClock;
  let media: Media;
  let openResponses: ServerResponse[];
  /** The delays of all timers that were set. */
  let timerDelays: number[];

  beforeEach(async () => {
    scene = await openScene();
    clock = new ManualClock();
    timerDelays = [];
    const after = (ms: number, task: () => void) => {
      timerDelays.push(ms);
      return clock.after(ms, task);
    };
    media = scene.open(true, { clock: { now: () => clock.now(), after } });
    openResponses = [];
  });
  afterEach(() => scene.close());

  const stall: RequestHandler = (response) => {
    response.writeHead(200, { 'content-length': HUNDRED_MB });
    response.flushHeaders();
    openResponses.push(response);
  };
  const link = (name: string): string => scene.gateway.on(`/${name}`, stall);
  const failedFetch = (name: string, givenBy: string) => failureOf(media.fetch({ address: link(name) }, { givenBy }));

  it('Links that announce a large file but send nothing delay no result, however many members they come from', async () => {
    const stalled = ['a', 'b', 'c', 'd'].flatMap((name) => [
      failedFetch(`${name}1`, name),
      failedFetch(`${name}2`, name),
    ]);
    await expect.poll(() => openResponses.length).toBe(8);
    const url = scene.gateway.on('/result', file(scene.png));
    expect((await media.fetch({ address: url })).size).toBe(scene.png.length);
    await media.close();
    await Promise.all(stalled);
  });

  it('Links that announce a large file but send nothing delay no result from the hosts of results', async () => {
    const stalled = [1, 2, 3].map((at) => failureOf(media.fetch({ address: link(`r${at}`) })));
    await expect.poll(() => openResponses.length).toBe(3);
    const url = scene.gateway.on('/result', file(scene.png));
    expect((await media.fetch({ address: url })).size).toBe(scene.png.length);
    await media.close();
    await Promise.all(stalled);
  });

  it('Links that announce a large file but send nothing are abandoned below the minimum speed, long before the time limit', async () => {
    const stalled = failedFetch('a', 'member');
    await expect.poll(() => openResponses.length).toBe(1);
    openResponses[0]?.write(Buffer.alloc(1_000));
    await expect.poll(() => timerDelays).toContain(10_000);
    clock.advance(10_000);
    expect(await stalled).toMatchObject({ kind: 'timeout', code: 'too-slow' });
  });

  it('Links that announce a large file but send nothing are fetched two at a time per member, and the next one starts when one has ended', async () => {
    const stalled = [1, 2, 3].map((at) => failedFetch(`a${at}`, 'one'));
    await expect.poll(() => openResponses.length).toBe(2);
    const url = scene.gateway.on('/own', file(scene.png));
    expect((await media.fetch({ address: url }, { givenBy: 'another' })).size).toBe(scene.png.length);
    expect(scene.gateway.requests.map(({ path }) => path)).toEqual(['/a1', '/a2', '/own']);
    openResponses[0]?.destroy();
    await expect.poll(() => openResponses.length).toBe(3);
    await media.close();
    await Promise.all(stalled);
  });

  it('Links that announce a large file but send nothing free their slot when they are aborted', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const stalled = [1, 2, 3].map((at) =>
      failureOf(media.fetch({ address: link(`a${at}`) }, { givenBy: 'one', signal })),
    );
    await expect.poll(() => openResponses.length).toBe(2);
    controller.abort();
    for (const failure of stalled) expect(await failure).toMatchObject({ code: 'aborted' });
    const url = scene.gateway.on('/own', file(scene.png));
    expect((await media.fetch({ address: url }, { givenBy: 'one' })).size).toBe(scene.png.length);
  });
});
