import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { createTemporaryFolder } from '../services/store/store-fixture.ts';
import { noLimits } from '../support/no-limits.ts';
import { type FastClockFixture, says, startFastClockBot } from './quick.ts';

const MODEL = 'lumen-image-1';
const minute = 60_000;
const orderCount = ({ gateway }: FastClockFixture): number =>
  gateway.requests.filter(({ method, path }) => method === 'POST' && path.includes('/images/')).length;
const messagesToOwner = ({ discord }: FastClockFixture, substring: string): string[] =>
  discord
    .messages(discord.openDirectMessage('owner').id)
    .map(text)
    .filter((content) => content.includes(substring));

let promptCount = 0;
const orderImage = ({ discord }: FastClockFixture, who: string, model = MODEL) =>
  discord.as(who).slash('image', { prompt: `a secret fox ${++promptCount}`, model });

async function failTasks(fixture: FastClockFixture, count: number): Promise<Message[]> {
  const failed: Message[] = [];
  for (let index = 0; index < count; index += 1) {
    fixture.gateway.faults.add({ do: 'fail', times: 1 });
    const who = index % 2 === 0 ? 'member' : 'other';
    failed.push(await (await orderImage(fixture, who)).message(says('The engine could not finish this task')));
  }
  return failed;
}

/** Waits for the list of models first, because the one-second limit on suggestions passes almost at once on the fast clock. */
const modelSuggestions = async ({ discord }: FastClockFixture, input = 'lumen') => {
  const member = discord.as('member');
  await (await member.slash('models', {})).message();
  return member.complete('image', { prompt: 'x', model: input }, 'model');
};

describe('A failing model', () => {
  const start = () => startFastClockBot({ gateway: { speed: 50 }, settings: noLimits });

  it('New requests and retries for a failing model are refused privately, other models work, and the suggestions mark the failing one', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start();
    const { discord } = fixture;
    await modelSuggestions(fixture);
    const [first] = await failTasks(fixture, 5);
    if (!first) throw new Error('Nothing has failed.');
    const orderCountBefore = orderCount(fixture);
    const refused = text(await (await orderImage(fixture, 'member')).ephemeral());
    expect(refused).toMatch(
      /^-# Your request: \/image .*\nThe model `lumen-image-1` has been failing since <t:\d+:f>, so nothing was submitted\. Choose another model, or try again <t:\d+:R>\.$/,
    );
    const retry = await discord.as('member').click(first, 'Retry');
    expect(text(await retry.ephemeral())).toContain('has been failing since');
    expect(orderCount(fixture)).toBe(orderCountBefore);
    await (await orderImage(fixture, 'member', `${MODEL}-2K`)).message(says('Finished in'));
    expect(await modelSuggestions(fixture)).toEqual([
      { name: `${MODEL}-2K`, value: `${MODEL}-2K` },
      { name: `${MODEL}-4K`, value: `${MODEL}-4K` },
      { name: `${MODEL} · currently failing`, value: MODEL },
    ]);
  });

  it('The operator is notified of a failing model once; later one trial request is let through, and if it succeeds, all requests are', async () => {
    const fixture = await start();
    await modelSuggestions(fixture);
    await failTasks(fixture, 5);
    await expect
      .poll(() => messagesToOwner(fixture, `Tasks with the model \`${MODEL}\` (Image) have been failing`))
      .toHaveLength(1);
    fixture.clock.advance(minute);
    fixture.gateway.setSpeed(0.01);
    const probe = await orderImage(fixture, 'member');
    await probe.message(says('Queued'));
    const refused = text(await (await orderImage(fixture, 'other')).ephemeral());
    expect(refused).toContain('is being tested with one task. Choose another model, or try again in a few minutes.');
    fixture.gateway.setSpeed(50);
    await probe.message(says('Finished in'));
    await (await orderImage(fixture, 'other')).message(says('Finished in'));
    fixture.clock.advance(2 * minute);
    await expect.poll(() => messagesToOwner(fixture, 'Resolved')).toHaveLength(1);
    expect(messagesToOwner(fixture, `Tasks with the model \`${MODEL}\``)).toHaveLength(1);
    expect(messagesToOwner(fixture, 'secret')).toEqual([]);
  });

  it('The confirmation prompt for an expensive request says that the model is failing', {
    tags: ['breadth'],
  }, async () => {
    const prices = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(prices, JSON.stringify({ image: '1.25' }));
    const fixture = await startFastClockBot({
      gateway: { speed: 50 },
      settings: { ...noLimits, PRICES: prices },
    });
    await failTasks(fixture, 5);
    await (await fixture.discord.as('admin').slash('budget set', { confirm_above: '$1' })).message();
    const confirmationPrompt = await (await orderImage(fixture, 'member')).message(says('This server asks'));
    expect(text(confirmationPrompt)).toMatch(
      /\nThe model `lumen-image-1` has been failing since <t:\d+:f>\.\nEstimated cost/,
    );
    const orderCountBefore = orderCount(fixture);
    const run = await fixture.discord.as('member').click(confirmationPrompt, 'Run');
    expect(text(await run.followUp())).toContain('has been failing since');
    expect(orderCount(fixture)).toBe(orderCountBefore);
  });
});

it('A slow model is marked in its suggestion, in the price confirmation prompt and in the first progress message', {
  tags: ['breadth'],
}, async () => {
  const prices = join(createTemporaryFolder(), 'prices.json');
  writeFileSync(prices, JSON.stringify({ image: '1.25' }));
  const fixture = await startFastClockBot({ gateway: { speed: 50 }, settings: { ...noLimits, PRICES: prices } });
  const { discord, gateway, clock } = fixture;
  for (let index = 0; index < 3; index += 1) {
    gateway.faults.add({ do: 'stick' });
    const exchange = await orderImage(fixture, 'member');
    await exchange.message(says('%'));
    clock.advance(4 * minute);
    const job = gateway.jobs.list().at(-1);
    gateway.jobs.finish(job?.id ?? '');
    await exchange.message(says('Finished in'));
  }
  gateway.setSpeed(0.01);
  const queued = await (await orderImage(fixture, 'other')).message(says('Tasks like this currently take'));
  expect(text(queued)).toMatch(
    /Queued at the gateway <t:\d+:R>\.( \d+ tasks? .*queue\.)? Tasks like this currently take about 4 min\./,
  );
  expect((await modelSuggestions(fixture)).map(({ name }) => name)).toContain(`${MODEL} · about 4 min`);
  await (await discord.as('admin').slash('budget set', { confirm_above: '$1' })).message();
  const confirmationPrompt = await (await orderImage(fixture, 'member')).message(says('This server asks'));
  expect(text(confirmationPrompt)).toContain('\nTasks like this currently take about 4 min.\nEstimated cost');
  // Durations from long ago do not count.
  clock.advance(7 * 60 * minute);
  expect((await modelSuggestions(fixture)).map(({ name }) => name)).toContain(MODEL);
});
