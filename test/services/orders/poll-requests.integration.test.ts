import { expect, it } from 'vitest';
import { order as imagine } from './builders.ts';
import { type Engine, startEngine } from './engine.ts';

const pollCount = ({ gateway }: Engine): number => gateway.requests.filter(({ method }) => method === 'GET').length;

it('Every request of a poll counts towards the limit, also while the path for polling is not known yet', async () => {
  const perSecond = 2;
  const seconds = 20;
  const fixture = await startEngine({}, undefined, {
    perSecond,
    gather: async () => ({ references: [{ medium: 'image', uri: 'https://files.example/fox.png' }] }),
  });
  fixture.gateway.faults.add({ on: { method: 'GET' }, do: { type: 'status', status: 404 }, times: 1_000 });
  for (let index = 0; index < 6; index += 1) {
    const request = { prompt: `a fox ${index}`, model: 'reel-2' };
    await fixture.tasks.orders.submit({ ...imagine, kind: 'image-to-video', request });
  }
  const startedAt = fixture.clock.now();
  const countBefore = pollCount(fixture);
  await fixture.until(() => (fixture.clock.now() >= startedAt + seconds * 1_000 ? true : undefined));
  // One request may be on its way at the beginning.
  expect(pollCount(fixture) - countBefore).toBeLessThanOrEqual(perSecond * seconds + 1);
  expect(pollCount(fixture) - countBefore).toBeGreaterThan(0.8 * perSecond * seconds);
});

it('Songs end although one of them cannot be polled alone', async () => {
  const fixture = await startEngine();
  const submitSong = (prompt: string) => fixture.tasks.orders.submit({ ...imagine, kind: 'song', request: { prompt } });
  const songs = [await submitSong('a fox'), await submitSong('a hare'), await submitSong('an owl')];
  const [song] = songs;
  if (song?.remoteId === undefined) return expect.unreachable();
  fixture.gateway.faults.add({ on: { path: `/music/fetch/${song.remoteId}` }, do: 'unavailable', times: 1_000 });
  fixture.tasks.recordView(song);
  const isReady = ({ id }: { id: string }) => fixture.changes.some((task) => task.id === id && task.state === 'ready');
  await fixture.until(() => (songs.every(isReady) ? true : undefined));
  expect(
    fixture.gateway.requests.some(({ path, status }) => path.endsWith(song.remoteId ?? '') && status === 503),
  ).toBe(true);
  expect(fixture.logged()).not.toContain('Polling of a lane is paused');
});
