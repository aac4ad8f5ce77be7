import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { itVariants } from '../support/variants.ts';
import { START_CHECK, startTestBot } from './bot.ts';
import { startFastClockBot, submitCount } from './quick.ts';

describe('/models', () => {
  it('/models lists, in an ephemeral message, the models that the API key can use, grouped by owner', async () => {
    const { discord, gateway } = await startTestBot();
    const exchange = await discord.as('member').slash('models');
    expect((await exchange.acknowledged()).ephemeral).toBe(true);
    const content = text(await exchange.message());
    expect(content).toContain('24 models');
    expect(content).toContain('page 1 of 2');
    expect(content).toContain('Harbour/Canvas-XL:2026-03-01');
    expect(content).toMatch(/\*\*`harbour`\*\*/);
    expect(gateway.requests.map(({ path }) => path)).toEqual([START_CHECK, '/v1/models']);
    expect(discord.violations).toEqual([]);
  });

  it('/models changes pages in place', async () => {
    const { discord } = await startTestBot();
    const member = discord.as('member');
    const first = await (await member.slash('models')).message();
    const nextPage = await member.click(first, 'Next');
    const second = await nextPage.message((message) => text(message).includes('page 2 of 2'));
    expect(second.id).toBe(first.id);
    const previousPage = await member.click(second, 'Previous');
    expect(text(await previousPage.message((message) => text(message).includes('page 1 of 2')))).toContain('Harbour');
    expect(discord.violations).toEqual([]);
  });

  it('/models filters by text and by kind, and says so if nothing matches', async () => {
    const { discord } = await startTestBot();
    const member = discord.as('member');
    const videos = text(await (await member.slash('models', { kind: 'video' })).message());
    expect(videos).toContain('reel-2-pro');
    expect(videos).not.toContain('quill-5');
    const quills = text(await (await member.slash('models', { text: 'QUILL' })).message());
    expect(quills).toContain('quill-5-mini');
    expect(quills).not.toContain('reel-2');
    expect(text(await (await member.slash('models', { text: 'no such thing' })).message())).toContain(
      'No models match',
    );
  });

  it('/models shows the list of the compatible endpoint', async () => {
    const { discord, gateway } = await startTestBot();
    const content = text(await (await discord.as('member').slash('models', { list: 'compatible' })).message());
    expect(content).toContain('compatibility endpoint');
    expect(gateway.requests.at(-1)?.path).toBe('/v1beta/compat/models');
  });

  it('/models shows all details of one model, including those that the specification does not mention', async () => {
    const { discord } = await startTestBot({ gateway: { profile: 'stock' } });
    const content = text(await (await discord.as('member').slash('models', { model: 'lumen-image-1' })).message());
    expect(content).toContain('sandbox');
    expect(content).toContain('supported_endpoint_types');
    expect(content).toContain('Likely purpose: images');
  });

  it('/models explains an unknown model, suggests similar ones and does not request it again', async () => {
    const { discord, gateway } = await startTestBot();
    const member = discord.as('member');
    for (let attempt = 0; attempt < 2; attempt++) {
      const content = text(await (await member.slash('models', { model: 'Lumen-Image-1' })).message());
      expect(content).toContain('The model `Lumen-Image-1` does not exist');
      expect(content).toContain('lumen-image-1');
    }
    expect(gateway.requests.filter(({ path }) => path === '/v1/models/Lumen-Image-1')).toHaveLength(1);
  });

  it('/models shows the entered id as code, which pings no one and does not break the Markdown', async () => {
    const { discord } = await startTestBot();
    const exchange = await discord.as('member').slash('models', { model: '`x` @everyone **y**' });
    expect(text(await exchange.message())).toContain('The model `ˋxˋ @everyone **y**` does not exist');
    expect(discord.requests.at(-1)?.body).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it('/models suggests ids while a member types, from a list that is fetched only once', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway } = await startTestBot();
    const member = discord.as('member');
    const suggestions = await member.complete('models', { model: 'REEL' }, 'model');
    expect(suggestions.map(({ value }) => value)).toEqual(['reel-2', 'reel-2-pro']);
    await member.complete('models', { model: 'ree' }, 'model');
    expect(gateway.requests.map(({ path }) => path)).toEqual([START_CHECK, '/v1/models']);
  });

  it('/models returns suggestions without delay if the gateway hangs', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startTestBot();
    gateway.faults.add({ do: 'hang' });
    expect(await discord.as('member').complete('models', { model: 'reel' }, 'model')).toEqual([]);
  });

  it('/models explains a failure of the gateway and works again afterwards', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startTestBot();
    const member = discord.as('member');
    gateway.faults.add({ do: 'bad-gateway', times: 3 });
    const content = text(await (await member.slash('models')).message());
    expect(content).toContain('The gateway is temporarily unavailable');
    expect(content).not.toMatch(/[<>]/);
    expect(text(await (await member.slash('models')).message())).toContain('24 models');
  });
});

itVariants([
  ['aurora', 'such as `aurora`'],
  ['text-embedding-3-small', 'Enter a model ID'],
])('Without a suitable model among %s, /video says what to do and submits nothing', async (id, expectedText) => {
  const body = { object: 'list', data: [{ id, object: 'model', created: 1_626_777_600, owned_by: 'studio' }] };
  const { discord, gateway } = await startFastClockBot();
  gateway.faults.add({ do: { type: 'body', body }, on: { path: /\/v1\/models$/ }, times: 100 });
  const member = discord.as('member');
  // On the fast clock, a request waits only briefly for the list of models.
  await (await member.slash('models')).message();
  const reply = await (await member.slash('video', { prompt: 'waves' })).message();
  expect(text(reply)).toContain(expectedText);
  expect(text(reply)).toContain('`DEFAULT_VIDEO_MODEL`');
  expect(reply.ephemeral).toBe(true);
  expect(submitCount(gateway)).toBe(0);
});

itVariants(['image', 'video', 'talk start'])(
  'Without a model, /%s says what the gateway responds if it has never listed its models',
  async (command) => {
    const { discord, gateway } = await startFastClockBot();
    const body = { error: { message: 'Invalid token', code: 'invalid_api_key' } };
    gateway.faults.add({ do: { type: 'body', status: 401, body }, on: { path: /\/v1\/models$/ }, times: 100 });
    const prompt = command === 'talk start' ? {} : { prompt: 'waves' };
    const reply = await (await discord.as('member').slash(command, prompt)).message();
    expect(text(reply)).toContain('The gateway rejected this bot’s API key');
    expect(submitCount(gateway)).toBe(0);
  },
);

it('Model suggestions for /video list suitable models, and others for a search', async () => {
  const body = { object: 'list', data: ['gpt-5', 'kling-v1-6', 'aurora'].map((id) => ({ id, object: 'model' })) };
  const { discord, gateway } = await startFastClockBot();
  gateway.faults.add({ do: { type: 'body', body }, on: { path: /\/v1\/models$/ }, times: 100 });
  const member = discord.as('member');
  // On the fast clock, a suggestion waits only briefly for the list of models.
  await (await member.slash('models')).message();
  const suggested = async (model: string) =>
    (await member.complete('video', { prompt: 'x', model }, 'model')).map(({ value }) => value);
  expect(await suggested('')).toEqual(['kling-v1-6']);
  expect(await suggested('gpt')).toEqual(['gpt-5']);
});
