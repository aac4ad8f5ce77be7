import { GatewayIntentBits } from 'discord-api-types/v10';

export type PrivilegedIntent = 'message-content' | 'members' | 'presences';

const privileged: Readonly<Record<PrivilegedIntent, number>> = {
  'message-content': GatewayIntentBits.MessageContent,
  members: GatewayIntentBits.GuildMembers,
  presences: GatewayIntentBits.GuildPresences,
};

const known = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === 'number')
  .reduce((sum, bit) => sum | bit, 0);

/** The close code for intents that are invalid or not enabled (documentation, "Gateway Close Event Codes"). */
export function refusalOf(intents: unknown, granted: readonly PrivilegedIntent[]): 4013 | 4014 | undefined {
  if (!Number.isInteger(intents) || Number(intents) < 0 || (Number(intents) & ~known) !== 0) return 4013;
  const names = Object.keys(privileged) as PrivilegedIntent[];
  const isRefused = (name: PrivilegedIntent) => (Number(intents) & privileged[name]) !== 0 && !granted.includes(name);
  return names.some(isRefused) ? 4014 : undefined;
}

/** The intent that message events require in a guild or in a direct message. */
export const messageIntent = (guildId: string | undefined) =>
  guildId === undefined ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages;
