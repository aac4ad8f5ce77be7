import { describe, expect, it, onTestFinished } from 'vitest';
import { refuseLongReferences } from '../../../src/commands/video/reference-lengths.ts';
import { openLog } from '../../../src/lib/log.ts';
import { openMedia } from '../../../src/services/media/index.ts';
import { file, openFileHost } from '../../services/media/file-host.ts';
import { mp4Video, webmVideo } from '../../services/media/videos.ts';

const waves = { prompt: 'waves', model: 'reel-2' };
const dance = { name: 'dance', medium: 'video', takes: 'address' } as const;

async function scene() {
  const host = await openFileHost();
  onTestFinished(() => host.close());
  const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
  const media = openMedia({ gatewayOrigin: host.origin, apiKey: 'sk-sandbox', allowPrivate: true }, { log });
  onTestFinished(() => media.close());
  const refuseTooLong = refuseLongReferences({ media, log });
  const request = (...addresses: string[]) => ({
    ...waves,
    references: addresses.map((address) => ({ ...dance, address })),
  });
  return { host, refuseTooLong, request };
}

describe('The lengths of reference videos', () => {
  it('Reference videos may last at most 15 seconds in total', async () => {
    const { host, refuseTooLong, request } = await scene();
    const [ten, five, six] = [10, 5, 6].map((seconds) =>
      host.on(`/${seconds}.mp4`, file(seconds === 6 ? webmVideo({ seconds }) : mp4Video({ seconds }))),
    ) as [string, string, string];
    await refuseTooLong(request(ten, five), 'member');
    await expect(refuseTooLong(request(ten, six), 'member')).rejects.toMatchObject({
      key: 'refusals.referencesTooLong',
      variables: { seconds: '16', max: '15' },
    });
    expect(host.heard.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it('Reference videos of unknown length are accepted', async () => {
    const { host, refuseTooLong, request } = await scene();
    const live = host.on('/live.webm', file(webmVideo({ isLive: true })));
    const page = host.on('/page.mp4', file(Buffer.from('<!doctype html>')));
    await refuseTooLong(request(live, page, `${host.origin}/none.mp4`), 'member');
    await refuseTooLong(waves, 'member');
  });
});
