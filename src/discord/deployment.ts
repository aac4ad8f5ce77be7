import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  OAuth2Scopes,
} from 'discord-api-types/v10';
import { neededPermissions } from './guards.ts';
import type { CommandBody } from './registration.ts';

export interface Deployment {
  create: CommandBody[];
  change: { id: string; body: CommandBody }[];
  remove: APIApplicationCommand[];
  unchanged: CommandBody[];
}

/** Only writes the differences, because Discord allows only 200 creations a day. */
export function planDeployment(
  registered: readonly APIApplicationCommand[],
  definitions: readonly CommandBody[],
): Deployment {
  const deployment: Deployment = { create: [], change: [], remove: [], unchanged: [] };
  const matchedCommands = new Set<APIApplicationCommand>();
  for (const body of definitions) {
    const { name, type = ApplicationCommandType.ChatInput } = body;
    const existing = registered.find((command) => command.name === name && command.type === type);
    if (existing) matchedCommands.add(existing);
    if (!existing) deployment.create.push(body);
    else if (isSameCommand(existing, body)) deployment.unchanged.push(body);
    else deployment.change.push({ id: existing.id, body });
  }
  for (const command of registered) {
    if (!matchedCommands.has(command)) deployment.remove.push(command);
  }
  return deployment;
}

function isSameCommand(existing: APIApplicationCommand, body: CommandBody): boolean {
  // Discord keeps no contexts for the commands of one server, because they are offered nowhere else.
  const isGlobal = existing.guild_id === undefined;
  return comparableForm(existing, isGlobal) === comparableForm(body, isGlobal);
}

/** A comparable form of a command, without the fields that Discord adds. An absent field equals its default. */
function comparableForm(command: APIApplicationCommand | CommandBody, isGlobal: boolean): string {
  const { type = 1, name, name_localizations, default_member_permissions } = command;
  const { contexts, integration_types } = isGlobal ? command : {};
  const { description = '', description_localizations, options = [] } = 'description' in command ? command : {};
  const sorted = (list: readonly number[] | null | undefined): number[] => [...(list ?? [])].sort();
  return JSON.stringify(
    normalize({
      type,
      name,
      name_localizations,
      description,
      description_localizations,
      options,
      contexts: sorted(contexts),
      integration_types: sorted(integration_types),
      default_member_permissions,
    }),
  );
}

/** Leaves out defaults, empty lists and absent translations, and sorts the keys. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  const significant = Object.entries(value).filter(([, one]) => !isDefault(one));
  return Object.fromEntries(
    significant.map(([key, one]) => [key, normalize(one)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

const isDefault = (value: unknown): boolean =>
  (value ?? false) === false || (typeof value === 'object' && Object.keys(Object(value)).length === 0);

const PERMISSIONS = neededPermissions.reduce((all, { bits }) => all | bits, 0n);

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
