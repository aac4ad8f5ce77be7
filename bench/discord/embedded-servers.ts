import { on } from 'node:events';
import { MessageFlags } from 'discord.js';
import { request } from 'undici';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import { assertNoViolations, openSides, UNLIMITED } from '../harness/sides.ts';
import { foreignLoad } from '../mentions/foreign-load.ts';
import { load } from './load.ts';
import type { Command, Commands, ServerInfo } from './protocol.ts';

/** The embedded Discord and gateway, in a process of their own, so that their CPU time does not count toward that of the measured processes. */

const DEFERRED_REPLY = 5;

const [guilds = '0'] = process.argv.slice(2);
const { discord, settings } = await openSides({
  gateway: { profile: 'stock' },
  discord: {
    guilds: Number(guilds),
    limits: {
      webhookPerToken: UNLIMITED,
      identifyWindowMs: 0,
      guildsPerShard: UNLIMITED,
      identifiesPerPeriod: UNLIMITED,
    },
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
  foreign: (input) => foreignLoad(discord, input),
  tokens: ({ count }) => acknowledgedTokens(discord, count),
  async cpuTime() {
    const { user, system } = process.cpuUsage();
    return { cpuMicros: user + system };
  },
};

process.send?.({
  apiUrl: discord.apiUrl,
  token: discord.token,
  applicationId: discord.applicationId,
  settings,
} satisfies ServerInfo);

for await (const [command] of on(process, 'message', { close: ['disconnect'] })) {
  const { kind, input } = command as Command;
  const output = await (handlers[kind] as (input: unknown) => Promise<unknown>)(input);
  assertNoViolations(discord);
  process.send?.(output);
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
