import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { startBot } from '../bot.ts';
import { type FastClockStage, says, startFastClockBot } from '../quick.ts';
import { GENERIC_PATH, startLocalBot } from './video-scene.ts';

const suggestedModels = async ({ discord }: FastClockStage): Promise<unknown[]> =>
  (await discord.as('member').complete('video', { model: '' }, 'model')).map(({ value }) => value);

const settings = { DEFAULT_VIDEO_MODEL: '', MODEL_KINDS: '' };

it('A model whose ID does not reveal its kind is suggested first for videos once it has delivered one, even after a restart', async () => {
  const stage = await startLocalBot({ settings });
  const { discord } = stage;
  // On a busy machine the list of models may come too late for the first suggestions.
  await expect.poll(async () => (await suggestedModels(stage)).slice(0, 2)).toEqual(['reel-2', 'reel-2-pro']);
  expect(await suggestedModels(stage)).not.toContain('northlight/keyframes-1');
  const model = 'northlight/keyframes-1';
  const exchange = await discord.as('member').slash('video', { prompt: 'waves', model });
  await exchange.message(says('Finished in'));
  const suitableModels = ['reel-2', 'reel-2-pro', model, 'kling-v2-1', 'motion-v1.6'];
  expect((await suggestedModels(stage)).slice(0, 5)).toEqual(suitableModels);
  await stage.app.stop();
  await startBot(stage);
  await expect.poll(async () => (await suggestedModels(stage)).slice(0, 5)).toEqual(suitableModels);
});

it('A model that the gateway refuses with an error code is suggested last and no longer chosen automatically, until it delivers a result', async () => {
  const stage = await startLocalBot({ settings });
  const { discord, gateway } = stage;
  await suggestedModels(stage);
  const refusal = {
    error: { message: 'reel-2 makes no videos', type: 'invalid_request_error', code: 'model_not_supported' },
  };
  gateway.faults.add({ do: { type: 'body', body: refusal, status: 400 }, on: { path: GENERIC_PATH } });
  const refused = await discord.as('member').slash('video', { prompt: 'waves' });
  expect(text(await refused.message(says('reel-2 makes no videos')))).toContain('gateway');
  expect((await suggestedModels(stage)).at(-1)).toBe('reel-2');
  const exchangeWithoutModel = await discord.as('member').slash('video', { prompt: 'waves at dusk' });
  expect(text(await exchangeWithoutModel.message(says('Finished in')))).toContain('reel-2-pro');
  const exchangeWithModel = await discord.as('member').slash('video', { prompt: 'waves at noon', model: 'reel-2' });
  await exchangeWithModel.message(says('Finished in'));
  expect((await suggestedModels(stage))[0]).toBe('reel-2');
});

it('A refusal that is not about the model does not change the model’s place in the suggestions', async () => {
  const stage = await startFastClockBot({ settings });
  await suggestedModels(stage);
  const refusal = {
    error: { message: 'The prompt is not allowed', type: 'invalid_request_error', code: 'prompt_blocked' },
  };
  stage.gateway.faults.add({ do: { type: 'body', body: refusal, status: 400 }, on: { path: GENERIC_PATH } });
  const refused = await stage.discord.as('member').slash('video', { prompt: 'waves' });
  await refused.message(says('The prompt is not allowed'));
  expect((await suggestedModels(stage))[0]).toBe('reel-2');
});
