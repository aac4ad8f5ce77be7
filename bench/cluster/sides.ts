import { on } from 'node:events';
import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { guildCreatePayload } from '../../sandbox/discord/wire/guild.ts';
import type { Channel, Role, World } from '../../sandbox/discord/world.ts';
import { createStudio } from '../../sandbox/gateway/studio/index.ts';
import { assertNoViolations, openSides, UNLIMITED } from '../harness/sides.ts';
import { Members } from './members.ts';
import type { Command, Commands, EmbeddedServersOptions, StartedServers } from './orders.ts';

/** The embedded servers, in a separate process, so that they take no CPU time from the measured processes. */

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
const { discord, settings } = await openSides({
  gateway: { seed: 1, speed: GATEWAY_SPEED, studio: { ...studio, drawGrid } },
  discord: {
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

process.send?.({
  settings: {
    ...settings,
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
  assertNoViolations(discord);
  process.send?.(output);
}

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
