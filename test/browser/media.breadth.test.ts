import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { guessKind } from '../../src/services/gateway/model-families.ts';
import { openFixture } from '../contract/both.ts';
import { fullStudio } from '../e2e/tasks/fixture.ts';
import { orderVideo, startLocalBot } from '../e2e/tasks/video-fixture.ts';
import { browserPath, openBrowser } from '../support/browser.ts';
import { playMedia } from './play-media.ts';

describe.skipIf(browserPath === undefined)('The media of results in a real Chromium', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('The result of a video job plays with the requested size and duration', async () => {
    const fixture = await openFixture({ studio: fullStudio() });
    const models = await fixture.gateway.models.list();
    const model = models.find((one) => guessKind(one) === 'video')?.id ?? '';
    const order = { model, prompt: 'waves at dawn', size: '192x108', duration: 2 };
    const { remoteId } = await fixture.gateway.videos.create(order);
    const [video] = (await fixture.pollUntil(() => fixture.gateway.videos.get(remoteId))).media;
    const playback = await playMedia(browser.context, 'video', video?.address);
    expect(playback).toMatchObject({ width: 192, height: 108, moved: true });
  });

  it('The audio of a music job plays for the duration of its track', async () => {
    const fixture = await openFixture({ studio: fullStudio() });
    const { remoteId } = await fixture.gateway.music.makeSong({ about: 'waves' });
    const [track] = (await fixture.pollUntil(() => fixture.gateway.music.get(remoteId))).tracks;
    const { seconds, moved } = await playMedia(browser.context, 'audio', track?.audio);
    expect(moved).toBe(true);
    expect(seconds).toBeCloseTo(track?.seconds ?? 0, 0);
  });

  it('A delivered video plays with the requested size and duration', async () => {
    const fixture = await startLocalBot({ gateway: { studio: fullStudio() } });
    const message = await orderVideo(fixture, { size: '320x180', duration: '2' });
    expect(text(message)).not.toContain('the model ignored');
    const [attachment] = message.attachments;
    expect(attachment?.content_type).toBe('video/mp4');
    const { seconds, ...playback } = await playMedia(browser.context, 'video', attachment?.url);
    expect(playback).toEqual({ width: 320, height: 180, moved: true });
    expect(seconds).toBeCloseTo(2, 1);
  });
});
