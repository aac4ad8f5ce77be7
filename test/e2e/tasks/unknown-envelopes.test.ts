import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { describeProfiles } from '../profiles.ts';
import { labels, says, startFastClockBot } from '../quick.ts';
import { errorsIn, orderGrid, shortSongs } from './fixture.ts';
import { orderVideo, startLocalBot } from './video-fixture.ts';

const quirks = { unknownEnvelopes: true };

describeProfiles('A gateway with undocumented response envelopes', (profile) => {
  it('Despite undocumented response envelopes, /imagine delivers its grid with the buttons that the gateway offers', async () => {
    const fixture = await startFastClockBot({ gateway: { profile, quirks } });
    const message = await orderGrid(fixture);
    expect(message.attachments).toMatchObject([{ content_type: 'image/png' }]);
    expect(labels(message)).toEqual(expect.arrayContaining(['U1', 'V4']));
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('Despite undocumented response envelopes, /video delivers its video', { tags: ['breadth'] }, async () => {
    const fixture = await startLocalBot({ gateway: { profile, quirks } });
    const message = await orderVideo(fixture);
    expect(message.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('Despite undocumented response envelopes, /music make delivers both tracks with their covers', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 60, studio: shortSongs(), quirks } });
    const exchange = await fixture.discord.as('member').slash('music make', { about: 'a lighthouse', title: 'Light' });
    const message = await exchange.message(says('Finished in'));
    expect(text(message)).toContain('**Light**');
    expect(message.attachments.map(({ filename }) => filename)).toEqual([
      'light-1.wav',
      'light-2.wav',
      'light-cover1.png',
      'light-cover2.png',
    ]);
    expect(errorsIn(fixture)).toEqual([]);
  });
});
