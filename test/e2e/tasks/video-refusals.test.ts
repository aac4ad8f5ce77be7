import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { imageUpload } from './image-fixture.ts';
import { fileHost, receivedOrders, startLocalBot } from './video-fixture.ts';

const imageUrl = 'https://x.example/1.png';
const videoUrl = 'https://x.example/1.mp4';

describe('The refusals of /video before a request', () => {
  it('/video immediately refuses options that the payload of the interaction shows to be invalid', async () => {
    const fixture = await startLocalBot();
    const image = await imageUpload();
    const sevenImages = Object.fromEntries(['', 2, 3, 4, 5, 6, 7].map((number) => [`image${number}`, image]));
    for (const [options, words] of [
      [{ prompt: ' \u200b' }, 'The prompt is empty'],
      [{ ...sevenImages, links: `${imageUrl} `.repeat(14) }, 'at most `20` files and URLs'],
      [{ image, image2: image, image3: image, endpoint: 'videos' }, 'a last frame, and you added `3` images'],
      [{ image, image2: image, links: imageUrl, endpoint: 'image-to-video' }, 'a last frame, and you added `3` images'],
      [{ endpoint: 'image-to-video' }, 'This endpoint needs an image. Add one'],
      [{ image, size: '16:9', endpoint: 'image-to-video' }, 'This endpoint does not support the option `size`.'],
      [{ size: 'huge' }, '`huge` is not a valid size. Use a format such as `1280x720`, `16:9` or `720p`.'],
      [{ duration: 'long' }, '`long` is not a valid duration.'],
      [{ extra: '{"fps":' }, 'The option `extra` contains invalid JSON'],
      [{ extra: '[24]' }, 'must be a JSON object'],
      [{ extra: '{"!duration":5}' }, '`!duration` cannot be set in `extra`. Use the option `duration`'],
      [{ extra: '{"__proto__":{"model":"x"}}' }, '`__proto__` is not a valid field name'],
      [{ camera: '{"type"' }, 'The option `camera` contains invalid JSON.'],
      [{ reference_video: `${videoUrl} `.repeat(21) }, '`reference_video` accepts at most `20` URLs'],
      [{ reference_audio: 'song' }, '`song` in `reference_audio` is not a valid URL'],
      [
        { image: { name: 'a.txt', bytes: Buffer.from('hello') } },
        '`a.txt` is not an image, a video or an audio file (its type is',
      ],
      [{ image: { name: 'a.png', bytes: Buffer.alloc(0) } }, '`a.png` is empty'],
    ] as const) {
      const exchange = await fixture.discord.as('member').slash('video', { prompt: 'waves', ...options });
      expect(await exchange.acknowledged()).toMatchObject({ type: 4, ephemeral: true });
      expect(text(await exchange.message())).toContain(words);
    }
    const forbidden = await fixture.discord.as('member').in('read-only').slash('video', { prompt: 'waves' });
    expect(text(await forbidden.message())).toContain('these permissions: `Send Messages`');
    expect(receivedOrders(fixture.gateway)).toEqual([]);
  });

  it('/video refuses files whose content is invalid', { tags: ['breadth'] }, async () => {
    const host = await fileHost();
    const settings = { GATEWAY_FACE_CHECK_FIELD: 'face_ok', GATEWAY_REFERENCE_VIDEO_FIELD: 'reference_video_urls' };
    const fixture = await startLocalBot({ settings, extraOrigins: [host.origin] });
    const page = host.on('/page.mp4', (response) => response.end('<!doctype html>'));
    for (const [options, words] of [
      [{ model: 'reel-9' }, 'The model `reel-9` does not exist'],
      [
        { image: { name: 'setup.png', bytes: Buffer.from('MZ\x90\0\x03\0\0\0') } },
        '`setup.png` is not a valid image, video or audio',
      ],
      [{ reference_video: page }, '`page.mp4` is not a valid video'],
      [{ reference_video: `${host.origin}/none.mp4` }, '`none.mp4` is no longer available'],
      [{ extra: '{"!face_ok":true}' }, 'Use the option `face_check`'],
      [{ extra: '{"!reference_video_urls":[]}' }, 'Use the option `reference_video`'],
    ] as const) {
      const exchange = await fixture.discord.as('member').slash('video', { prompt: 'waves', ...options });
      expect(text(await exchange.message())).toContain(words);
    }
    expect(receivedOrders(fixture.gateway)).toEqual([]);
  });

  it('/video refuses a URL that the gateway cannot reach', { tags: ['breadth'] }, async () => {
    const fixture = await startLocalBot({ settings: { MEDIA_ALLOW_PRIVATE: 'off' } });
    const links = 'http://10.0.0.1/a.png';
    for (const [options, words] of [
      [{ links }, '`a.png` is not on the public internet'],
      [{ links, endpoint: 'image-to-video' }, '`a.png` is not on the public internet'],
      [{ reference_video: 'http://localhost:1/v.mp4' }, '`v.mp4` is not on the public internet'],
      [{ reference_audio: 'http://[::1]:1/s.mp3' }, '`s.mp3` is not on the public internet'],
    ] as const) {
      const exchange = await fixture.discord.as('member').slash('video', { prompt: 'waves', ...options });
      expect(text(await exchange.message())).toContain(words);
    }
    expect(receivedOrders(fixture.gateway)).toEqual([]);
  });
});

describe('The suggestions of /video', () => {
  it('/video suggests models for videos first, then all others', async () => {
    const fixture = await startLocalBot();
    const member = fixture.discord.as('member');
    // Waits for the list of models, because the one-second limit on suggestions passes almost at once on the fast clock.
    await (await member.slash('models', {})).message();
    const choices = await member.complete('video', { prompt: 'x', model: 'REEL' }, 'model');
    expect(choices.map(({ value }) => value)).toEqual(['reel-2', 'reel-2-pro']);
    const mixed = await member.complete('video', { prompt: 'x', model: 'e' }, 'model');
    expect(mixed.map(({ value }) => value).slice(0, 2)).toEqual(['reel-2', 'reel-2-pro']);
    expect(mixed.length).toBeGreaterThan(2);
  });
});
