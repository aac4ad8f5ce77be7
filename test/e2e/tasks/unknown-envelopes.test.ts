import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { profiles } from '../../contract/both.ts';
import { labels, quickBot, says } from '../quick.ts';
import { errorsIn, orderGrid, shortSongs } from './proof.ts';
import { localBot, orderVideo } from './video-scene.ts';

const quirks = { unknownEnvelopes: true };

describe.each(profiles)('With undocumented envelopes from a gateway with the %s profile', (profile) => {
  it('/imagine delivers its grid with the buttons that the gateway offers', async () => {
    const stage = await quickBot({ gateway: { profile, quirks } });
    const message = await orderGrid(stage);
    expect(message.attachments).toMatchObject([{ content_type: 'image/png' }]);
    expect(labels(message)).toEqual(expect.arrayContaining(['U1', 'V4']));
    expect(errorsIn(stage)).toEqual([]);
  });

  it('/video delivers its video', async () => {
    const stage = await localBot({ gateway: { profile, quirks } });
    const message = await orderVideo(stage);
    expect(message.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
    expect(errorsIn(stage)).toEqual([]);
  });

  it('/music make delivers both tracks with their covers', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 60, studio: shortSongs(), quirks } });
    const exchange = await stage.discord.as('member').slash('music make', { about: 'a lighthouse', title: 'Light' });
    const message = await exchange.message(says('Finished in'));
    expect(text(message)).toContain('**Light**');
    expect(message.attachments.map(({ filename }) => filename)).toEqual([
      expect.stringMatching(/^song-\w+-1\.wav$/),
      expect.stringMatching(/^song-\w+-2\.wav$/),
      expect.stringMatching(/^cover1-\w+\.png$/),
      expect.stringMatching(/^cover2-\w+\.png$/),
    ]);
    expect(errorsIn(stage)).toEqual([]);
  });
});
