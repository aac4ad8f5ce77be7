import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { fullStudio } from '../e2e/tasks/fixture.ts';
import { orderVideo, startLocalBot } from '../e2e/tasks/video-fixture.ts';
import { browserPath } from '../support/browser.ts';
import { playMedia } from './play-media.ts';

describe.skipIf(browserPath === undefined)('A delivered video in a real Chromium', () => {
  it('A delivered video plays with the requested size and duration', async () => {
    const fixture = await startLocalBot({ gateway: { studio: fullStudio() } });
    const message = await orderVideo(fixture, { size: '320x180', duration: '2' });
    expect(text(message)).not.toContain('the model ignored');
    const [attachment] = message.attachments;
    expect(attachment?.content_type).toBe('video/mp4');
    const { seconds, ...playback } = await playMedia('video', attachment?.url);
    expect(playback).toEqual({ width: 320, height: 180, moved: true });
    expect(seconds).toBeCloseTo(2, 1);
  });
});
