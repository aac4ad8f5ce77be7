import { ApplicationIntegrationType, OAuth2Scopes, PermissionFlagsBits } from 'discord.js';

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
