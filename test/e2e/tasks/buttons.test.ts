import { PermissionFlagsBits } from 'discord.js';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { itVariants } from '../../support/variants.ts';
import { startBot } from '../bot.ts';
import {
  createFastClockFixture,
  type FastClockFixture,
  labels,
  says,
  startFastClockBot,
  submitCount,
} from '../quick.ts';
import { offeredTasks, openTaskList } from './pages.ts';

async function createGrid(fixture: FastClockFixture, options: Record<string, string | boolean> = {}): Promise<Message> {
  const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox in the snow', ...options });
  return exchange.message(says('Finished in'));
}

const lastSubmit = ({ gateway }: FastClockFixture) =>
  gateway.requests.findLast(({ path }) => path.includes('/submit/'));

/** A black image with a white square in it. */
const maskOf = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: 'black' } })
    .composite([{ input: { create: { width: 20, height: 20, channels: 3, background: 'white' } }, left: 4, top: 4 }])
    .png()
    .toBuffer();

describe('The buttons of a grid', () => {
  it('The buttons of a grid submit exactly the stored action, and each result is a new message', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const parent = await createGrid(fixture);
    const other = fixture.discord.as('other');
    const [job] = fixture.gateway.jobs.list();
    for (const [label, title] of [
      ['U2', 'Upscale of image 2'],
      ['V3', 'Variation of image 3'],
    ] as const) {
      const child = await (await other.click(parent, label)).message(says('Finished in'));
      expect(child.id).not.toBe(parent.id);
      expect(text(child)).toContain(title);
      expect(text(child)).toContain(parent.id);
      expect(text(child)).toContain(other.user.id);
      expect(child.attachments).toHaveLength(1);
      expect(lastSubmit(fixture)?.body).toMatchObject({
        taskId: job?.id,
        customId: expect.stringContaining(`::${label[1]}::`),
      });
      expect(labels(child)).toContain('Delete');
    }
  });

  it('A reroll and its results can be changed again, and every task has the name of its action in lists, on its page and in /usage', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const parent = await createGrid(fixture);
    const member = fixture.discord.as('member');
    const rerolled = await (await member.click(parent, '🔄')).message(says('Finished in'));
    expect(text(rerolled)).toContain('Reroll');
    const upscaled = await (await member.click(rerolled, 'U1')).message(says('Finished in'));
    const zoomed = await (await member.click(upscaled, 'Zoom Out 2x')).message(says('Finished in'));
    expect(text(zoomed)).toContain('Zoom out 2x');
    expect(submitCount(fixture.gateway)).toBe(4);
    // Lists, pages and usage call each task by its own name.
    const list = await openTaskList(fixture, 'member', { kind: 'action' });
    const names = text(list).match(/(?<=🟢 )[^·]+(?= ·)/g);
    expect(names).toEqual(['Zoom out 2x', 'Upscale of image 1', 'Reroll']);
    const upscaleId = offeredTasks(list)[1]?.value ?? '';
    const page = await member.choose(list, 'Open a task', [upscaleId]);
    await page.message(says('**a fox in the snow**\n🟢 Upscale of image 1 · Finished'));
    const byType = text(await (await member.slash('usage', { by: 'kind' })).message());
    for (const name of ['Imagine', 'Reroll', 'Upscale', 'Zoom out 2x'])
      expect(byType).toMatch(new RegExp(`${name} +1`));
    const byModel = text(await (await member.slash('usage', { by: 'model' })).message());
    expect(byModel).toMatch(/Other \(no model\) +4/);
  });

  it('Upscale all creates four tasks, each with its own message', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const parent = await createGrid(fixture);
    const question = await (await fixture.discord.as('member').click(parent, 'Upscale all')).message();
    expect(question.ephemeral).toBe(true);
    expect(text(question)).toContain('This submits 4 upscales as separate tasks.');
    expect(submitCount(fixture.gateway)).toBe(1);
    await fixture.discord.as('member').click(question, 'Run all 4');
    await expect
      .poll(() =>
        fixture.discord.messages('studio').filter((one) => says('Upscale of image')(one) && says('Finished in')(one)),
      )
      .toHaveLength(4);
    expect(submitCount(fixture.gateway)).toBe(5);
  });

  it('If the gateway returns no buttons, the bot’s own buttons for upscales, variations and rerolls send the short action text', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    fixture.gateway.faults.add({ do: 'no-buttons' });
    const parent = await createGrid(fixture);
    expect(labels(parent)).toContain('V4');
    const child = await (await fixture.discord.as('member').click(parent, 'V4')).message(says('Finished in'));
    expect(text(child)).toContain('Variation of image 4');
    const id = fixture.gateway.jobs.list()[0]?.id;
    expect(lastSubmit(fixture)).toMatchObject({
      path: '/imgx/submit/simple-change',
      body: { content: `V4 ${id}` },
    });
  });

  it('A custom zoom asks for a prompt before it is submitted, and sends the prompt', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    const upscaled = await (await member.click(await createGrid(fixture), 'U1')).message(says('Finished in'));
    const submitCountBefore = submitCount(fixture.gateway);
    const form = await (await member.click(upscaled, 'Custom Zoom')).modal();
    const refused = await (await member.fill(form, { words: 'a fox in a wide valley' })).message();
    expect(text(refused)).toContain('A custom zoom needs the flag `--zoom`');
    const impossible = await member.fill(form, { words: 'a fox in a wide valley --zoom 1.7 --ar 0:1' });
    expect(text(await impossible.message())).toContain('`--ar`');
    const tooFar = await (await member.fill(form, { words: 'a fox in a wide valley --zoom 9' })).message();
    expect(text(tooFar)).toContain('`--zoom` must be a number between `1` and `2`');
    const onlyFlags = await (await member.fill(form, { words: '--zoom 2' })).message();
    expect(text(onlyFlags)).toContain('The prompt has only flags.');
    expect(submitCount(fixture.gateway)).toBe(submitCountBefore);
    const submission = await member.fill(form, { words: 'a fox in a wide valley --zoom 1.7' });
    const zoomed = await submission.message(says('Finished in'));
    expect(text(zoomed)).toContain('a wide valley');
    const submitRequests = fixture.gateway.requests
      .filter(({ path }) => path.includes('/submit/'))
      .slice(submitCountBefore);
    expect(submitRequests.map(({ path }) => path)).toEqual(['/imgx/submit/action', '/imgx/submit/modal']);
    expect(submitRequests[1]?.body).toMatchObject({ prompt: 'a fox in a wide valley --zoom 1.7' });
  });

  it('A task is called by the prompt that was entered for it before the gateway has the prompt', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    const upscaled = await (await member.click(await createGrid(fixture), 'U1')).message(says('Finished in'));
    const form = await (await member.click(upscaled, 'Custom Zoom')).modal();
    fixture.gateway.faults.add({ on: { path: /\/submit\/action/ }, do: 'accepted-then-reset' });
    const submission = await member.fill(form, { words: 'a fox in a wide valley --zoom 1.7' });
    const unconfirmed = await submission.message(says('couldn’t confirm'));
    expect(text(unconfirmed)).toMatch(/^\*\*a fox in a wide valley --zoom 1\.7\*\* · /);
  });

  it('Vary Region refuses a mask of another shape, and a mask together with an area, before anything is submitted', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    const upscaled = await (await member.click(await createGrid(fixture), 'U1')).message(says('Finished in'));
    const submitsBefore = submitCount(fixture.gateway);
    const form = await (await member.click(upscaled, 'Vary (Region)')).modal();
    const tall = { mask: [{ name: 'mask.png', bytes: await maskOf(390, 844) }] };
    const otherShape = await (await member.fill(form, { words: 'a red fox', ...tall })).message();
    expect(text(otherShape)).toContain('`mask.png` is `390 × 844` pixels, but the image is ');
    expect(labels(otherShape)).toEqual(['Correct it']);
    const square = { side: 'left', mask: [{ name: 'mask.png', bytes: await maskOf(64, 64) }] };
    const both = await (await member.fill(form, { words: 'a red fox', ...square })).message();
    expect(text(both)).toContain('Choose an area or upload a mask, not both.');
    expect(labels(both)).toEqual(['Correct it']);
    expect(submitCount(fixture.gateway)).toBe(submitsBefore);
  });

  itVariants(['side', 'drawn'] as const)('Vary Region accepts a side or a drawn mask: %s', async (maskType) => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    const upscaled = await (await member.click(await createGrid(fixture), 'U1')).message(says('Finished in'));
    const form = await (await member.click(upscaled, 'Vary (Region)')).modal();
    const bytes = await maskOf(64, 64);
    const submitsBefore = submitCount(fixture.gateway);
    const withoutArea = await member.fill(form, { words: 'a red fox' });
    expect(text(await withoutArea.message()).trimEnd()).toMatch(/Choose an area to change, or upload a mask\.$/);
    expect(submitCount(fixture.gateway)).toBe(submitsBefore);
    const maskValues = maskType === 'side' ? { side: 'left' } : { mask: [{ name: 'mask.png', bytes }] };
    const secondForm = await (await member.click(upscaled, 'Vary (Region)')).modal();
    const submission = await member.fill(secondForm, { words: 'a red fox', ...maskValues });
    const changed = await submission.message(says('Finished in'));
    expect(text(changed)).toContain('Region edit');
    expect(lastSubmit(fixture)).toMatchObject({
      path: '/imgx/submit/modal',
      body: { prompt: 'a red fox', maskBase64: expect.stringContaining('data:image/png;base64,') },
    });
    expect(fixture.logged()).not.toContain('could not be sent');
  });
});

describe('The permission to press a button', () => {
  it('Everyone can press the buttons of a public result, but only the owner can press those of a private one', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const privateResult = await createGrid(fixture, { private: true });
    const submitCountBefore = submitCount(fixture.gateway);
    const refused = await fixture.discord
      .as('other')
      .click(privateResult, 'U1')
      .catch((error: Error) => error.message);
    // Discord does not show the result to others, and the bot refuses a forged press.
    if (typeof refused !== 'string') expect(text(await refused.message())).toContain('Only the member who requested');
    expect(submitCount(fixture.gateway)).toBe(submitCountBefore);
    const child = await (await fixture.discord.as('member').click(privateResult, 'U1')).message(says('Finished in'));
    expect(child.ephemeral).toBe(true);
    expect(fixture.discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('Two members who press the same button at the same time get a task each, and a member who presses it twice gets only one', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const parent = await createGrid(fixture);
    const member = fixture.discord.as('member');
    const presses = await Promise.all([
      member.click(parent, 'U1'),
      fixture.discord.as('other').click(parent, 'U1'),
      member.click(parent, 'U1'),
    ]);
    const replies = await Promise.all(
      presses.map((one) => one.message((m) => /Finished in|just submitted/.test(text(m)))),
    );
    expect(replies.map(text).filter((words) => words.includes('just submitted'))).toHaveLength(1);
    expect(submitCount(fixture.gateway)).toBe(3);
  });

  it('A press on a result that the gateway no longer has is refused with an explanation', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const parent = await createGrid(fixture);
    fixture.gateway.faults.add({
      on: { path: '/imgx/submit/action' },
      do: { type: 'status', status: 400, code: '4', message: 'task_not_found' },
    });
    const refusal = await (await fixture.discord.as('member').click(parent, 'U1')).message();
    expect(text(refusal)).toContain('The gateway');
    expect(labels(refusal)).toEqual([]);
  });
});

describe('The buttons of a failed task', () => {
  it('The owner of a failed task can retry it unchanged or with another prompt, in a new message', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    fixture.gateway.faults.add({ do: 'fail' });
    const failed = await (await member.slash('imagine', { prompt: 'a fox' })).message(says('This task failed'));
    const refused = await fixture.discord.as('other').click(failed, 'Retry');
    expect(text(await refused.message())).toBe(
      '-# You pressed: Retry\nOnly the member who requested this can do that.',
    );
    // An identical request within three seconds counts as a duplicate.
    fixture.clock.advance(5_000);
    const second = await (await member.click(failed, 'Retry')).message(says('Finished in'));
    expect(second.id).not.toBe(failed.id);
    const form = await (await member.click(failed, 'Edit and retry')).modal();
    for (const [words, reason] of [
      ['a red fox --ar 0:1', '`--ar` must be a ratio'],
      ['a red fox --chaos 900', '`--chaos` must be a number'],
      ['a red fox --iw 2', 'The weight of images needs an image'],
      ['--ar 1:1', 'The prompt has only flags'],
    ] as const)
      expect(text(await (await member.fill(form, { words })).message())).toContain(reason);
    const refusal = await (await member.fill(form, { words: '--ar 1:1' })).message();
    const corrected = await (await member.click(refusal, 'Correct it')).modal();
    const edited = await (await member.fill(corrected, { words: 'a red fox' })).message(says('Finished in'));
    expect(text(edited)).toContain('a red fox');
    expect(submitCount(fixture.gateway)).toBe(3);
    fixture.discord.restrict('studio', PermissionFlagsBits.AttachFiles);
    const submitCountBefore = submitCount(fixture.gateway);
    expect(text(await (await member.click(failed, 'Retry')).message())).toContain('these permissions: `Attach Files`.');
    expect(submitCount(fixture.gateway)).toBe(submitCountBefore);
  });
});

describe('The buttons of a running job', () => {
  it('A job that is waiting for a prompt has a button to enter it', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20, quirks: { remix: true } } });
    const member = fixture.discord.as('member');
    const parent = await createGrid(fixture);
    const press = await member.click(parent, 'V1');
    const waiting = await press.message(says('needs a prompt'));
    expect(labels(waiting)).toEqual(['Continue']);
    const form = await (await member.click(waiting, 'Continue')).modal();
    const refusal = await (await member.fill(form, { words: ' ' })).message((one) =>
      labels(one).includes('Correct it'),
    );
    expect(refusal.ephemeral).toBe(true);
    const impossible = await member.fill(form, { words: 'a blue fox --chaos 900' });
    await impossible.followUp(says('`--chaos` must be a number'));
    // The corrected form continues the task in its own message, although it was opened from the refusal.
    await member.fill(await (await member.click(refusal, 'Correct it')).modal(), { words: 'a blue fox' });
    const final = await fixture.discord.until(() =>
      fixture.discord.messages('studio').find((one) => one.id === waiting.id && says('Finished in')(one)),
    );
    expect(text(final)).toContain('a blue fox');
  });

  it('In remix mode, a variation button asks for a prompt first', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20, quirks: { remix: true } },
      settings: { GATEWAY_REMIX: 'on' },
    });
    const member = fixture.discord.as('member');
    const form = await (await member.click(await createGrid(fixture), 'V1')).modal();
    const final = await (await member.fill(form, { words: 'a green fox' })).message(says('Finished in'));
    expect(text(final)).toContain('a green fox');
  });
});

it('A button still works after the bot was stopped and started again', async () => {
  const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
  const app = await startBot(fixture);
  const parent = await createGrid(fixture);
  await app.stop();
  fixture.clock.advance(60 * 24 * 3_600_000);
  await startBot(fixture);
  const child = await (await fixture.discord.as('other').click(parent, 'U4')).message(says('Finished in'));
  expect(text(child)).toContain('Upscale of image 4');
});
