import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { itVariants } from '../../support/variants.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, labels, startFastClockBot } from '../quick.ts';
import { errorsIn } from '../tasks/fixture.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

const BEGINNING = 'This is the sandbox speaking';
const prompt = 'tell me of the snow, 100 words';

describe('The end of an answer', () => {
  itVariants(['cut', 'early-end', 'error', 'nested-error', 'failed', 'silence'] as const)(
    'An answer that ends with %s keeps what had arrived, says so and can be retried',
    async (fault) => {
      const fixture = await startFastClockBot({
        settings: models,
        gatewayLimits: { silenceMs: 600 },
      });
      const { discord, gateway, clock } = fixture;
      const member = discord.as('member');
      gateway.faults.add({ do: { type: 'text', how: fault, after: 30 } });
      const exchange = await member.slash('ask', { prompt });
      const brokenAnswer = await exchange.message(hasEnded);
      expect(text(brokenAnswer)).toContain(BEGINNING);
      expect(latestAnswer(gateway)).not.toBe('');
      expect(text(brokenAnswer)).not.toContain(latestAnswer(gateway));
      expect(text(brokenAnswer)).toMatch(/before the answer was complete|The answer failed/);
      expect(labels(brokenAnswer)).toEqual(['Continue', 'Retry', 'End conversation', 'Show details', 'Delete']);
      expect(modelRequests(gateway)).toHaveLength(1);
      clock.advance(5_000);
      const second = await (await member.click(brokenAnswer, 'Retry')).message(hasEnded);
      expect(text(second)).toContain(latestAnswer(gateway));
      expect(errorsIn(fixture)).toEqual([]);
    },
  );

  itVariants(['empty-output', 'chat-usage', 'chat', 'plain'] as const)(
    'An answer is complete although its stream deviates from the specification: %s',
    async (fault) => {
      const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
      gateway.faults.add({ do: { type: 'text', how: fault } });
      const exchange = await discord.as('member').slash('ask', { prompt });
      const final = await exchange.message(hasEnded);
      expect(text(final)).toContain(latestAnswer(gateway));
      expect(labels(final)).toEqual(['Continue', 'End conversation', 'Show details', 'Delete']);
    },
  );

  it('An answer that never starts becomes a refusal and leaves no task', async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const exchange = await discord.as('member').slash('ask', { prompt, model: 'canvas-2' });
    expect(labels(await exchange.message())).toEqual([]);
    expect(modelRequests(gateway).length).toBeLessThanOrEqual(3);
    expect(text(await (await discord.as('member').slash('about')).message())).toContain('Tasks in progress: 0');
  });

  it('An answer with an unknown outcome says so and is retried only if the requester asks for it', async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    gateway.faults.add({ on: { path: '/v1/responses' }, do: 'reset' });
    const exchange = await discord.as('member').slash('ask', { prompt });
    const lostAnswer = await exchange.message((message) => labels(message).includes('Dismiss'));
    expect(modelRequests(gateway).length).toBeLessThanOrEqual(1);
    const answer = await (await discord.as('member').click(lostAnswer, 'Try again (may be charged twice)')).message(
      hasEnded,
    );
    expect(text(answer)).toContain(latestAnswer(gateway));
  });

  it('A model without tools or reasoning effort is queried without them, and the answer says so', async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const member = discord.as('member');
    gateway.faults.add({ do: 'no-tools', times: 100 });
    gateway.faults.add({ do: 'no-reasoning' });
    const final = await (await member.slash('ask', { prompt, effort: 'high' })).message(hasEnded);
    expect(text(final)).toContain('does not support tools');
    expect(text(final)).toContain('does not support reasoning effort');
    expect(text(final)).toContain(latestAnswer(gateway));
    expect(modelRequests(gateway).map((body) => ['tools' in body, 'reasoning' in body])).toEqual([
      [true, true],
      expect.anything(),
      [false, false],
    ]);
    // The bot remembers this, so no later request is refused.
    await (await member.slash('ask', { prompt: 'and then?' })).message(hasEnded);
    expect(modelRequests(gateway)).toHaveLength(4);
  });

  it('A model that refuses to stream sends its answer in one piece, the answer says so, and the refusal is remembered', async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const member = discord.as('member');
    gateway.faults.add({ do: 'no-stream', times: 100 });
    const final = await (await member.slash('ask', { prompt })).message(hasEnded);
    expect(text(final)).toContain('does not stream its answers');
    expect(text(final)).toContain(latestAnswer(gateway));
    const later = await (await member.slash('ask', { prompt: 'and then?' })).message(hasEnded);
    expect(text(later)).toContain('does not stream its answers');
    const sentFields = modelRequests(gateway).map((body) => ['stream' in body, 'tools' in body]);
    expect(sentFields).toEqual([
      [true, true],
      [false, true],
      [false, true],
    ]);
  });

  it('If the gateway does not name the feature it refuses, the answer says only what was left out', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const error = { message: 'This cannot be done.', type: 'invalid_request_error', code: 'invalid_value' };
    gateway.faults.add({ on: { path: '/v1/responses' }, do: { type: 'body', body: { error }, status: 400 }, times: 2 });
    const final = await (await discord.as('member').slash('ask', { prompt, effort: 'high' })).message(hasEnded);
    expect(text(final)).toContain('so these parts were left out: the option `effort`, tools.');
    expect(text(final)).not.toContain('This model does not');
    // The first of both was left out by mistake, or with reason: only the last one is remembered, as a guess.
    const later = await (
      await discord.as('member').slash('ask', { prompt: 'And then?', effort: 'high', web: true })
    ).message(hasEnded);
    expect(text(later)).toContain('so these parts were left out: tools.');
    expect(text(later)).not.toContain('This model does not');
  });

  it('Fields that were omitted from a request that was refused anyway are sent again the next time', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const member = discord.as('member');
    const error = { message: 'This cannot be done.', type: 'invalid_request_error', code: 'invalid_value' };
    gateway.faults.add({ on: { path: '/v1/responses' }, do: { type: 'body', body: { error }, status: 400 }, times: 3 });
    const refusal = await (await member.slash('ask', { prompt })).message((message) =>
      text(message).includes('cannot be done'),
    );
    expect(text(refusal)).not.toContain('does not');
    await (await member.slash('ask', { prompt: 'and then?' })).message(hasEnded);
    expect(modelRequests(gateway).at(-1)).toMatchObject({ stream: true, tools: expect.any(Array) });
  });

  it('A model that refuses a format is queried without it, and the answer says so', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFastClockBot({
      settings: models,
      gateway: { profile: 'stock', speed: 20 },
    });
    gateway.faults.add({ do: 'no-format', times: 100 });
    const final = await (await discord.as('member').slash('ask', { prompt, format: 'json' })).message(hasEnded);
    expect(text(final)).toContain('does not support output formats');
    expect(modelRequests(gateway).map((body) => 'text' in body)).toEqual([true, false]);
  });

  it('Any reasoning effort that a member types is sent unchanged', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const member = discord.as('member');
    const choices = await member.complete('ask', { prompt, effort: 'hi' }, 'effort');
    expect(choices.map(({ value }) => value)).toEqual(['high', 'xhigh']);
    await (await member.slash('ask', { prompt, effort: ' ultra ' })).message(hasEnded);
    expect(modelRequests(gateway).at(-1)).toMatchObject({ reasoning: { effort: 'ultra' } });
  });

  it('An answer that a restart interrupted says so and keeps what had arrived', async () => {
    const fixture = await createFastClockFixture({ settings: models, gateway: { speed: 0.2 } });
    const { discord, gateway } = fixture;
    const app = await startBot(fixture);
    // Too long to end before the bot is stopped, even on a busy machine.
    const exchange = await discord.as('member').slash('ask', { prompt: 'tell me of the snow, 2000 words' });
    await exchange.message((message) => text(message).includes(BEGINNING));
    await app.stop();
    await startBot(fixture);
    const brokenAnswer = await exchange.message(hasEnded);
    expect(text(brokenAnswer)).toContain('was stopped before');
    expect(text(brokenAnswer)).toContain(BEGINNING);
    expect(modelRequests(gateway)).toHaveLength(1);
  });
});

describe('The Stop button', () => {
  it('The Stop button ends the answer immediately, keeps what had arrived and closes the stream', async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 0.2 } });
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: 'tell me of the snow, 2000 words' });
    const streaming = await exchange.message((message) => text(message).includes(BEGINNING));
    await member.click(streaming, 'Stop');
    const stoppedAnswer = await exchange.message(hasEnded);
    expect(text(stoppedAnswer)).toContain('Stopped.');
    expect(text(stoppedAnswer)).toContain(BEGINNING);
    expect(text(stoppedAnswer)).not.toContain(latestAnswer(gateway));
    expect(labels(stoppedAnswer)).toContain('Continue');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('Only the member who asked can press the Stop button', { tags: ['breadth'] }, async () => {
    const { discord } = await startFastClockBot({ settings: models, gateway: { speed: 0.2 } });
    const exchange = await discord.as('member').slash('ask', { prompt });
    const streaming = await exchange.message((message) => text(message).includes(BEGINNING));
    const refusal = await (await discord.as('other').click(streaming, 'Stop')).followUp();
    expect(text(refusal)).toContain('Only the member who requested');
    expect(text(await exchange.message(hasEnded))).not.toContain('Stopped');
  });
});

it('An answer arrives if the gateway accepts its image only after the image was reduced', async () => {
  const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
  const { discord, gateway } = fixture;
  gateway.faults.add({ on: { path: '/v1/responses' }, do: 'too-large' });
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#369' } });
  const image = { name: 'blue.png', contentType: 'image/png', bytes: await picture.png().toBuffer() };
  const exchange = await discord.as('member').slash('ask', { prompt, image });
  const answer = await exchange.message(hasEnded);
  expect(text(answer)).toContain(latestAnswer(gateway));
  expect(labels(answer)).not.toContain('Retry');
  expect(modelRequests(gateway)).toHaveLength(2);
});
