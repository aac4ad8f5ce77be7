import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { createTemporaryFolder } from '../../services/store/store-fixture.ts';
import { noLimits } from '../../support/no-limits.ts';
import { type FastClockFixture, labels, startFastClockBot } from '../quick.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

type ReceivedInput = { role?: string; content?: unknown }[];

/** The conversation that the model received, in order. */
const receivedTurns = (fixture: FastClockFixture, index = -1): string[] =>
  ((modelRequests(fixture.gateway).at(index)?.input ?? []) as ReceivedInput).map(
    ({ role, content }) => `${role}: ${JSON.stringify(content)}`,
  );

const answerTo = async ({ discord }: FastClockFixture, options: Record<string, string | boolean>, who = 'member') =>
  (await discord.as(who).slash('ask', options)).message(hasEnded);

describe('A conversation', () => {
  const openFixture = () => startFastClockBot({ settings: models, gateway: { speed: 20 } });

  it('A conversation continues with a form, and the model receives the earlier turns', async () => {
    const fixture = await openFixture();
    const member = fixture.discord.as('member');
    const first = await answerTo(fixture, { prompt: 'snow?', instructions: 'Be brief.' });
    const firstAnswer = latestAnswer(fixture.gateway);
    const form = await (await member.click(first, 'Continue')).modal();
    const second = await (await member.fill(form, { 'Your next question': 'and ice?' })).message(hasEnded);
    expect(receivedTurns(fixture).map((line) => line.split(':')[0])).toEqual(['user', 'assistant', 'user']);
    expect(receivedTurns(fixture)[1]).toContain(JSON.stringify(firstAnswer).slice(1, 40));
    expect(modelRequests(fixture.gateway).at(-1)?.instructions).toBe('Be brief.');
    expect(text(second)).toContain(latestAnswer(fixture.gateway));
    expect(text(second)).toContain('Continues [this answer]');
  });

  it('The form of a conversation takes an image and one more file', async () => {
    const fixture = await openFixture();
    const member = fixture.discord.as('member');
    const first = await answerTo(fixture, { prompt: 'snow?' });
    const form = await (await member.click(first, 'Continue')).modal();
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const files = [
      { name: 'notes.txt', bytes: Buffer.from('the snow is deep') },
      { name: 'red.png', bytes: image },
    ];
    await (await member.fill(form, { 'Your next question': 'and this?', 'Image or file': files })).message(hasEnded);
    expect(receivedTurns(fixture).at(-1)).toMatch(/input_image/);
    expect(receivedTurns(fixture).at(-1)).toContain('the snow is deep');
  });

  it('A conversation continues with the next question in the same place and starts again with `new`', async () => {
    const fixture = await openFixture();
    await answerTo(fixture, { prompt: 'snow?' });
    await answerTo(fixture, { prompt: 'and ice?' });
    expect(receivedTurns(fixture)).toHaveLength(3);
    await answerTo(fixture, { prompt: 'fire?', new: true });
    expect(receivedTurns(fixture)).toHaveLength(1);
    await answerTo(fixture, { prompt: 'and smoke?' });
    expect(receivedTurns(fixture).join()).toContain('fire');
    expect(receivedTurns(fixture).join()).not.toContain('snow');
  });

  it('A conversation that `new` started stays the current one even if its first answer failed', async () => {
    const fixture = await openFixture();
    await answerTo(fixture, { prompt: 'snow?' });
    fixture.gateway.faults.add({ do: 'text-failed' });
    const failed = await fixture.discord.as('member').slash('ask', { prompt: 'fire?', new: true });
    await failed.message(hasEnded);
    await answerTo(fixture, { prompt: 'and smoke?' });
    expect(receivedTurns(fixture).join()).not.toContain('snow');
  });

  it('Every member has their own conversation, and private turns stay private', async () => {
    const fixture = await openFixture();
    await answerTo(fixture, { prompt: 'a secret', private: true });
    await answerTo(fixture, { prompt: 'snow?' });
    expect(receivedTurns(fixture)).toHaveLength(1);
    await answerTo(fixture, { prompt: 'ice?' }, 'other');
    expect(receivedTurns(fixture)).toHaveLength(1);
    await answerTo(fixture, { prompt: 'more of it', private: true });
    expect(receivedTurns(fixture).join()).toContain('a secret');
  });

  it('A conversation that its member has ended is no longer sent to the model', async () => {
    const fixture = await openFixture();
    const member = fixture.discord.as('member');
    const instructions = 'Answer like a pirate.';
    const first = await answerTo(fixture, { prompt: 'snow?', instructions });
    // Its answer is also attached as a file.
    const second = await answerTo(fixture, { prompt: 'and ice?', schema_text: '{"type":"object"}' });
    expect(JSON.stringify(modelRequests(fixture.gateway).at(-1))).toContain('pirate');
    // The form is already open when the conversation ends.
    const form = await (await member.click(second, 'Continue')).modal();
    const reply = await (await member.click(first, 'End conversation')).message();
    expect(text(reply)).toContain('You have ended this conversation');
    expect(reply.ephemeral).toBe(true);
    const endedAnswers = await fixture.discord.until(() => {
      const messages = fixture.discord.messages('studio').filter(({ id }) => id === first.id || id === second.id);
      return messages.some((one) => labels(one).includes('Continue')) ? undefined : messages;
    });
    expect(endedAnswers.map((one) => [labels(one), text(one), one.attachments.length])).toEqual([
      [['Show details', 'Delete'], text(first), 0],
      [['Show details', 'Delete'], text(second), 1],
    ]);
    await answerTo(fixture, { prompt: 'and water?' });
    expect(receivedTurns(fixture)).toHaveLength(1);
    const third = await (await member.fill(form, { 'Your next question': 'and steam?' })).message(hasEnded);
    expect(text(third)).not.toContain('Continues');
    expect(JSON.stringify(modelRequests(fixture.gateway).at(-1))).not.toContain('pirate');
    expect(receivedTurns(fixture)).toHaveLength(1);
  });

  it('A member who continued another member’s conversation ends only their own part of it', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await openFixture();
    const other = fixture.discord.as('other');
    const first = await answerTo(fixture, { prompt: 'snow?' });
    const form = await (await other.click(first, 'Continue')).modal();
    const second = await (await other.fill(form, { 'Your next question': 'and ice?' })).message(hasEnded);
    expect(receivedTurns(fixture)).toHaveLength(3);
    await (await other.click(second, 'End conversation')).message();
    await fixture.discord.until(() => {
      const ended = fixture.discord.messages('studio').find(({ id }) => id === second.id);
      return ended && labels(ended).includes('Continue') ? undefined : true;
    });
    await answerTo(fixture, { prompt: 'and water?' });
    expect(receivedTurns(fixture).join()).toContain('snow?');
    expect(receivedTurns(fixture)).toHaveLength(3);
  });

  it('The details of an answer show the token counts from the gateway', async () => {
    const fixture = await openFixture();
    const first = await answerTo(fixture, { prompt: 'snow?' });
    const details = await (await fixture.discord.as('other').click(first, 'Show details')).message();
    expect(details.ephemeral).toBe(true);
    expect(JSON.stringify(details.components)).toMatch(/Tokens: \d+ input, \d+ output/);
  });

  it('A question can include an image and a file, and an unreadable file is refused', async () => {
    const fixture = await openFixture();
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const file = { name: 'notes.txt', bytes: Buffer.from('The fox sleeps.') };
    await (await member.slash('ask', { prompt: 'what is this?', file })).message(hasEnded);
    expect(receivedTurns(fixture).join()).toContain('The fox sleeps.');
    const pdf = { name: 'paper.pdf', bytes: Buffer.from('%PDF-1.7 nothing') };
    await (await member.slash('ask', { prompt: 'and this?', file: pdf, new: true })).message(hasEnded);
    expect(receivedTurns(fixture).join()).toContain('"type":"input_file"');
    const requestsBefore = modelRequests(gateway).length;
    const binaryFile = { name: 'odd.bin', bytes: Buffer.from([0, 1, 2, 255]) };
    const refusal = await (await member.slash('ask', { prompt: 'and that?', file: binaryFile })).message();
    expect(text(refusal)).toContain('odd.bin');
    expect(modelRequests(gateway)).toHaveLength(requestsBefore);
  });

  it('A question can request its answer as JSON', async () => {
    const fixture = await openFixture();
    const final = await answerTo(fixture, { prompt: 'snow?', format: 'json' });
    const [, json = ''] = /```json\n([\s\S]*)\n```/.exec(text(final)) ?? [];
    expect(JSON.parse(json)).toMatchObject({ sandbox: true });
    expect(modelRequests(fixture.gateway).at(-1)).not.toHaveProperty('tools');
  });
});

describe('The options of a question', { tags: ['breadth'] }, () => {
  it('A question can include an image, a second one as its file, and allow a web search', async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#369' } })
      .png()
      .toBuffer();
    const image = { name: 'blue.png', bytes, contentType: 'image/png' };
    const secondImage = { ...image, name: 'second.png' };
    const exchange = await discord
      .as('member')
      .slash('ask', { prompt: 'what is this?', image, file: secondImage, web: true });
    await exchange.message(hasEnded);
    const [{ input, tools }] = modelRequests(gateway) as [{ input: unknown; tools: unknown[] }];
    expect(JSON.stringify(input)).toMatch(
      /"input_image".*data:image\/png;base64,|data:image\/png;base64,.*"input_image"/,
    );
    expect(JSON.stringify(input).split('"input_image"')).toHaveLength(3);
    expect(tools).toContainEqual({ type: 'web_search' });
    const invalidImage = { name: 'blue.png', bytes: Buffer.from('MZ'), contentType: 'image/png' };
    const refusal = await (
      await discord.as('member').slash('ask', { prompt: 'and this?', image: invalidImage })
    ).message();
    expect(text(refusal)).toContain('is not a valid image');
    expect(modelRequests(gateway)).toHaveLength(1);
  });
});

it('A question that its limit refuses for its price names the way out of a conversation, a new one does not', async () => {
  const prices = join(createTemporaryFolder(), 'prices.json');
  writeFileSync(prices, JSON.stringify({ ask: '0.10' }));
  const settings = { ...models, ...noLimits, PRICES: prices, DEFAULT_MEMBER_BUDGET: '$0.15 a day' };
  const fixture = await startFastClockBot({ settings, gateway: { speed: 20 } });
  await answerTo(fixture, { prompt: 'snow?' });
  const refusal = async (options: Record<string, string | boolean>) =>
    text(await (await fixture.discord.as('member').slash('ask', options)).ephemeral());
  expect(await refusal({ prompt: 'and ice?' })).toMatch(/would exceed your limit[\s\S]*Press \*\*End conversation\*\*/);
  expect(await refusal({ prompt: 'fire?', new: true })).not.toContain('End conversation');
  expect(modelRequests(fixture.gateway)).toHaveLength(1);
});
