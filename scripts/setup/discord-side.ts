import {
  type APIApplication,
  type APIGuildChannel,
  type APIGuildMember,
  ChannelType,
  PermissionFlagsBits,
  REST,
  type RESTAPIPartialCurrentUserGuild,
  Routes,
} from 'discord.js';
import { say } from '../../src/commands/index.ts';
import * as shape from '../../src/config-shapes.ts';
import { missingPermissions, neededPermissions } from '../../src/discord/guards.ts';
import { reachDiscord } from '../../src/discord/reach.ts';
import { canReadMessages, MissingIntent } from '../../src/discord/reads.ts';
import { terminalSafe } from '../../src/lib/text.ts';
import type { Draft } from './draft.ts';
import type { Terminal } from './terminal.ts';

/** More servers and channels are counted, but not examined or listed. */
const MAX_SERVERS = 10;
const MAX_CHANNELS = 5;
const TIME_LIMIT_MS = 15_000;
const POLL_INTERVAL_MS = 2_000;
/** The time to open a link, log in and choose a server. */
const WAIT_LIMIT_MS = 10 * 60_000;

type Server = RESTAPIPartialCurrentUserGuild;

export const openRest = (apiUrl: string, token: string): REST =>
  new REST({ version: '10', api: apiUrl, timeout: TIME_LIMIT_MS, retries: 1 }).setToken(token);

export const readApplication = async (rest: REST): Promise<APIApplication> =>
  (await reachDiscord(rest.get(Routes.currentApplication()))) as APIApplication;

/** What would keep the bot from working, or cost its operator money, although the token is right. */
export function applicationProblems(application: APIApplication, settings: Draft['settings']): string[] {
  const { DISCORD_GUILD_IDS: servers, DISCORD_MESSAGE_CONTENT: messageContent } = settings;
  const problems: string[] = [];
  if (shape.onOff.safeParse(messageContent?.trim() || undefined).data && !canReadMessages(application))
    problems.push(new MissingIntent().message);
  if (application.interactions_endpoint_url)
    problems.push(
      'Discord sends the commands to an Interactions Endpoint URL, so the bot would get none. Clear that field under General Information in the developer portal.',
    );
  if (application.bot_require_code_grant)
    problems.push(
      'Requires OAuth2 Code Grant is on, so the invite link would fail. Turn it off under Bot in the developer portal.',
    );
  if (application.bot_public && !servers?.trim())
    problems.push(
      'Public Bot is on: anyone can add the bot to their own server and spend your money. In the developer portal, set Install Link to None under Installation, then turn Public Bot off under Bot. Or name your servers in DISCORD_GUILD_IDS.',
    );
  return problems;
}

/** The servers that the bot is on; at most those of one page. */
export const readServers = async (rest: REST): Promise<Server[]> =>
  (await reachDiscord(rest.get(Routes.userGuilds()))) as Server[];

/** Waits until the bot is on a server, but not for long, and not after Enter. */
export async function waitForServer(rest: REST, terminal: Terminal): Promise<Server[]> {
  let isSkipped = false;
  const skipped = terminal.enter().then(() => {
    isSkipped = true;
  });
  for (const deadline = Date.now() + WAIT_LIMIT_MS; ; ) {
    const servers = await readServers(rest);
    if (servers.length > 0 || isSkipped || !terminal.canAsk || Date.now() > deadline) return servers;
    await Promise.race([skipped, new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))]);
  }
}

/** Prints which permissions the bot lacks, and what each is for. Returns whether it can work on every server. */
export async function checkPermissions(
  rest: REST,
  servers: Server[],
  botId: string,
  terminal: Terminal,
): Promise<boolean> {
  let canWork = true;
  for (const server of servers.slice(0, MAX_SERVERS)) {
    const missing = missingPermissions({ appPermissions: effective(BigInt(server.permissions)) });
    if (missing.length > 0) {
      canWork = false;
      terminal.bad(`On ${terminalSafe(server.name)}, the bot lacks:`);
      for (const { name, purpose } of neededPermissions.filter((one) => missing.includes(one.name)))
        terminal.say(`   - ${name}, for ${say(`rules.check.uses.${purpose}`).replaceAll('`', '')}`);
      terminal.say('   Open the invite link again, or give them to the bot’s role (Server Settings, Roles).');
    } else await checkChannels(rest, server, botId, terminal);
  }
  const others = servers.length - MAX_SERVERS;
  if (others > 0)
    terminal.say(`   ${others} more servers were not examined. /server check examines one channel of any.`);
  return canWork;
}

async function checkChannels(rest: REST, server: Server, botId: string, terminal: Terminal): Promise<void> {
  const [channels, member] = (await reachDiscord(
    Promise.all([rest.get(Routes.guildChannels(server.id)), rest.get(Routes.guildMember(server.id, botId))]),
  )) as [APIGuildChannel[], APIGuildMember];
  const lacking = channels
    .filter(({ type }) => type === ChannelType.GuildText || type === ChannelType.GuildAnnouncement)
    .map((channel) => ({
      name: channel.name,
      missing: missingPermissions({ appPermissions: permissionsIn(channel, server, [...member.roles], botId) }),
    }))
    .filter(({ missing }) => missing.length > 0);
  const name = terminalSafe(server.name);
  if (lacking.length === 0) return terminal.good(`On ${name}, the bot has all the permissions it needs.`);
  terminal.good(`On ${name}, the bot has all the permissions it needs, except in ${lacking.length} channels:`);
  for (const channel of lacking.slice(0, MAX_CHANNELS)) {
    const isHidden = channel.missing.length === neededPermissions.length;
    terminal.say(
      `   - #${terminalSafe(channel.name)}: ${isHidden ? 'not visible to the bot' : channel.missing.join(', ')}`,
    );
  }
  if (lacking.length > MAX_CHANNELS) terminal.say(`   - and ${lacking.length - MAX_CHANNELS} more`);
}

const { Administrator, ViewChannel } = PermissionFlagsBits;
const effective = (bits: bigint): bigint => ((bits & Administrator) === 0n ? bits : ~0n);

/** In the order of Discord's documentation (topics/permissions, "Permission Overwrites"): @everyone, roles, member. */
function permissionsIn(channel: APIGuildChannel, server: Server, roleIds: readonly string[], botId: string): bigint {
  const base = BigInt(server.permissions);
  if ((base & Administrator) !== 0n) return ~0n;
  const overwrites = channel.permission_overwrites ?? [];
  const bits = [[server.id], roleIds, [botId]].reduce((granted, ids) => {
    const applicable = overwrites.filter(({ id }) => ids.includes(id));
    const deny = applicable.reduce((sum, one) => sum | BigInt(one.deny), 0n);
    const allow = applicable.reduce((sum, one) => sum | BigInt(one.allow), 0n);
    return (granted & ~deny) | allow;
  }, base);
  return (bits & ViewChannel) === 0n ? 0n : bits;
}
