import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { itVariants } from '../../support/variants.ts';
import type { FixtureOptions } from '../bot.ts';
import { type FastClockFixture, says, startFastClockBot } from '../quick.ts';
import { orderGrid, orders } from './fixture.ts';
import { imageUpload } from './image-fixture.ts';

const start = ({ settings, ...options }: FixtureOptions = {}) =>
  startFastClockBot({ gateway: { speed: 60 }, settings: { MEDIA_ALLOW_PRIVATE: 'on', ...settings }, ...options });
const profiles = ['spec', 'stock'] as const;

const uploads = ({ gateway }: FastClockFixture) => orders(gateway).filter(({ path }) => path.includes('upload'));
const lastBody = ({ gateway }: FastClockFixture) =>
  orders(gateway).at(-1)?.body as { prompt: string; base64Array?: string[] };

itVariants(profiles)('/imagine passes the URL of an image that the gateway can reach (%s profile)', async (profile) => {
  const fixture = await start({ gateway: { profile, speed: 60 } });
  await orderGrid(fixture, { image: await imageUpload() });
  expect(uploads(fixture)).toEqual([]);
  expect(lastBody(fixture)).toEqual({
    prompt: expect.stringMatching(/^http:\S+attachments\S+ex=\S+ a fox in the snow$/),
  });
});

itVariants(profiles)('/imagine uploads an image that the gateway cannot reach (%s profile)', async (profile) => {
  const fixture = await start({ gateway: { profile, speed: 60 }, settings: { MEDIA_ALLOW_PRIVATE: 'off' } });
  await orderGrid(fixture, { image: await imageUpload() });
  expect(uploads(fixture)).toHaveLength(1);
  const { prompt } = lastBody(fixture);
  const [url = ''] = prompt.split(' ');
  expect(new URL(url).origin).toBe(new URL(fixture.gateway.url).origin);
  expect(prompt).toBe(`${url} a fox in the snow`);
});

it('/imagine always uploads reference images if the operator has configured that', { tags: ['breadth'] }, async () => {
  const fixture = await start({ settings: { GATEWAY_IMAGINE_REFERENCES: 'upload' } });
  await orderGrid(fixture, { image: await imageUpload(), image2: await imageUpload() });
  expect(uploads(fixture)).toHaveLength(2);
  expect(
    lastBody(fixture)
      .prompt.split(' ')
      .filter((word) => word.startsWith(fixture.gateway.url)),
  ).toHaveLength(2);
});

it('/imagine sends images as data URIs if the operator has configured base64', { tags: ['breadth'] }, async () => {
  const fixture = await start({
    gateway: { profile: 'stock', speed: 60 },
    settings: { GATEWAY_IMAGINE_REFERENCES: 'base64' },
  });
  await orderGrid(fixture, { image: await imageUpload() });
  const base64Array = [expect.stringMatching(/^data:image\/png;base64,/)];
  expect(lastBody(fixture)).toEqual({ prompt: 'a fox in the snow', base64Array });
  expect(uploads(fixture)).toEqual([]);
});

it('/imagine refuses an image that the gateway can neither fetch nor store, and submits nothing', async () => {
  const fixture = await start({ settings: { MEDIA_ALLOW_PRIVATE: 'off' } });
  const notFound = { error: { message: 'Invalid URL (POST /upload)', type: 'invalid_request_error', code: '' } };
  fixture.gateway.faults.add({ do: { type: 'body', body: notFound, status: 404 }, on: { path: /upload/ }, times: 5 });
  const options = { prompt: 'a fox', image: await imageUpload() };
  const refused = await fixture.discord.as('member').slash('imagine', options);
  expect(text(await refused.message(says('cannot download')))).toContain('public URL');
  expect(orders(fixture.gateway).filter(({ path }) => path.includes('imagine'))).toEqual([]);
});

it('No stored, shown or exported prompt contains the URL of an image, even after a retry', async () => {
  const fixture = await start();
  const { discord } = fixture;
  const member = discord.as('member');
  fixture.gateway.faults.add({ do: 'fail' });
  const exchange = await member.slash('imagine', { prompt: 'a fox in the snow', image: await imageUpload() });
  const failed = await exchange.message(says('could not finish'));
  await (await member.click(failed, 'Retry')).message(says('Finished in'));
  expect(orders(fixture.gateway)).toHaveLength(2);
  for (const { body } of orders(fixture.gateway)) expect(JSON.stringify(body)).toContain('attachments');
  expect(discord.messages('studio').map(text).join('\n')).not.toMatch(/ex=|attachments\/\d/);
  const list = text(await (await member.slash('tasks')).message());
  expect(list).toContain('a fox in the snow');
  expect(list).not.toContain('ex=');
});
