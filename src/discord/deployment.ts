import { type APIApplicationCommand, ApplicationIntegrationType, OAuth2Scopes, PermissionFlagsBits } from 'discord.js';
import type { CommandBody } from './registration.ts';

export interface Deployment {
  create: CommandBody[];
  change: { id: string; body: CommandBody }[];
  remove: { id: string; name: string }[];
  same: string[];
}

/** What has to be written so that Discord has what we want: only what differs, for Discord allows 200 creations a day. */
export function deploymentOf(
  registered: readonly APIApplicationCommand[],
  wanted: readonly CommandBody[],
  formerNames: ReadonlyMap<string, readonly string[]> = new Map(),
): Deployment {
  const deployment: Deployment = { create: [], change: [], remove: [], same: [] };
  const kept = new Set<APIApplicationCommand>();
  for (const body of wanted) {
    // A renamed command keeps its id: with it, the permissions that servers have set, and its place among the few menus that Discord allows.
    const names = [body.name, ...(formerNames.get(body.name) ?? [])];
    const [there] = names.flatMap((name) => registered.filter((command) => isCommand(command, { ...body, name })));
    if (there) kept.add(there);
    if (!there) deployment.create.push(body);
    else if (meaning(there) === meaning(body)) deployment.same.push(body.name);
    else deployment.change.push({ id: there.id, body });
  }
  for (const command of registered) {
    if (!kept.has(command)) deployment.remove.push({ id: command.id, name: command.name });
  }
  return deployment;
}

function isCommand(command: APIApplicationCommand, { name, type = 1 }: Pick<CommandBody, 'name' | 'type'>): boolean {
  return command.name === name && command.type === type;
}

/** What a command says, without what Discord adds to it and without the difference between "not said" and the default. */
function meaning(command: APIApplicationCommand | CommandBody): string {
  const { type, name, contexts, integration_types, default_member_permissions } = command;
  const { description = '', options = [] } = 'description' in command ? command : {};
  const sorted = (list: readonly number[] | null | undefined): number[] => [...(list ?? [])].sort();
  return JSON.stringify([
    type ?? 1,
    name,
    description,
    options.map(plain),
    sorted(contexts),
    sorted(integration_types),
    default_member_permissions ?? null,
  ]);
}

/** Defaults, empty lists and absent localisations say nothing; keys come in any order. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const saying = Object.entries(value).filter(
    ([, one]) => one !== undefined && one !== null && one !== false && !(Array.isArray(one) && one.length === 0),
  );
  return Object.fromEntries(
    saying.map(([key, one]) => [key, plain(one)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

/** What the bot needs to post results of long jobs where they were asked for, and to talk live in threads of its own: nothing more. */
const PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.CreatePublicThreads |
  PermissionFlagsBits.CreatePrivateThreads |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.SendVoiceMessages |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory;

export function installLinks(
  applicationId: string,
  { userInstall }: { userInstall: boolean },
): { server: string; person?: string } {
  const server = link(applicationId, {
    scope: `${OAuth2Scopes.Bot} ${OAuth2Scopes.ApplicationsCommands}`,
    permissions: String(PERMISSIONS),
    integration_type: String(ApplicationIntegrationType.GuildInstall),
  });
  if (!userInstall) return { server };
  const person = link(applicationId, {
    scope: OAuth2Scopes.ApplicationsCommands,
    integration_type: String(ApplicationIntegrationType.UserInstall),
  });
  return { server, person };
}

function link(applicationId: string, query: Record<string, string>): string {
  return `https://discord.com/oauth2/authorize?${new URLSearchParams({ client_id: applicationId, ...query })}`;
}
