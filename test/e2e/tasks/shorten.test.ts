import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { describeProfiles } from '../profiles.ts';
import { labels, says, startFastClockBot, submitCount } from '../quick.ts';
import { bytesOf, errorsIn, jobs, orders } from './fixture.ts';

const minute = 60_000;
const shortenedTo = (finalPrompt: string) => ({
  id: '1',
  action: 'SHORTEN',
  status: 'SUCCESS',
  progress: '100%',
  buttons: [],
  properties: { finalPrompt },
});
const prompt = 'a very long and detailed description of a red fox in the deep snow at dawn';

describeProfiles('/shorten', (profile) => {
  it('/shorten shows the shortened prompts, each with a button that creates images from it', async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const exchange = await member.slash('shorten', { prompt: `  ${prompt} `, private: true });
    const message = await exchange.message(says('Finished in'));
    expect(orders(gateway)).toEqual([{ path: '/imgx/submit/shorten', body: { prompt } }]);
    const drafts = text(message).match(/(?<=^\d\ufe0f\u20e3 ).*$/gm) ?? [];
    expect(drafts.length).toBeGreaterThan(1);
    expect(labels(message)).toEqual(['Generate all', 'Delete']);
    const form = await (await member.click(message, '1️⃣')).modal();
    const child = await (await member.fill(form, {})).message(says('%'));
    expect(orders(gateway).at(-1)).toEqual({ path: '/imgx/submit/imagine', body: { prompt: drafts[0] } });
    expect([message.ephemeral, child.ephemeral]).toEqual([true, true]);
    expect(text(child)).toContain('Made from');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('The message of a failed /shorten says so, and a /shorten that exceeds its wait limit is still delivered', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway, clock } = await startFastClockBot({ gateway: { profile } });
    const member = discord.as('member');
    gateway.faults.add({ do: { type: 'fail', reason: 'There is nothing to leave out.' } });
    const failed = await (await member.slash('shorten', { prompt })).message(says('This task failed'));
    expect(text(failed)).toContain('There is nothing to leave out.');
    gateway.faults.add({ do: 'stick' });
    const exchange = await member.slash('shorten', { prompt: `${prompt}, in oil` });
    await exchange.message(says('%'));
    clock.advance(6 * minute);
    await exchange.message(says('longer than usual'));
    gateway.jobs.finish(jobs(gateway).at(-1)?.id ?? '');
    expect(text(await exchange.message(says('Finished in')))).toContain('1️⃣ ');
  });

  it('/shorten refuses an invisible prompt', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { profile } });
    const exchange = await discord.as('member').slash('shorten', { prompt: ' \u200b ' });
    expect(text(await exchange.message())).toContain('The prompt is empty');
    expect(submitCount(gateway)).toBe(0);
  });
});

it('Shortened prompts that are too long for a message are attached as a file, and the message shows how each begins', {
  tags: ['breadth'],
}, async () => {
  const { discord, gateway } = await startFastClockBot({ gateway: { profile: 'stock', speed: 20 } });
  const drafts = [1, 2, 3].map((number) => `${number}\ufe0f\u20e3 ${'**fox** ~~snow~~ '.repeat(200 * number)}`.trim());
  const finalPrompt = `## Important tokens\n**fox** (1.00), ~~snow~~\n## Shortened prompts\n${drafts.join('\n')}`;
  const body = shortenedTo(finalPrompt);
  gateway.faults.add({ on: { path: /\/fetch$/ }, do: { type: 'body', body }, times: 9 });
  const message = await (await discord.as('member').slash('shorten', { prompt })).message(says('Finished in'));
  expect(text(message).length).toBeLessThanOrEqual(2_000);
  for (const number of [1, 2, 3])
    expect(text(message)).toMatch(new RegExp(`\n${number}\ufe0f\u20e3 \\\\\\*\\\\\\*fox.*…\n`));
  expect(text(message)).toContain('-# Main topics: fox \\(1.00\\)');
  expect(message.attachments).toHaveLength(1);
  expect((await bytesOf(message)).toString() === finalPrompt).toBe(true);
  expect(labels(message)).toEqual(['Generate all', 'Delete']);
});

it('Generate all lists every prompt that it would submit, however many and long they are', {
  tags: ['breadth'],
}, async () => {
  const { discord, gateway } = await startFastClockBot({ gateway: { profile: 'stock', speed: 20 } });
  const drafts = Array.from(
    { length: 9 },
    (_, index) => `${index + 1}\ufe0f\u20e3 fox ${index + 1} ${'~ snow '.repeat(90)}`,
  );
  gateway.faults.add({
    on: { path: /\/fetch$/ },
    do: { type: 'body', body: shortenedTo(drafts.join('\n')) },
    times: 9,
  });
  const member = discord.as('member');
  const message = await (await member.slash('shorten', { prompt })).message(says('Finished in'));
  const question = text(await (await member.click(message, 'Generate all')).message());
  expect(question).toContain('This submits 9 tasks');
  expect(question.match(/(?<=^\*\*fox )\d(?= .*…\*\*$)/gm)).toEqual([...'123456789']);
});
