import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { startBot } from '../bot.ts';
import { type FastClockFixture, says, startFastClockBot } from '../quick.ts';
import { GENERIC_PATH, startLocalBot } from './video-fixture.ts';

const suggestedModels = async ({ discord }: FastClockFixture): Promise<unknown[]> =>
  (await discord.as('member').complete('video', { model: '' }, 'model')).map(({ value }) => value);

const settings = { DEFAULT_VIDEO_MODEL: '', MODEL_KINDS: '' };

it('A model whose ID does not reveal its kind is suggested first for videos once it has delivered one, even after a restart', async () => {
  const fixture = await startLocalBot({ settings });
  const { discord } = fixture;
  // On a busy machine the list of models may come too late for the first suggestions.
  await expect.poll(async () => (await suggestedModels(fixture)).slice(0, 2)).toEqual(['reel-2', 'reel-2-pro']);
  expect(await suggestedModels(fixture)).not.toContain('northlight/keyframes-1');
  const model = 'northlight/keyframes-1';
  const exchange = await discord.as('member').slash('video', { prompt: 'waves', model });
  await exchange.message(says('Finished in'));
  const suitableModels = ['reel-2', 'reel-2-pro', model, 'kling-v2-1', 'motion-v1.6'];
  expect((await suggestedModels(fixture)).slice(0, 5)).toEqual(suitableModels);
  await fixture.app.stop();
  await startBot(fixture);
  await expect.poll(async () => (await suggestedModels(fixture)).slice(0, 5)).toEqual(suitableModels);
});

it('A model that the gateway refuses with an error code is no longer suggested or chosen automatically, until it delivers a result', async () => {
  const fixture = await startLocalBot({ settings });
  const { discord, gateway } = fixture;
  await suggestedModels(fixture);
  const refusal = {
    error: { message: 'reel-2 makes no videos', type: 'invalid_request_error', code: 'model_not_supported' },
  };
  gateway.faults.add({ do: { type: 'body', body: refusal, status: 400 }, on: { path: GENERIC_PATH } });
  const refused = await discord.as('member').slash('video', { prompt: 'waves' });
  expect(text(await refused.message(says('reel-2 makes no videos')))).toContain('gateway');
  expect(await suggestedModels(fixture)).not.toContain('reel-2');
  const exchangeWithoutModel = await discord.as('member').slash('video', { prompt: 'waves at dusk' });
  expect(text(await exchangeWithoutModel.message(says('Finished in')))).toContain('reel-2-pro');
  const exchangeWithModel = await discord.as('member').slash('video', { prompt: 'waves at noon', model: 'reel-2' });
  await exchangeWithModel.message(says('Finished in'));
  expect((await suggestedModels(fixture))[0]).toBe('reel-2');
});

it('A refusal that is not about the model does not change the model’s place in the suggestions', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startFastClockBot({ settings });
  await suggestedModels(fixture);
  const refusal = {
    error: { message: 'The prompt is not allowed', type: 'invalid_request_error', code: 'prompt_blocked' },
  };
  fixture.gateway.faults.add({ do: { type: 'body', body: refusal, status: 400 }, on: { path: GENERIC_PATH } });
  const refused = await fixture.discord.as('member').slash('video', { prompt: 'waves' });
  await refused.message(says('The prompt is not allowed'));
  expect((await suggestedModels(fixture))[0]).toBe('reel-2');
});
