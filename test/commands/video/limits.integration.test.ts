import { describe, expect, it, onTestFinished } from 'vitest';
import { exceededLimits, referenceSeconds } from '../../../src/commands/video/limits.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { say } from '../../../src/locales/index.ts';
import { referenceLimits } from '../../../src/services/gateway/reference-limits.ts';
import { openMedia } from '../../../src/services/media/media.ts';
import type { Reference } from '../../../src/services/tasks/materials.ts';
import { file, openFileHost } from '../../services/media/file-host.ts';
import { mp4Video, webmVideo } from '../../services/media/videos.ts';
import { mediaProcess } from '../../support/media-process.ts';

const reference = (name: string, medium: Reference['medium'] = 'any'): Reference => {
  return { name, medium, address: `https://x.example/${name}`, takes: 'address' };
};
const repeatReference = (count: number, name: string): Reference[] =>
  Array.from({ length: count }, () => reference(name));

async function createFixture() {
  const host = await openFileHost();
  onTestFinished(() => host.close());
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const isStoredResult = async () => true;
  const media = openMedia(
    { gatewayOrigin: host.origin, apiKey: 'sk-sandbox', allowPrivate: true },
    { log, process: mediaProcess, isStoredResult },
  );
  onTestFinished(() => media.close());
  const seconds = (references: readonly Reference[], memberId: string) =>
    referenceSeconds(references, memberId, { media, log });
  const videos = (...urls: string[]): Reference[] =>
    urls.map((url) => ({ ...reference('dance', 'video'), address: url }));
  return { host, seconds, videos };
}

describe('The lengths of reference videos', () => {
  it('The lengths of all reference videos are added up, and the key is not sent to their hosts', async () => {
    const { host, seconds, videos } = await createFixture();
    const [tenSeconds, sixSeconds] = [10, 6].map((length) =>
      host.on(`/${length}.mp4`, file(length === 6 ? webmVideo({ seconds: length }) : mp4Video({ seconds: length }))),
    ) as [string, string];
    expect(await seconds(videos(tenSeconds, sixSeconds), 'member')).toBe(16);
    expect(await seconds([...videos(tenSeconds), reference('fox.png')], 'member')).toBe(10);
    expect(host.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it('Reference videos of unknown length count as zero seconds', async () => {
    const { host, seconds, videos } = await createFixture();
    const live = host.on('/live.webm', file(webmVideo({ isLive: true })));
    const page = host.on('/page.mp4', file(Buffer.from('<!doctype html>')));
    expect(await seconds(videos(live, page, `${host.origin}/none.mp4`), 'member')).toBe(0);
  });
});

describe('The usual limits of a model', () => {
  const limitNotes = (references: Reference[], model = 'reel-2', seconds = 0) =>
    exceededLimits(references, seconds, referenceLimits(model), say);

  it('A request within the limits needs no confirmation', () => {
    expect(
      limitNotes(
        [...repeatReference(7, 'a.png'), ...repeatReference(3, 'a.mp4'), ...repeatReference(3, 'a.mp3')],
        'reel-2',
        15.4,
      ),
    ).toEqual([]);
  });

  it('Each exceeded limit is named with its figures', () => {
    expect(
      limitNotes(
        [...repeatReference(8, 'a.png'), ...repeatReference(4, 'a.mp4'), ...repeatReference(4, 'a.mp3')],
        'reel-2',
        20.04,
      ),
    ).toEqual([
      'at most 7 reference images; you added 8',
      'at most 3 reference videos; you added 4',
      'at most 3 reference audio files; you added 4',
      'at most 15 sec of reference video; yours are 20 sec long in total',
    ]);
  });

  it.each([
    ['sora-2', 1],
    ['veo3.1', 3],
    ['kling-v1-6', 4],
    ['viduq1', 7],
    ['doubao-seedance-2-0', 9],
    ['aurora', 7],
  ])('The model %s usually takes %i reference images', (model, max) => {
    expect(limitNotes(repeatReference(max, 'a.png'), model)).toEqual([]);
    expect(limitNotes(repeatReference(max + 1, 'a.png'), model)).toHaveLength(1);
  });
});
