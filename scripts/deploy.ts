import { DiscordAPIError, REST } from '@discordjs/rest';
import {
  type APIApplication,
  type APIApplicationCommand,
  ApplicationCommandType,
  RESTJSONErrorCodes,
  Routes,
} from 'discord-api-types/v10';
import { features, ruleTargets } from '../src/commands/index.ts';
import { type Config, ConfigError, readConfig } from '../src/config.ts';
import * as shape from '../src/config-shapes.ts';
import { DiscordUnreachable, NotDiscord, reachDiscord, TOKEN_REJECTED } from '../src/discord/reach.ts';
import { type Deployment, installLinks, planDeployment, registrations } from '../src/discord/registration.ts';
import { isRecord } from '../src/lib/exact-json.ts';
import { terminalSafe } from '../src/lib/text.ts';
import { checkedSizes, labelOf, MAX_COMMAND } from './command-limits.ts';
import { EX_CONFIG, EX_NOPERM, EX_TEMPFAIL, EX_USAGE, runScript, Stop, type Values } from './usage.ts';

const NO_ACCESS = new Set<number | string>([RESTJSONErrorCodes.MissingAccess, RESTJSONErrorCodes.MissingPermissions]);

const USAGE = 'npm run deploy -- [--guild <server ID>] [--dry-run] [--clear]';
const does = 'Registers the commands and prints the link that adds the bot to a server.';
const GUILD =
  'registers on this server only, where changes appear immediately (default: DISCORD_GUILD_ID, else all servers)';
const options = {
  guild: { type: 'string', help: GUILD },
  'dry-run': { type: 'boolean', default: false, help: 'only shows what would change' },
  clear: { type: 'boolean', default: false, help: 'removes the commands' },
} as const;

async function deploy({ guild, clear, 'dry-run': isDryRun }: Values<typeof options>): Promise<number> {
  if (guild !== undefined && !shape.guildId.safeParse(guild).success)
    throw new Stop(EX_USAGE, `--guild should be ${shape.guildId.description}. Usage: ${USAGE}`);
  const { discord } = readConfig(process.env, ruleTargets);
  const { id } = await registerCommands(discord, { guild, isDryRun, clear, onPlan: printPlan });
  if (!clear) printLinks(id, discord);
  return 0;
}

interface Registration {
  guild?: string | undefined;
  isDryRun?: boolean;
  clear?: boolean;
  /** Called before anything changes. */
  onPlan?: typeof printPlan;
}

/** Registers the commands. Returns the ID of the application, and how many commands are now registered where. */
export async function registerCommands(
  discord: Config['discord'],
  { guild = discord.deployGuildId, isDryRun = false, clear = false, onPlan }: Registration = {},
) {
  const rest = new REST({ version: '10', api: discord.apiUrl }).setToken(discord.token);
  const { id } = await readApplication(rest);
  const commandsRoute =
    guild === undefined ? Routes.applicationCommands(id) : Routes.applicationGuildCommands(id, guild);
  const registeredCommands = await readCommands(rest, commandsRoute);
  const desiredCommands = clear ? [] : registrations(features, discord);
  const sizes = checkedSizes(desiredCommands);
  const deployment = planDeployment(registeredCommands, desiredCommands);
  const scope = guild === undefined ? 'on all servers' : `on server ${guild}`;
  onPlan?.(deployment, sizes, isDryRun ? `Planned changes ${scope}:` : `Commands ${scope}:`);
  if (!isDryRun) await apply(deployment, rest, commandsRoute);
  if (guild !== undefined && !clear) await warnOfGlobalCommands(rest, id, guild, isDryRun);
  return { id, count: desiredCommands.length, scope };
}

/** With the translations, which Discord otherwise leaves out, so that each command would seem to have changed. */
export const readCommands = async (rest: REST, route: `/${string}`): Promise<APIApplicationCommand[]> =>
  (await rest.get(route, { query: new URLSearchParams({ with_localizations: 'true' }) })) as APIApplicationCommand[];

/** A proxy or a wrong address may respond with a page, which the library returns as bytes. */
export async function readApplication(rest: REST): Promise<APIApplication> {
  const application = await reachDiscord(rest.get(Routes.currentApplication()));
  if (isRecord(application) && typeof application.id === 'string') return application as unknown as APIApplication;
  throw new NotDiscord();
}

export function printLinks(id: string, discord: Config['discord']): void {
  const links = installLinks(id, discord);
  console.log(`\nAdd the bot to a server:  ${links.server}`);
  if (links.person) console.log(`Add it to your account:   ${links.person}`);
}

/** Discord shows the commands of a server next to the global ones, even if they have the same names. */
async function warnOfGlobalCommands(rest: REST, id: string, guild: string, isDryRun: boolean): Promise<void> {
  const globalCommands = (await rest.get(Routes.applicationCommands(id))) as APIApplicationCommand[];
  if (globalCommands.length === 0) return;
  const consequence = isDryRun
    ? `would see them twice after this.`
    : `see them twice. To remove those of this server: npm run deploy -- --guild ${guild} --clear`;
  console.log(
    `\n${globalCommands.length} commands are also registered on all servers, so members of server ${guild} ${consequence}`,
  );
}

async function apply(
  { create, change, remove, unchanged }: Deployment,
  rest: REST,
  commandsRoute: `/${string}`,
): Promise<void> {
  const isAnyRegistered = change.length + remove.length + unchanged.length > 0;
  if (!isAnyRegistered && create.length > 0) {
    // Discord lets each of more than a few creations wait for seconds. This one request would replace registered commands.
    await rest.put(commandsRoute, { body: create });
    return;
  }
  for (const body of create) await rest.post(commandsRoute, { body });
  for (const { id, body } of change) await rest.patch(`${commandsRoute}/${id}`, { body });
  for (const { id } of remove) await rest.delete(`${commandsRoute}/${id}`);
}

/** Discord's limits for each server, and for all servers together. */
const MAX_COMMANDS = 100;
const MAX_MENU_ENTRIES = 15;

function printPlan(
  { create, change, remove, unchanged }: Deployment,
  sizes: ReturnType<typeof checkedSizes>,
  title: string,
): void {
  const changed = change.map(({ body }) => body);
  const lines = Object.entries({ new: create, changed, removed: remove, unchanged }).flatMap(([verdict, commands]) =>
    commands.map((command) => `  ${verdict.padEnd(9)} ${labelOf(command)}`),
  );
  console.log([title, ...(lines.length === 0 ? ['  none'] : lines)].join('\n'));
  const desired = [...create, ...changed, ...unchanged];
  const menuCount = desired.filter(({ type }) => type === ApplicationCommandType.Message).length;
  const commandCount = desired.length - menuCount;
  console.log(`  ${commandCount} of ${MAX_COMMANDS} commands, ${menuCount} of ${MAX_MENU_ENTRIES} menu entries`);
  if (sizes.length > 0) console.log(`Characters in the longest language, of ${MAX_COMMAND} for each command:`);
  for (const { label, characters, language } of sizes)
    console.log(`  ${label.padEnd(18)} ${String(characters).padStart(5)}  ${language}`);
}

const UNREACHABLE =
  'Discord cannot be reached. Check the network of this machine (proxies in its settings are not used), or wait if Discord has an outage, and try again.';
const noAccess = (code: number | string): string =>
  `Discord gives the bot no access to a server (code ${code}). Check --guild or DISCORD_GUILD_ID, and that DISCORD_TOKEN is that of the bot there, or add it with its invite link.`;

/** Says what went wrong with the settings or with Discord and what to do about it, and with which code to exit. */
export function explainFailure(error: unknown): Stop {
  if (error instanceof Stop) return error;
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ variable, problem }) => `  ${variable} ${problem}`);
    return new Stop(EX_CONFIG, `Invalid settings (see .env.example):\n${problems.join('\n')}`);
  }
  if (error instanceof Error && 'status' in error && error.status === 401) return new Stop(EX_NOPERM, TOKEN_REJECTED);
  if (error instanceof NotDiscord) return new Stop(EX_CONFIG, error.message);
  if (error instanceof DiscordUnreachable) return new Stop(EX_TEMPFAIL, UNREACHABLE);
  if (error instanceof DiscordAPIError && NO_ACCESS.has(error.code)) return new Stop(EX_CONFIG, noAccess(error.code));
  const lines = (error instanceof Error ? error.message : String(error)).split('\n').map(terminalSafe);
  const subject = error instanceof Error && 'syscall' in error ? '' : 'The request to Discord failed: ';
  return new Stop(1, subject + lines.join('\n'));
}

// Lines are not broken, because this script writes to logs, too.
export const main = (): Promise<void> => runScript({ usage: USAGE, does, options, explain: explainFailure }, deploy);
if (import.meta.main) await main();
