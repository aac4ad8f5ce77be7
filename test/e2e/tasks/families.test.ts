import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { noLimits } from '../../support/no-limits.ts';
import { itVariants } from '../../support/variants.ts';
import { type FastClockFixture, labels, says, startFastClockBot, submitCount } from '../quick.ts';
import {
  buttonIdOf,
  errorsIn,
  finishedTask,
  jobs,
  orderGrid,
  orders,
  pressAndWait,
  respondToPollsWith,
  shortVideos,
} from './fixture.ts';

/** The buttons of a single image that submit without a form, with the title of their result. */
const formlessButtons = [
  ['Upscale (Subtle)', 'Subtle upscale'],
  ['Upscale (Creative)', 'Creative upscale'],
  ['Vary (Subtle)', 'Subtle variation'],
  ['Vary (Strong)', 'Strong variation'],
  ['Zoom Out 2x', 'Zoom out 2x'],
  ['Zoom Out 1.5x', 'Zoom out 1.5x'],
  ['Make Square', 'Make square'],
  ['⬅️', 'Pan left'],
  ['➡️', 'Pan right'],
  ['⬆️', 'Pan up'],
  ['⬇️', 'Pan down'],
] as const;

const singleImage = async (fixture: FastClockFixture, options?: Parameters<typeof orderGrid>[1]): Promise<Message> =>
  pressAndWait(fixture, await orderGrid(fixture, options), 'U1');

/** Options for a gateway that accepts the buttons for videos. */
const videoGatewayOptions = () => ({ speed: 20, quirks: { refusedActions: false }, studio: shortVideos() });

describe('The buttons of a single image', () => {
  it('Each button without a form submits its own id and produces its result', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const parent = await singleImage(fixture, { aspect: '3:2' });
    const [, upscaleJob] = jobs(fixture.gateway);
    for (const [button, title] of formlessButtons) {
      const child = await pressAndWait(fixture, parent, button);
      expect(upscaleJob && orders(fixture.gateway).at(-1), button).toEqual({
        path: '/imgx/submit/action',
        body: { taskId: upscaleJob?.id, customId: upscaleJob && buttonIdOf(upscaleJob, button) },
      });
      expect(jobs(fixture.gateway).at(-1)?.details.parent, button).toBe(upscaleJob?.id);
      expect(text(child)).toContain(`${title} · [source](https://discord.com/channels/`);
      expect(text(child)).toContain(`/${parent.id})`);
      expect(child.attachments, button).toMatchObject([
        { content_type: 'image/png', description: expect.stringContaining('AI-generated: a fox in the snow') },
      ]);
    }
    expect(submitCount(fixture.gateway)).toBe(2 + formlessButtons.length);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('The buttons for videos produce attached videos, which can be extended with a prompt', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({
      gateway: videoGatewayOptions(),
      settings: noLimits,
    });
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const image = await singleImage(fixture);
    const [, upscaleJob] = jobs(gateway);
    for (const motion of ['High', 'Low']) {
      const video = await pressAndWait(fixture, image, `Animate (${motion} motion)`);
      const videoJob = jobs(gateway).at(-1);
      expect(orders(gateway).at(-1)).toEqual({
        path: '/imgx/submit/action',
        body: {
          taskId: upscaleJob?.id,
          customId: upscaleJob && buttonIdOf(upscaleJob, `Animate (${motion} motion)`),
        },
      });
      expect(text(video)).toContain(`Animation (${motion.toLowerCase()} motion) · [source]`);
      expect(video.attachments).toMatchObject([
        {
          filename: expect.stringMatching(/\.mp4$/),
          content_type: 'video/mp4',
          description: expect.stringContaining('AI-generated: a fox in the snow'),
        },
      ]);
      expect(labels(video)).toEqual(['U1', 'Extend (High motion)', 'Extend (Low motion)', 'Delete']);
      const submitCountBefore = submitCount(gateway);
      const button = `Extend (${motion} motion)`;
      const form = await (await member.click(video, button)).modal();
      expect(form.title).toBe(button);
      expect(submitCount(gateway)).toBe(submitCountBefore);
      const words = `the fox runs away in ${motion.toLowerCase()} motion`;
      const extendedVideo = await (await member.fill(form, { words })).message(says('Finished in'));
      expect(orders(gateway).slice(submitCountBefore)).toEqual([
        {
          path: '/imgx/submit/action',
          body: { taskId: videoJob?.id, customId: videoJob && buttonIdOf(videoJob, button) },
        },
        { path: '/imgx/submit/modal', body: { taskId: jobs(gateway).at(-1)?.id, prompt: words } },
      ]);
      expect(text(extendedVideo)).toContain(`Extended video (${motion.toLowerCase()} motion) · [source]`);
      expect(text(extendedVideo)).toContain(words);
      expect(extendedVideo.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
    }
  });

  it('A member can select one of several videos', async () => {
    const fixture = await startFastClockBot({ gateway: videoGatewayOptions() });
    const video = await pressAndWait(fixture, await singleImage(fixture), 'Animate (Low motion)');
    const selectedVideo = await pressAndWait(fixture, video, 'U1');
    const [, , videoJob] = jobs(fixture.gateway);
    expect(orders(fixture.gateway).at(-1)?.body).toEqual({
      taskId: videoJob?.id,
      customId: videoJob && buttonIdOf(videoJob, 'U1'),
    });
    expect(text(selectedVideo)).toContain('Single video · [source]');
    expect(selectedVideo.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
  });

  it('The reroll of an upscale uses the button id of that upscale', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const parent = await orderGrid(fixture);
    const customId = 'MJ::JOB::reroll::0::5c1d2a4e-upscaled::SOLO';
    const [first] = jobs(fixture.gateway);
    respondToPollsWith(
      fixture.gateway,
      finishedTask({
        action: 'UPSCALE',
        imageUrl: `${fixture.gateway.url}/files/${first?.id}/1.png`,
        buttons: [{ customId, emoji: '🔄', label: '', type: 2, style: 2 }],
      }),
    );
    const upscaled = await pressAndWait(fixture, parent, 'U1');
    fixture.gateway.faults.clear();
    const [, upscaleJob] = jobs(fixture.gateway);
    // The embedded gateway has no such button, so this response returns the job of the grid instead.
    fixture.gateway.faults.add({
      on: { path: '/imgx/submit/action' },
      do: { type: 'body', body: { code: 1, description: 'Submit success', result: first?.id ?? '' } },
    });
    const rerolled = await pressAndWait(fixture, upscaled, '🔄');
    expect(orders(fixture.gateway).at(-1)?.body).toEqual({ taskId: upscaleJob?.id, customId });
    expect(text(rerolled)).toContain('Reroll · [source]');
  });

  it('Five button presses in a row produce five results, each made from the previous one', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    let message = await orderGrid(fixture);
    for (const button of ['V2', 'U3', 'Zoom Out 2x', 'U1', 'Vary (Strong)']) {
      const child = await pressAndWait(fixture, message, button);
      expect(text(child)).toContain(`/${message.id})`);
      message = child;
    }
    const allJobs = jobs(fixture.gateway);
    expect(allJobs.map(({ details }) => details.parent)).toEqual([
      undefined,
      ...allJobs.slice(0, 5).map(({ id }) => id),
    ]);
    expect(new Set(fixture.discord.messages('studio').map(({ id }) => id)).size).toBe(6);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('In remix mode, variations and pans ask for a prompt and send it', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20, quirks: { remix: true } },
      settings: { ...noLimits, GATEWAY_REMIX: 'on' },
    });
    const member = fixture.discord.as('member');
    const parent = await singleImage(fixture);
    for (const [button, title] of [
      ['Vary (Subtle)', 'Subtle variation'],
      ['⬅️', 'Pan left'],
    ] as const) {
      const words = `a blue fox for ${title}`;
      const submitCountBefore = submitCount(fixture.gateway);
      const form = await (await member.click(parent, button)).modal();
      const child = await (await member.fill(form, { words })).message(says('Finished in'));
      expect(text(child)).toContain(`${title} · [source]`);
      expect(text(child)).toContain(words);
      expect(orders(fixture.gateway).slice(submitCountBefore)).toMatchObject([
        { path: '/imgx/submit/action' },
        { path: '/imgx/submit/modal', body: { prompt: words } },
      ]);
      expect(jobs(fixture.gateway).at(-1)?.prompt).toBe(words);
    }
  });

  it('If a button asked for a prompt that the gateway did not require, the result shows the gateway’s prompt', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: { GATEWAY_REMIX: 'on' } });
    const member = fixture.discord.as('member');
    const form = await (await member.click(await orderGrid(fixture), 'V1')).modal();
    const child = await (await member.fill(form, { words: 'a blue fox' })).message(says('Finished in'));
    expect(orders(fixture.gateway).map(({ path }) => path)).toEqual(['/imgx/submit/imagine', '/imgx/submit/action']);
    expect(text(child)).toContain(jobs(fixture.gateway).at(-1)?.prompt);
  });

  it('A region button without a label still opens its form', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const parent = await orderGrid(fixture);
    const [first] = jobs(fixture.gateway);
    const customId = 'MJ::Inpaint::1::5c1d2a4e-region::SOLO';
    respondToPollsWith(
      fixture.gateway,
      finishedTask({
        action: 'UPSCALE',
        imageUrl: `${fixture.gateway.url}/files/${first?.id}/1.png`,
        buttons: [{ customId, emoji: '🖌️', label: '', type: 2, style: 2 }],
      }),
    );
    const upscaled = await pressAndWait(fixture, parent, 'U1');
    const form = await (await fixture.discord.as('member').click(upscaled, '🖌️')).modal();
    expect(form.title).not.toBe('');
  });

  it('A message shows as many of the gateway’s buttons as it can hold', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const first = await orderGrid(fixture);
    const [job] = jobs(fixture.gateway);
    const buttons = Array.from({ length: 25 }, (_, index) => ({
      customId: `MJ::JOB::pan_left::${index}::5c1d2a4e::SOLO`,
      type: 2,
      style: 2,
      ...(index % 2 === 0 ? { emoji: '⬅️', label: '' } : { emoji: '', label: `Pan ${index}` }),
    }));
    respondToPollsWith(
      fixture.gateway,
      finishedTask({ imageUrl: `${fixture.gateway.url}/files/${job?.id}/1.png`, buttons }),
    );
    const fullMessage = await pressAndWait(fixture, first, 'V1');
    expect(fullMessage.attachments).toHaveLength(1);
    expect(errorsIn(fixture)).toEqual([]);
    const ids = JSON.stringify(fullMessage.components);
    for (let position = 0; position < 25; position++)
      expect(ids).toMatch(new RegExp(`"a\\.1\\.\\w{17}\\.${position}"`));
  });
});

describe('Buttons that a stock gateway refuses', () => {
  itVariants([
    ['Animate (High motion)', false],
    ['Animate (Low motion)', true],
  ])('%s is refused with an explanation and leaves nothing behind (private: %s)', async (button, isPrivate) => {
    const fixture = await startFastClockBot({ gateway: { profile: 'stock', speed: 20 } });
    const member = fixture.discord.as('member');
    const parent = await singleImage(fixture, { private: isPrivate });
    const jobCount = jobs(fixture.gateway).length;
    const refused = await (await member.click(parent, button)).message();
    expect(text(refused)).toContain('This gateway does not support this feature.');
    expect(refused.ephemeral).toBe(true);
    expect(labels(refused)).toEqual([]);
    expect(jobs(fixture.gateway)).toHaveLength(jobCount);
    const { content, components } = parent;
    expect(fixture.discord.messages('studio').find(({ id }) => id === parent.id)).toMatchObject({
      content,
      components,
    });
    expect(text(await (await member.slash('about')).message())).toContain('Tasks in progress: 0');
    expect(labels(await pressAndWait(fixture, parent, 'Vary (Strong)'))).toContain('U1');
    expect(labels(await singleImage(fixture, { prompt: 'a hare in the grass' }))).not.toContain(button);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('The favourite button is not offered to members', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { profile: 'stock', speed: 20 } });
    const components = JSON.stringify((await singleImage(fixture)).components);
    expect(components).toContain('🪄');
    expect(components).not.toContain('❤');
  });
});
