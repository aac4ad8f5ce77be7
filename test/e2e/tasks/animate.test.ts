import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { Fault } from '../../../sandbox/gateway/fault.ts';
import { type FastClockFixture, labels, says, spoilersOf, startFastClockBot, submitCount } from '../quick.ts';
import { errorsIn, jobs, orderGrid, orders, pressAndWait, shortVideos } from './fixture.ts';

const minute = 60_000;

/** Starts a bot whose gateway returns results without buttons, so the bot adds its own button for videos. */
async function stageWithoutButtons(): Promise<FastClockFixture> {
  const fixture = await startFastClockBot({ gateway: { speed: 20, studio: shortVideos() } });
  fixture.gateway.faults.add({ do: 'no-buttons', times: 99 });
  return fixture;
}

const upscaledImage = async (fixture: FastClockFixture, options?: Parameters<typeof orderGrid>[1]): Promise<Message> =>
  pressAndWait(fixture, await orderGrid(fixture, options), 'U1');

const lastOrder = ({ gateway }: FastClockFixture) =>
  orders(gateway).at(-1) as { path: string; body: Record<string, unknown> };

describe('The video of a single image', () => {
  it('A video is made from an image with the options of the form, the image itself and an end image', async () => {
    const fixture = await stageWithoutButtons();
    const { discord, gateway } = fixture;
    const image = await upscaledImage(fixture, { spoiler: true });
    expect(labels(image)).toContain('Animate');
    // The gateway's own file may have expired when a member requests a video of it.
    for (const { id } of jobs(gateway)) gateway.jobs.expireFiles(id);
    const other = discord.as('other');
    const form = await (await other.click(image, 'Animate')).modal();
    expect(form.components[0]).toEqual({ type: 10, content: '**Image:** the result of “a fox in the snow”' });
    expect(JSON.stringify(form.components)).not.toContain('http');
    const endImage = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'navy' } })
      .png()
      .toBuffer();
    const submission = await other.fill(form, {
      words: ' the fox runs ',
      motion: 'high',
      loop: 'yes',
      end: [{ name: 'end.png', bytes: endImage }],
    });
    const video = await submission.message(says('Finished in'));
    const { path, body } = lastOrder(fixture);
    expect([path, Object.keys(body).sort()]).toEqual([
      '/imgx/submit/video',
      ['endImage', 'image', 'loop', 'motion', 'prompt'],
    ]);
    expect(body).toMatchObject({ prompt: 'the fox runs', motion: 'high', loop: true });
    expect(String(body.image)).toMatch(/^data:image\/png;base64,.*\(\d+ characters\)$/);
    expect(body.endImage).toBe(`data:image/png;base64,${endImage.toString('base64')}`);
    expect(text(video)).toMatch(
      /^\*\*the fox runs\*\* · <@\d+>\n-# Made from \[this result\].*\n-# High motion · Loop\nFinished in/,
    );
    expect(video.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
    expect(spoilersOf(video)).toEqual([true]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A video without a prompt uses the prompt of its image and can be extended', { tags: ['breadth'] }, async () => {
    const fixture = await stageWithoutButtons();
    const member = fixture.discord.as('member');
    const form = await (await member.click(await upscaledImage(fixture), 'Animate')).modal();
    const video = await (await member.fill(form, {})).message(says('Finished in'));
    expect(Object.keys(lastOrder(fixture).body).sort()).toEqual(['image', 'motion']);
    expect(lastOrder(fixture).body.motion).toBe('low');
    expect(text(video)).toMatch(/^\*\*a fox in the snow\*\*/);
    expect(labels(video)).toContain('Extend');
    const extendForm = await (await member.click(video, 'Extend')).modal();
    const extended = await (await member.fill(extendForm, { words: 'it turns', motion: 'high' })).message(
      says('Finished in'),
    );
    const [, , videoJob, extendJob] = jobs(fixture.gateway);
    // The embedded gateway always asks for the prompt of an extended video, even if the request contains one.
    expect(orders(fixture.gateway).slice(-2)).toEqual([
      {
        path: '/imgx/submit/video',
        body: { prompt: 'it turns', motion: 'high', action: 'extend', taskId: videoJob?.id, index: 0 },
      },
      { path: '/imgx/submit/modal', body: { taskId: extendJob?.id, prompt: 'it turns' } },
    ]);
    expect(extended.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
  });

  it('The message of a failed video says so, and a video that exceeds its wait limit is still delivered', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await stageWithoutButtons();
    const { discord, gateway, clock } = fixture;
    const member = discord.as('member');
    const image = await upscaledImage(fixture);
    const animate = async (words: string) =>
      member.fill(await (await member.click(image, 'Animate')).modal(), { words });
    gateway.faults.add({ do: { type: 'fail', reason: 'The image does not move.' } });
    expect(text(await (await animate('run')).message(says('This task failed')))).toContain('does not move');
    gateway.faults.add({ do: 'stick' });
    const exchange = await animate('walk');
    await exchange.message(says('%'));
    clock.advance(40 * minute);
    const jobId = jobs(gateway).at(-1)?.id ?? '';
    const overdueMessage = await discord.until(() => discord.messages('studio').find(says('longer than usual')));
    gateway.jobs.finish(jobId);
    const result = await discord.until(() =>
      discord.messages('studio').find((one) => one.id === overdueMessage.id && says('Finished in')(one)),
    );
    expect(result.attachments).toHaveLength(1);
  });

  it('A video is still offered after the gateway responded with a status that gives no reason', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await stageWithoutButtons();
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const parent = await orderGrid(fixture);
    const image = await pressAndWait(fixture, parent, 'U1');
    for (const status of [302, 404, 405, 501]) {
      const fault: Fault =
        status < 400
          ? { type: 'redirect', to: 'https://elsewhere.example/login', status }
          : { type: 'status', status, as: 'empty' };
      gateway.faults.add({ on: { path: '/imgx/submit/video' }, do: fault });
      const form = await (await member.click(image, 'Animate')).modal();
      const refused = await (await member.fill(form, { words: `status ${status}` })).message();
      expect(text(refused)).toBe(`-# Your request: status ${status}\nThis gateway does not support this feature.`);
      await (await discord.as('other').click(image, 'Animate')).modal();
    }
    expect(labels(await pressAndWait(fixture, parent, 'U2'))).toContain('Animate');
  });

  it.each([404, 501])(
    'A video is no longer offered after the gateway reported with %i that it does not support videos, and the refused order leaves nothing behind',
    {
      tags: ['breadth'],
    },
    async (status) => {
      const fixture = await stageWithoutButtons();
      const { discord, gateway } = fixture;
      const member = discord.as('member');
      const parent = await orderGrid(fixture);
      const image = await pressAndWait(fixture, parent, 'U1');
      const form = await (await member.click(image, 'Animate')).modal();
      gateway.faults.add({
        on: { path: '/imgx/submit/video' },
        do: { type: 'status', status, code: 'api_not_implemented' },
      });
      const refused = await (await member.fill(form, {})).message();
      expect(text(refused)).toBe('This gateway does not support this feature.');
      expect(labels(await pressAndWait(fixture, parent, 'U2'))).not.toContain('Animate');
      const submitCountBefore = submitCount(gateway);
      expect(text(await (await member.click(image, 'Animate')).message())).toBe(
        'This gateway does not support this feature.',
      );
      expect(submitCount(gateway)).toBe(submitCountBefore);
      expect(text(await (await member.slash('about')).message())).toContain('Tasks in progress: 0');
    },
  );
});

it('A video that exceeds Discord’s upload limit is linked', { tags: ['breadth'] }, async () => {
  const fixture = await stageWithoutButtons();
  const member = fixture.discord.as('member');
  const form = await (await member.click(await upscaledImage(fixture), 'Animate')).modal();
  fixture.gateway.faults.add({ do: { type: 'huge-file', megabytes: 12 } });
  const video = await (await member.fill(form, {})).message(says('Finished in'));
  expect(video.attachments).toEqual([]);
  expect(text(video)).toContain(`The result could not be attached. Open it at ${fixture.gateway.url}/files/`);
});

describe('A gateway with buttons of its own for videos', () => {
  it('The gateway’s buttons for videos are shown, and the bot’s own button replaces them after the gateway refused one', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { profile: 'stock', speed: 20 } });
    const member = fixture.discord.as('member');
    const parent = await orderGrid(fixture);
    const image = await pressAndWait(fixture, parent, 'U1');
    expect(labels(image)).toEqual(expect.arrayContaining(['Animate (High motion)', 'Animate (Low motion)']));
    expect(labels(image)).not.toContain('Animate');
    await (await member.click(image, 'Animate (High motion)')).message(says('does not support this feature'));
    const nextLabels = labels(await pressAndWait(fixture, parent, 'U2'));
    expect(nextLabels).not.toContain('Animate (High motion)');
    expect(nextLabels).toContain('Animate');
  });

  it('A video requested with the bot’s own button can be extended with the gateway’s buttons', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({
      gateway: { profile: 'stock', speed: 20, quirks: { refusedActions: false }, studio: shortVideos() },
    });
    const member = fixture.discord.as('member');
    const parent = await orderGrid(fixture);
    fixture.gateway.faults.add({ do: 'no-buttons' });
    const form = await (await member.click(await pressAndWait(fixture, parent, 'U1'), 'Animate')).modal();
    const video = await (await member.fill(form, {})).message(says('Finished in'));
    expect(labels(video)).toEqual(expect.arrayContaining(['Extend (High motion)', 'Extend (Low motion)']));
    expect(labels(video)).not.toContain('Extend');
  });

  it('The form that extends a video contains all of a prompt that is longer than a field of a form', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({
      gateway: { profile: 'stock', speed: 20, quirks: { refusedActions: false }, studio: shortVideos() },
    });
    const member = fixture.discord.as('member');
    const prompt = `a fox ${'runs through the snow, '.repeat(240)}at night`;
    const image = await pressAndWait(fixture, await orderGrid(fixture, { prompt }), 'U1');
    fixture.gateway.faults.add({ do: 'no-buttons' });
    const video = await (await member.click(image, 'Animate (Low motion)')).message(says('Finished in'));
    const form = await (await member.click(video, 'Extend')).modal();
    await (await member.fill(form, {})).message(says('Finished in'));
    const videoOrder = orders(fixture.gateway).find(({ path }) => path === '/imgx/submit/video');
    // The embedded gateway records the beginning and the length of a long text.
    const recordedPrompt = expect.stringMatching(new RegExp(`^a fox runs .*\\(${prompt.length} characters\\)$`));
    expect(videoOrder?.body).toMatchObject({ action: 'extend', prompt: recordedPrompt });
  });
});
