import { on } from 'node:events';
import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { startDiscord } from '../../sandbox/discord/discord.ts';
import { guildCreatePayload } from '../../sandbox/discord/wire/guild.ts';
import type { Channel, Role, World } from '../../sandbox/discord/world.ts';
import { startGateway } from '../../sandbox/gateway/gateway.ts';
import { createStudio } from '../../sandbox/gateway/studio/index.ts';
import { features } from '../../src/commands/index.ts';
import { registrationOf } from '../../src/discord/registration.ts';
import { noLimits } from '../../test/support/no-limits.ts';
import { Members } from './members.ts';
import type { Command, Commands, EmbeddedServersOptions, StartedServers } from './orders.ts';

/** The embedded servers, in a separate process, so that they take no CPU time from the measured processes. */

/** Discord's limits for one token are not measured here. */
const UNLIMITED = 1_000_000_000;
const API_KEY = 'sk-sandbox';
/** The shortest time between two polls is longer than any job takes at this speed. */
const GATEWAY_SPEED = 60;
/** Discord only documents the maximum numbers: 500 channels and 250 roles. */
const [CHANNEL_COUNT, ROLE_COUNT] = [50, 30];
const FIRST_ID = 1_000_000_000_000_000_000n;

const { guilds, shards, ...others } = JSON.parse(process.argv[2] ?? '') as EmbeddedServersOptions;
const studio = createStudio();
const images = new Map<string, ReturnType<typeof studio.drawGrid>>();
/** Drawing is not measured, so every result of the same size is the same image. */
const drawGrid: typeof studio.drawGrid = (scenes, options) => {
  const { width, height, finished } = options;
  const name = `${width}x${height} ${finished === undefined}`;
  const image = images.get(name) ?? studio.drawGrid(scenes, options);
  images.set(name, image);
  return image;
};
const gateway = await startGateway({
  keys: [{ key: API_KEY }],
  seed: 1,
  speed: GATEWAY_SPEED,
  studio: { ...studio, drawGrid },
});
const discord = await startDiscord({
  guilds,
  shards,
  limits: {
    webhookPerToken: UNLIMITED,
    globalPerSecond: UNLIMITED,
    messagesPerChannel: UNLIMITED,
    editsPerChannel: UNLIMITED,
    otherPerRoute: UNLIMITED,
    identifiesPerPeriod: UNLIMITED,
    maxConcurrency: others.maxConcurrency,
    ...(!others.isIdentifyLimited && { identifyWindowMs: 0 }),
    // Large events of many shards would fill the memory.
    ...(others.areLarge && { sessionEvents: 100 }),
  },
});
if (others.areLarge) enlarge(discord.world);
const members = new Members(discord, others.partitions);

type Handlers = { [Kind in keyof Commands]: (input: Commands[Kind]['input']) => Promise<Commands[Kind]['output']> };

const handlers: Handlers = {
  sessions: async () => discord.gateway.sessions,
  async endSessions() {
    discord.gateway.invalidate(false);
    return null;
  },
  load: (input) => members.load(input),
  async work(input) {
    members.work(input);
    return null;
  },
  takeFigures: async () => members.takeFigures(),
  async stopWork() {
    await members.stopWork();
    return null;
  },
  steadyOrders: (input) => members.steadyOrders(input),
  async cpuTime() {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1_000 };
  },
};

const registered = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
  method: 'PUT',
  headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
  body: JSON.stringify(features.map((feature) => registrationOf(feature, { userInstall: false }))),
});
if (!registered.ok) throw new Error(`The commands were not accepted: ${await registered.text()}`);

process.send?.({
  settings: {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    GATEWAY_BASE_URL: gateway.url,
    GATEWAY_API_KEY: API_KEY,
    ...noLimits,
    // Each task is polled on the same schedule, and never waits for the polls of others.
    POLL_SCHEDULE: 'spec',
    GATEWAY_POLLS_PER_SECOND: '10000',
    GATEWAY_CONNECTIONS: '128',
  },
  guildBytes: JSON.stringify(guildCreatePayload(discord.world.guild('guild-1'), discord.world, 0, false)).length,
} satisfies StartedServers);

for await (const [command] of on(process, 'message', { close: ['disconnect'] })) {
  const { kind, input } = command as Command;
  const output = await (handlers[kind] as (input: unknown) => Promise<unknown>)(input);
  assertNoViolations();
  process.send?.(output);
}
await Promise.all([discord.close(), gateway.close()]);
await studio.close();

/** All servers share the same channels and roles, which are only listed and never used. */
function enlarge({ guilds }: World): void {
  const channels: Channel[] = Array.from({ length: CHANNEL_COUNT }, (_, index) => ({
    id: String(FIRST_ID + BigInt(index)),
    name: `channel-${index}-of-a-server`,
    type: ChannelType.GuildText,
    ageRestricted: false,
    overwrites: [{ id: String(FIRST_ID), kind: 'role', allow: 0n, deny: PermissionFlagsBits.SendMessages }],
  }));
  const roles: Role[] = Array.from({ length: ROLE_COUNT }, (_, index) => ({
    id: String(FIRST_ID + BigInt(CHANNEL_COUNT + index)),
    name: `a role ${index}`,
    permissions: PermissionFlagsBits.SendMessages | PermissionFlagsBits.ViewChannel,
  }));
  for (const guild of guilds.values()) {
    guild.channels.push(...channels);
    guild.roles.push(...roles);
  }
}

/** A refused request is cheaper than a successful one, so figures that include one are meaningless. */
function assertNoViolations(): void {
  // Violations in the embedded Discord's own responses do not concern the measured program.
  const violation = discord.violations.find(({ route }) => !route.startsWith('response '));
  if (violation) throw new Error(`The embedded Discord reported a violation: ${JSON.stringify(violation)}`);
  const [rateLimitHit] = discord.rateLimitHits;
  if (rateLimitHit) throw new Error(`The embedded Discord's own limits were reached: ${JSON.stringify(rateLimitHit)}`);
}
