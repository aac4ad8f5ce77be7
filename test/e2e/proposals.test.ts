import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { createTemporaryFolder } from '../services/store/store-fixture.ts';
import { noLimits } from '../support/no-limits.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './asks/fixture.ts';
import { startBot } from './bot.ts';
import { labels, says, startFastClockBot, submitCount } from './quick.ts';
import { orderGrid } from './tasks/fixture.ts';
import { erase, openTask, openTaskList } from './tasks/pages.ts';

const minute = 60_000;

function writePriceFile(imagine: string): string {
  const path = join(createTemporaryFolder(), 'prices.json');
  writeFileSync(path, JSON.stringify({ imagine, action: imagine, change: imagine }));
  return path;
}

describe('Confirmation of expensive requests', () => {
  const botWithPrice = async (price: string, settings: Record<string, string> = {}) => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { ...noLimits, PRICES: writePriceFile(price), ...settings },
    });
    const budget = async (options: Record<string, unknown>) =>
      text(await (await fixture.discord.as('admin').slash('budget set', options as never)).message());
    return { ...fixture, budget };
  };

  it('The bot asks for confirmation before a request above the price threshold, shows the estimated cost, and lets only the requester run or cancel it', async () => {
    const { discord, gateway, budget } = await botWithPrice('1.25');
    expect(await budget({ confirm_above: '$1' })).toBe(
      'Members are asked for confirmation before requests that cost more than $1.00. Messages in live conversations are excepted.',
    );
    const member = discord.as('member');
    const confirmationPrompt = await (await member.slash('imagine', { prompt: 'a fox' })).message(
      says('This server asks'),
    );
    expect(text(confirmationPrompt)).toMatch(
      /^\*\*a fox\*\*\nThis server asks for confirmation before requests that cost more than \$1\.00\.\nEstimated cost: ≈ \$1\.25\. Deadline to confirm: <t:\d+:R>\.$/,
    );
    expect(labels(confirmationPrompt)).toEqual(['Run', 'Cancel']);
    expect(text(await (await discord.as('other').click(confirmationPrompt, 'Run')).followUp())).toContain(
      'Only the member',
    );
    expect(submitCount(gateway)).toBe(0);
    const result = await (await member.click(confirmationPrompt, 'Run')).message(says('Finished in'));
    expect(result.id).toBe(confirmationPrompt.id);
    expect(submitCount(gateway)).toBe(1);
    const second = await (await member.slash('imagine', { prompt: 'a hare' })).message(says('This server asks'));
    await member.click(second, 'Cancel');
    await discord.until(() => !discord.messages(second.channel_id).some(({ id }) => id === second.id) || undefined);
    expect(submitCount(gateway)).toBe(1);
  });

  it('A request that costs exactly the price threshold, or is made after the threshold was removed, runs immediately', async () => {
    const { discord, gateway, budget } = await botWithPrice('1');
    await budget({ confirm_above: '$1' });
    const member = discord.as('member');
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    await budget({ confirm_above: '0.50' });
    await (await member.slash('imagine', { prompt: 'a hare' })).message(says('This server asks'));
    expect(await budget({ confirm_above: 'off' })).toContain('no longer asked');
    await (await member.slash('imagine', { prompt: 'an owl' })).message(says('Finished in'));
    expect(submitCount(gateway)).toBe(2);
  });

  it('A confirmation prompt is valid for 15 minutes, even across a restart, and its member can delete it afterwards', async () => {
    const fixture = await botWithPrice('1.25');
    const { discord, gateway, app, clock, budget } = fixture;
    await budget({ confirm_above: '$1' });
    const member = discord.as('member');
    const ask = async (prompt: string) => (await member.slash('imagine', { prompt })).message(says('This server asks'));
    const [confirmedInTime, confirmedLate, canceledLate] = [
      await ask('a fox'),
      await ask('a hare'),
      await ask('an owl'),
    ];
    await app.stop();
    await startBot(fixture);
    await (await member.click(confirmedInTime, 'Run')).message(says('Finished in'));
    clock.advance(15 * minute);
    expect(text(await (await discord.as('other').click(canceledLate, 'Cancel')).followUp())).toContain(
      'Only the member',
    );
    expect(text(await (await member.click(confirmedLate, 'Run')).followUp())).toContain('has expired');
    await member.click(canceledLate, 'Cancel');
    await expect.poll(() => discord.messages('studio').filter(says('This server asks'))).toEqual([]);
    expect(submitCount(gateway)).toBe(1);
  });

  it('An erasure deletes the confirmation prompts of its member, even expired ones', async () => {
    const fixture = await botWithPrice('1.25');
    const { discord, clock, budget } = fixture;
    await budget({ confirm_above: '$1' });
    const member = discord.as('member');
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('This server asks'));
    const kept = await (await discord.as('other').slash('imagine', { prompt: 'an owl' })).message(
      says('This server asks'),
    );
    clock.advance(20 * minute);
    const outcome = await erase(fixture);
    expect(text(outcome)).toContain('Your data has been deleted (tasks: 0, messages: 1)');
    expect(discord.messages('studio').filter(says('This server asks'))).toMatchObject([{ id: kept.id }]);
  });

  it('Upscale all asks for confirmation with the total price of all tasks', async () => {
    const fixture = await botWithPrice('0.10');
    const grid = await orderGrid(fixture);
    const confirmationPrompt = await (await fixture.discord.as('member').click(grid, 'Upscale all')).message();
    expect(text(confirmationPrompt)).toContain('Estimated cost of these 4 tasks: ≈ $0.40.');
    expect(text(confirmationPrompt)).toMatch(/^Upscale of image 1: \*\*.+\*\*\nUpscale of image 2: /);
    await (await fixture.discord.as('admin').slash('budget pause', {})).message();
    const refused = await fixture.discord.as('member').click(grid, 'Upscale all');
    expect(text(await refused.message())).toContain('paused');
    expect(labels(confirmationPrompt)).toEqual(['Run all 4', 'Cancel']);
  });

  it('If a limit refuses Upscale all, the price is said to be that of a task', async () => {
    const fixture = await botWithPrice('0.10', { DEFAULT_MEMBER_BUDGET: '$0.15 a day' });
    const grid = await orderGrid(fixture);
    const refused = await (await fixture.discord.as('member').click(grid, 'Upscale all')).message();
    expect(text(refused)).toContain('This request (price: `≈ $0.10 per task`) would exceed your limit');
  });

  it('Upscale all on a copy that only the member sees posts nothing in public', { tags: ['breadth'] }, async () => {
    const fixture = await botWithPrice('0.10');
    await orderGrid(fixture);
    const { discord } = fixture;
    const member = discord.as('member');
    const page = await openTask(fixture, await openTaskList(fixture));
    const copy = await (await member.click(page, 'Show only to me')).message(says('Finished in'));
    const publicCountBefore = discord.messages('studio').filter(({ ephemeral }) => !ephemeral).length;
    const confirmationPrompt = await (await member.click(copy, 'Upscale all')).message();
    await member.click(confirmationPrompt, 'Run all 4');
    const upscales = () => discord.messages('studio').filter(says('Upscale of image'));
    await expect.poll(() => upscales().filter(says('Finished in')).length).toBe(4);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toHaveLength(publicCountBefore);
  });

  it('The question shows the model, the size, the length and the mode', async () => {
    const path = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(path, JSON.stringify({ video: '2' }));
    const { discord, budget } = await botWithPrice('0.10', { PRICES: path });
    await budget({ confirm_above: '$1' });
    const options = { prompt: 'a storm', model: 'reel-2', size: '16:9', duration: '8', mode: 'pro' };
    const question = await (await discord.as('member').slash('video', options)).message(says('This server asks'));
    expect(text(question)).toMatch(
      /^\*\*a storm\*\*\n-# Model: reel-2 · Size: 16:9 · 8 sec · Mode: pro\nThis server asks/,
    );
  });

  it('If the server shows costs, an answer also ends with its cost and the remaining limit', async () => {
    const { discord, budget } = await botWithPrice('0.10', { ...models, DEFAULT_MEMBER_BUDGET: '5 tasks a day' });
    await budget({ show_cost: true });
    const answer = await (await discord.as('member').slash('ask', { prompt: 'hi' })).message(hasEnded);
    expect(text(answer).split('\n').at(-1)).toMatch(/^-# Cost: .+ · Remaining: \*\*4\*\* of 5 tasks a day/);
  });

  it('If the server shows costs, a result ends with its cost and the remaining limit, but not in other servers', async () => {
    const { budget, ...fixture } = await botWithPrice('0.10', { DEFAULT_MEMBER_BUDGET: '$5 a day' });
    const { discord } = fixture;
    expect(await budget({ show_cost: true })).toContain('Results show what they cost');
    const result = await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(
      says('Finished in'),
    );
    expect(text(result).split('\n').at(-1)).toMatch(
      /^-# Cost: (≈ )?\$0\.\d{2,4} · Remaining: \*\*\$4\.9\d*\*\* of \$5 a day/,
    );
    const member = discord.as('member').in('hall');
    const page = await openTask(fixture, await openTaskList(fixture, 'member', {}, 'hall'));
    const copyElsewhere = await (await member.click(page, 'Show here')).message(says('Finished in'));
    expect(text(copyElsewhere)).not.toContain('Cost:');
    expect(await budget({ show_cost: false })).toContain('no longer show');
    const plain = await (await discord.as('member').slash('imagine', { prompt: 'an owl' })).message(
      says('Finished in'),
    );
    expect(text(plain)).not.toContain('Cost:');
    const history = text(await (await discord.as('admin').slash('budget history', {})).message());
    expect(history).toContain('turned off the display of costs under results');
  });

  it('An expensive plain message in a thread also needs confirmation, and Run replaces the prompt with the answer', async () => {
    const path = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(path, JSON.stringify({ ask: { perMillion: { input: '1000', output: '1000' } } }));
    const { discord, gateway } = await startFastClockBot({
      gateway: { speed: 20 },
      discord: { privilegedIntents: ['message-content'] },
      settings: { ...noLimits, ...models, DISCORD_MESSAGE_CONTENT: 'on', PRICES: path },
    });
    const member = discord.as('member').in('thread');
    await (await member.slash('ask', { prompt: 'snow?' })).message(hasEnded);
    await (await discord.as('admin').slash('budget set', { confirm_above: '1' })).message();
    const threadMessage = await member.say('and ice?');
    const reply = () =>
      discord.messages('thread').find(({ message_reference: reference }) => reference?.message_id === threadMessage.id);
    const confirmationPrompt = await discord.until(() => [reply()].find((one) => one && says('This server asks')(one)));
    expect(text(confirmationPrompt)).toContain('Estimated cost: at most $');
    expect(modelRequests(gateway)).toHaveLength(1);
    await discord.as('member').in('thread').click(confirmationPrompt, 'Run');
    const answer = await discord.until(() => [reply()].find((one) => one && hasEnded(one)));
    expect(text(answer)).toContain(latestAnswer(gateway));
    expect(modelRequests(gateway)).toHaveLength(2);
  });

  it('An admin who runs /budget set with no option or an invalid price is told what is wrong', async () => {
    const { budget } = await botWithPrice('0.10');
    expect(await budget({})).toContain('Add at least one of the options');
    expect(await budget({ confirm_above: 'much' })).toContain('is not a price');
  });
});
