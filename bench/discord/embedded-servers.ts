import { on } from 'node:events';
import { MessageFlags } from 'discord.js';
import { request } from 'undici';
import { type EmbeddedDiscord, startDiscord } from '../../sandbox/discord/discord.ts';
import { startGateway } from '../../sandbox/gateway/gateway.ts';
import { features } from '../../src/commands/index.ts';
import { registrationOf } from '../../src/discord/registration.ts';
import { load } from './load.ts';
import type { Command, Commands, ServerInfo } from './protocol.ts';

/** The embedded Discord and gateway, in a process of their own, so that their CPU time does not count toward that of the measured processes. */

/** Switches off the limits of Discord that these benchmarks do not measure. */
const UNLIMITED = 1_000_000_000;
const DEFERRED_REPLY = 5;

const [guilds = '0'] = process.argv.slice(2);
const key = 'sk-sandbox';
const gateway = await startGateway({ keys: [{ key }], profile: 'stock' });
const discord = await startDiscord({
  guilds: Number(guilds),
  limits: {
    webhookPerToken: UNLIMITED,
    identifyWindowMs: 0,
    guildsPerShard: UNLIMITED,
    identifiesPerPeriod: UNLIMITED,
  },
});

type Handlers = { [Kind in keyof Commands]: (input: Commands[Kind]['input']) => Promise<Commands[Kind]['output']> };

const handlers: Handlers = {
  async ready({ sessions }) {
    await discord.until(() => (discord.gateway.identifies >= sessions ? true : undefined), 'READY');
    return null;
  },
  async endSessions() {
    discord.gateway.invalidate(false);
    return null;
  },
  load: (input) => load(discord, input),
  tokens: ({ count }) => acknowledgedTokens(discord, count),
  async cpuTime() {
    const { user, system } = process.cpuUsage();
    return { cpuMicros: user + system };
  },
};

await registerCommands(discord);
process.send?.({
  apiUrl: discord.apiUrl,
  token: discord.token,
  applicationId: discord.applicationId,
  gatewayUrl: gateway.url,
  gatewayKey: key,
} satisfies ServerInfo);

for await (const [command] of on(process, 'message', { close: ['disconnect'] })) {
  const { kind, input } = command as Command;
  const output = await (handlers[kind] as (input: unknown) => Promise<unknown>)(input);
  assertNoViolations();
  process.send?.(output);
}
await Promise.all([discord.close(), gateway.close()]);

/** A refused request is cheaper than a successful one, so figures that include one are meaningless. */
function assertNoViolations(): void {
  // Violations in the embedded Discord's own responses do not concern the measured program.
  const violation = discord.violations.find(({ route }) => !route.startsWith('response '));
  if (violation) throw new Error(`The embedded Discord reported a violation: ${JSON.stringify(violation)}`);
  const [rateLimitHit] = discord.rateLimitHits;
  if (rateLimitHit) throw new Error(`The embedded Discord's own limits were reached: ${JSON.stringify(rateLimitHit)}`);
}

async function registerCommands({ apiUrl, applicationId, token }: EmbeddedDiscord): Promise<void> {
  const { statusCode, body } = await request(`${apiUrl}/v10/applications/${applicationId}/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(features.map((feature) => registrationOf(feature, { userInstall: false }))),
  });
  const responseText = await body.text();
  if (statusCode !== 200) throw new Error(`The commands were not accepted: ${responseText}`);
}

/** Returns tokens of interactions that this process has acknowledged, so that the measured program only has to make the edits. */
async function acknowledgedTokens({ as, apiUrl }: EmbeddedDiscord, count: number): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < count) {
    const { id, token } = await as('member').slash('models');
    const { statusCode, body } = await request(`${apiUrl}/v10/interactions/${id}/${token}/callback`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: DEFERRED_REPLY, data: { flags: MessageFlags.Ephemeral } }),
    });
    await body.dump();
    if (statusCode !== 204) throw new Error(`An acknowledgement returned status ${statusCode}.`);
    tokens.push(token);
  }
  return tokens;
}
