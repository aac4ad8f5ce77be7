import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { file } from '../../services/media/file-host.ts';
import { mp4Video } from '../../services/media/videos.ts';
import { labels, says } from '../quick.ts';
import { errorsIn } from './fixture.ts';
import { imageUpload } from './image-fixture.ts';
import { fileHost, orderVideo, receivedOrders, silentWav, startLocalBot } from './video-fixture.ts';

describe('The notes of a video task', () => {
  it('The message of a failed video says which references to check, and each reference is fetched once and without the API key', async () => {
    const host = await fileHost();
    const fixture = await startLocalBot({ extraOrigins: [host.origin] });
    const image = file((await imageUpload()).bytes);
    const paths = ['/good.png', '/lost.png', '/page.png', '/dance.mp4', '/song.wav'];
    const [goodUrl, lostUrl, pageUrl] = paths.slice(0, 3).map((path) => host.on(path, image));
    const videoUrl = host.on('/dance.mp4', file(mp4Video({ seconds: 4 })));
    const audioUrl = host.on('/song.wav', file(silentWav()));
    fixture.gateway.faults.add({ do: 'fail' });
    fixture.gateway.jobs.on('change', ({ state }) => {
      if (state !== 'failed') return;
      host.on('/lost.png', (response) => response.writeHead(404).end());
      host.on('/page.png', file(Buffer.from('<!doctype html><title>Log in</title>')));
      host.on('/dance.mp4', (response) => response.writeHead(500).end());
      host.requests.splice(0);
    });
    const exchange = await fixture.discord.as('member').slash('video', {
      prompt: 'waves',
      links: `${goodUrl} ${lostUrl} ${pageUrl}`,
      reference_video: videoUrl,
      reference_audio: audioUrl,
    });
    const failed = await exchange.message(says('The engine could not finish this task.'));
    expect(text(failed).split('\n').slice(-5)).toEqual([
      '-# The reference `good.png` is available and valid.',
      '-# The URL of the reference `lost.png` returns HTTP 404. Check the URL.',
      '-# The reference `page.png` is not an image, video or audio file. Choose another file.',
      '-# The URL of the reference `dance.mp4` returns HTTP 500. Check the URL.',
      '-# The reference `song.wav` is available and valid.',
    ]);
    expect(host.requests.map((one) => one.path).sort()).toEqual([...paths].sort());
    expect(host.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    expect(labels(failed)).toEqual(['Retry', 'Edit and retry', 'Delete']);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('The message of a failed video says that a Discord URL has expired in the meantime', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startLocalBot({ discord: { limits: { attachmentLinkMs: 1_000_000 } } });
    fixture.gateway.faults.add({ do: 'stick' });
    const exchange = await fixture.discord.as('member').slash('video', { prompt: 'waves', image: await imageUpload() });
    await exchange.message(says('Running. '));
    fixture.gateway.jobs.fail(fixture.gateway.jobs.list()[0]?.id ?? '', 'The reference was not there.');
    fixture.clock.advance(1_100_000);
    const failed = () => fixture.discord.messages('studio').map(text).join('\n');
    await expect.poll(failed).toContain('The URL of the reference `fox.png` has expired. Upload the file again.');
  });

  it('The message of a video names the parameters that had no effect, and suggests other options for them', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startLocalBot();
    const message = await orderVideo(fixture, { size: '640x360', duration: '6' });
    expect(text(message)).toContain('-# You asked for 640x360, but the video is 160x96: the model ignored `size`.');
    expect(text(message)).toContain(
      '-# You asked for 6 sec, but the video is 1 sec long: the model ignored `duration`.',
    );
    expect(text(message)).toContain('try again with `{"duration":6}` in the option `extra`');
    const second = await orderVideo(fixture, { extra: '{"duration":6}' });
    expect(receivedOrders(fixture.gateway).at(-1)?.body).toMatchObject({ metadata: { duration: 6 } });
    expect(text(second)).toContain('try again with the option `duration`');
    const vendorVideo = await orderVideo(fixture, {
      image: await imageUpload(),
      duration: '6',
      endpoint: 'image-to-video',
    });
    expect(text(vendorVideo)).toContain('Try again with the generic endpoint');
  });

  it('The message of a video says that the face check was not sent if the name of its field is unknown', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startLocalBot();
    const message = await orderVideo(fixture, { face_check: false });
    expect(receivedOrders(fixture.gateway)).toMatchObject([{ body: { prompt: 'waves at dawn' } }]);
    expect(Object.keys(receivedOrders(fixture.gateway)[0]?.body ?? {})).toEqual(['model', 'prompt']);
    expect(text(message)).toContain('-# Not sent: `face_check`.');
  });
});

describe('The notes of a failed image task', { tags: ['breadth'] }, () => {
  it('The message of a failed image says which references to check', async () => {
    const fixture = await startLocalBot({ settings: { DEFAULT_IMAGE_MODEL: 'lumen-image-1' } });
    fixture.gateway.faults.add({ do: 'fail' });
    const exchange = await fixture.discord.as('member').slash('image', { prompt: 'a fox', image: await imageUpload() });
    const failed = await exchange.message(says('The engine could not finish this task.'));
    expect(text(failed)).toContain('The reference `fox.png` is available and valid.');
    expect(text(failed)).toContain('-# The model may not support these references, or this many of them.');
  });
});
