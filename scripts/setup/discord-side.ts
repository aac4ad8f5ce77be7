import { setTimeout } from 'node:timers/promises';
import { REST } from '@discordjs/rest';
import {
  type APIApplication,
  type APIGuildChannel,
  type APIGuildMember,
  ChannelType,
  type RESTAPIPartialCurrentUserGuild,
  Routes,
} from 'discord-api-types/v10';
import * as shape from '../../src/config-shapes.ts';
import { missingPermissions, neededPermissions, permissionsIn } from '../../src/discord/guards.ts';
import { reachDiscord } from '../../src/discord/reach.ts';
import { canReadMessages, MissingIntent } from '../../src/discord/reads.ts';
import { terminalSafe } from '../../src/lib/text.ts';
import { say } from '../../src/locales/index.ts';
import type { Draft } from './draft.ts';
import { counted, type Terminal } from './terminal.ts';

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

const ENDPOINT_PROBLEM =
  'Discord sends the commands to an Interactions Endpoint URL, so the bot would get none. Clear that field under General Information in the developer portal.';
const CODE_GRANT_PROBLEM =
  'Requires OAuth2 Code Grant is on, so the invite link would fail. Turn it off under Bot in the developer portal.';
const PUBLIC_PROBLEM =
  'Public Bot is on: anyone can add the bot to their own server and spend your money. In the developer portal, set Install Link to None under Installation, then turn Public Bot off under Bot. Or name your servers in DISCORD_GUILD_IDS.';

/** What would keep the bot from working, or cost its operator money, although the token is right. */
export function applicationProblems(application: APIApplication, draft: Draft): string[] {
  const needsContent = shape.onOff.safeParse(draft.get('DISCORD_MESSAGE_CONTENT')).data === true;
  return [
    needsContent && !canReadMessages(application) && new MissingIntent().message,
    Boolean(application.interactions_endpoint_url) && ENDPOINT_PROBLEM,
    application.bot_require_code_grant && CODE_GRANT_PROBLEM,
    application.bot_public && !draft.get('DISCORD_GUILD_IDS') && PUBLIC_PROBLEM,
  ].filter((problem) => typeof problem === 'string');
}

/** The permissions that the bot needs and does not have, as Discord names them. */
export const missingNames = (appPermissions: bigint): string =>
  missingPermissions({ appPermissions })
    .map((name) => say(`permissions.${name}`))
    .join(', ');

/** The servers that the bot is on; at most those of one page. */
export const readServers = async (rest: REST): Promise<Server[]> =>
  (await reachDiscord(rest.get(Routes.userGuilds()))) as Server[];

/** Waits until the bot is on a server, but not for long, and not after Enter. Returns its servers. */
export async function waitForServer(rest: REST, isThere: (servers: Server[]) => boolean, terminal: Terminal) {
  const waiting = new AbortController();
  const skip = terminal.enter(waiting.signal).then(() => waiting.abort());
  try {
    for (const deadline = Date.now() + WAIT_LIMIT_MS; ; await Promise.race([skip, setTimeout(POLL_INTERVAL_MS)])) {
      const servers = await readServers(rest);
      if (isThere(servers) || waiting.signal.aborted || Date.now() > deadline) return servers;
    }
  } finally {
    waiting.abort();
    await skip;
  }
}

/** Prints which permissions the bot lacks, and what each is for. Returns whether it has all of them on every server. */
export async function checkPermissions(rest: REST, servers: Server[], botId: string, terminal: Terminal) {
  let hasAll = true;
  for (const server of servers.slice(0, MAX_SERVERS)) {
    const missingNames = missingPermissions({ appPermissions: BigInt(server.permissions) });
    if (missingNames.length === 0) {
      await checkChannels(rest, server, botId, terminal);
      continue;
    }
    hasAll = false;
    terminal.bad(`On ${terminalSafe(server.name)}, the bot lacks these permissions:`);
    for (const { name, purpose } of neededPermissions.filter((one) => missingNames.includes(one.name)))
      terminal.say(`   - ${say(`permissions.${name}`)}: ${say(`rules.check.uses.${purpose}`).replaceAll('`', '')}`);
    terminal.say('   Open the link above again, or give them to the bot’s role (Server Settings, Roles).');
  }
  if (servers.length > MAX_SERVERS)
    terminal.say(`   Not examined: ${counted(servers.length - MAX_SERVERS, 'more server')}.`);
  return hasAll;
}

async function checkChannels(rest: REST, server: Server, botId: string, terminal: Terminal): Promise<void> {
  const [channels, member] = (await reachDiscord(
    Promise.all([rest.get(Routes.guildChannels(server.id)), rest.get(Routes.guildMember(server.id, botId))]),
  )) as [APIGuildChannel[], APIGuildMember];
  const bot = { guildId: server.id, roleIds: member.roles, memberId: botId };
  const lacking = channels
    .filter(({ type }) => type === ChannelType.GuildText || type === ChannelType.GuildAnnouncement)
    .map((channel) => ({ channel, appPermissions: permissionsIn([server], bot, channel.permission_overwrites) }))
    .filter((place) => missingPermissions(place).length > 0);
  const exception = lacking.length === 0 ? '.' : `, except in ${lacking.length} of its channels:`;
  terminal.good(`On ${terminalSafe(server.name)}, the bot has all the permissions it needs${exception}`);
  for (const { channel, appPermissions } of lacking.slice(0, MAX_CHANNELS)) {
    const missing = appPermissions === 0n ? 'the bot does not see it' : missingNames(appPermissions);
    terminal.say(`   - #${terminalSafe(channel.name)}: ${missing}`);
  }
  if (lacking.length > MAX_CHANNELS) terminal.say(`   - and ${lacking.length - MAX_CHANNELS} more`);
}
