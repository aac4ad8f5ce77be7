import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Media } from '../../../src/services/media/media.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { file, type RequestHandler } from './file-host.ts';
import { failureOf, type MediaFixture, openFixture } from './fixture.ts';

const HUNDRED_MB = 100 * 1024 * 1024;

describe('Links that announce a large file but send nothing', () => {
  let fixture: MediaFixture;
  let clock: ManualClock;
  let media: Media;
  let openResponses: ServerResponse[];
  /** The delays of all timers that were set. */
  let timerDelays: number[];

  beforeEach(async () => {
    fixture = await openFixture();
    clock = new ManualClock();
    timerDelays = [];
    const recordTimer = (ms: number, task: () => void) => {
      timerDelays.push(ms);
      return clock.after(ms, task);
    };
    const isStoredResult = async () => true;
    media = fixture.open(true, { clock: { now: () => clock.now(), after: recordTimer }, isStoredResult });
    openResponses = [];
  });
  afterEach(() => fixture.close());

  const stall: RequestHandler = (response) => {
    response.writeHead(200, { 'content-length': HUNDRED_MB });
    response.flushHeaders();
    openResponses.push(response);
  };
  const link = (name: string): string => fixture.gateway.on(`/${name}`, stall);
  const failedFetch = (name: string, givenBy: string) => failureOf(media.fetch({ address: link(name) }, { givenBy }));

  it('Links that announce a large file but send nothing delay no result, however many members they come from', async () => {
    const stalled = ['a', 'b', 'c', 'd'].flatMap((name) => [
      failedFetch(`${name}1`, name),
      failedFetch(`${name}2`, name),
    ]);
    await expect.poll(() => openResponses.length).toBe(8);
    const url = fixture.gateway.on('/result', file(fixture.png));
    expect((await media.fetch({ address: url })).size).toBe(fixture.png.length);
    await media.close();
    await Promise.all(stalled);
  });

  it('Links that announce a large file but send nothing delay no result from the hosts of results', async () => {
    const stalled = [1, 2, 3].map((index) => failureOf(media.fetch({ address: link(`r${index}`) })));
    await expect.poll(() => openResponses.length).toBe(3);
    const url = fixture.gateway.on('/result', file(fixture.png));
    expect((await media.fetch({ address: url })).size).toBe(fixture.png.length);
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
    const stalled = [1, 2, 3].map((index) => failedFetch(`a${index}`, 'one'));
    await expect.poll(() => openResponses.length).toBe(2);
    const url = fixture.gateway.on('/own', file(fixture.png));
    expect((await media.fetch({ address: url }, { givenBy: 'another' })).size).toBe(fixture.png.length);
    expect(fixture.gateway.requests.map(({ path }) => path)).toEqual(['/a1', '/a2', '/own']);
    openResponses[0]?.destroy();
    await expect.poll(() => openResponses.length).toBe(3);
    await media.close();
    await Promise.all(stalled);
  });

  it('Links that announce a large file but send nothing free their slot when they are aborted', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const stalled = [1, 2, 3].map((index) =>
      failureOf(media.fetch({ address: link(`a${index}`) }, { givenBy: 'one', signal })),
    );
    await expect.poll(() => openResponses.length).toBe(2);
    controller.abort();
    for (const failure of stalled) expect(await failure).toMatchObject({ code: 'aborted' });
    const url = fixture.gateway.on('/own', file(fixture.png));
    expect((await media.fetch({ address: url }, { givenBy: 'one' })).size).toBe(fixture.png.length);
  });
});
