import { on } from 'node:events';
import { startDiscord, text } from '../../sandbox/discord/discord.ts';
import { startGateway } from '../../sandbox/gateway/gateway.ts';
import { features } from '../../src/commands/index.ts';
import { registrationOf } from '../../src/discord/registration.ts';

/** The embedded servers in their own process, so that only the bot's code is counted. Each message from the bot's process requests one `/image`. */

const API_KEY = 'sk-sandbox';
/** Jobs end within a second or two. */
const GATEWAY_SPEED = 20;

const commands = features.map((feature) => registrationOf(feature, { userInstall: false }));
const gateway = await startGateway({ keys: [{ key: API_KEY }], seed: 1, speed: GATEWAY_SPEED });
const discord = await startDiscord();
await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
  method: 'PUT',
  headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
  body: JSON.stringify(commands),
});
const environment = {
  DISCORD_TOKEN: discord.token,
  DISCORD_API_URL: discord.apiUrl,
  GATEWAY_BASE_URL: gateway.url,
  GATEWAY_API_KEY: API_KEY,
};
process.send?.(environment);

for await (const [prompt] of on(process, 'message', { close: ['disconnect'] })) {
  const exchange = await discord.as('member').slash('image', { prompt: String(prompt) });
  await exchange.message((message) => text(message).includes('Finished in'));
  process.send?.('finished');
}
await Promise.all([discord.close(), gateway.close()]);
