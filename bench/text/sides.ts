import { on } from 'node:events';
import { startDiscord, text } from '../../sandbox/discord/discord.ts';
import { startGateway } from '../../sandbox/gateway/gateway.ts';
import { features } from '../../src/commands/index.ts';
import { registrationOf } from '../../src/discord/registration.ts';
import { noLimits } from '../../test/support/no-limits.ts';
import type { AnswerFigures, Input, ServerInfo } from './orders.ts';

/** The embedded servers in a separate process: Discord, in which members ask, and the gateway, which answers. */

/** The first edit contains a few characters of the first words, under the line that names the model. */
const FIRST_WORDS = 'quill-5\\nT';
/** Discord's limits for one token apply; those for one IP address are not measured. */
const UNLIMITED = 1_000_000_000;

const key = 'sk-sandbox';
const gateway = await startGateway({ keys: [{ key }] });
const discord = await startDiscord({ limits: { globalPerSecond: UNLIMITED } });

const response = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
  method: 'PUT',
  headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
  body: JSON.stringify(features.map((feature) => registrationOf(feature, { userInstall: false }))),
});
if (!response.ok) throw new Error(`The commands were not accepted: ${await response.text()}`);

process.send?.({
  settings: {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: key,
    GATEWAY_CONNECTIONS: '128',
    ...noLimits,
    DEFAULT_TEXT_MODEL: 'quill-5',
    STORE_URL: 'sqlite://:memory:',
  },
} satisfies ServerInfo);

let requestCount = 0;
for await (const [input] of on(process, 'message', { close: ['disconnect'] })) {
  const { answers, words, gatewaySpeed } = input as Input;
  await discord.until(() => (discord.gateway.sessions > 0 ? true : undefined), 'the bot');
  gateway.setSpeed(gatewaySpeed);
  process.send?.(await Promise.all(Array.from({ length: answers }, () => measureAnswer(words))));
}
await Promise.all([discord.close(), gateway.close()]);

async function measureAnswer(words: number): Promise<AnswerFigures> {
  requestCount += 1;
  const prompt = `tell me of snow number ${requestCount}, ${words} words`;
  // All messages of a private answer belong to its interaction. Those of public ones would wait for Discord's limit for their channel.
  const exchange = await discord.as('member').slash('ask', { prompt, new: true, private: true });
  const firstMessage = await exchange.message((message) => JSON.stringify(message.components ?? []).includes('Delete'));
  const ownRequests = discord.requests.filter(({ path }) => path.includes(exchange.token));
  const firstVisibleEdit = ownRequests.find(
    ({ method, body }) => method === 'PATCH' && JSON.stringify(body).includes(FIRST_WORDS),
  );
  const gatewayRequest = gateway.requests.find(({ body }) => JSON.stringify(body ?? '').includes(prompt));
  const [start = 0, end = 0] = [gatewayRequest?.at, ownRequests.at(-1)?.at];
  return {
    firstVisibleMs: (firstVisibleEdit?.at ?? Number.NaN) - start,
    edits: ownRequests.filter(
      ({ method, path }) => (method === 'PATCH' || method === 'POST') && path.includes('/webhooks/'),
    ).length,
    seconds: (end - start) / 1_000,
    characters: [firstMessage, ...exchange.followUps()].reduce((sum, message) => sum + text(message).length, 0),
  };
}
