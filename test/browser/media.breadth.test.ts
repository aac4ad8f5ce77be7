import { describe, expect, it } from 'vitest';
import { guessKind } from '../../src/services/gateway/model-families.ts';
import { openFixture } from '../contract/both.ts';
import { fullStudio } from '../e2e/tasks/fixture.ts';
import { browserPath } from '../support/browser.ts';
import { playMedia } from './play-media.ts';

describe.skipIf(browserPath === undefined)('The media of results in a real Chromium', () => {
  it('The result of a video job plays with the requested size and duration', async () => {
    const fixture = await openFixture({ studio: fullStudio() });
    const models = await fixture.gateway.models.list();
    const model = models.find((one) => guessKind(one) === 'video')?.id ?? '';
    const order = { model, prompt: 'waves at dawn', size: '192x108', duration: 2 };
    const { remoteId } = await fixture.gateway.videos.create(order);
    const [video] = (await fixture.pollUntil(() => fixture.gateway.videos.get(remoteId))).media;
    expect(await playMedia('video', video?.address)).toMatchObject({ width: 192, height: 108, moved: true });
  });

  it('The audio of a music job plays for the duration of its track', async () => {
    const fixture = await openFixture({ studio: fullStudio() });
    const { remoteId } = await fixture.gateway.music.makeSong({ about: 'waves' });
    const [track] = (await fixture.pollUntil(() => fixture.gateway.music.get(remoteId))).tracks;
    const { seconds, moved } = await playMedia('audio', track?.audio);
    expect(moved).toBe(true);
    expect(seconds).toBeCloseTo(track?.seconds ?? 0, 0);
  });
});
