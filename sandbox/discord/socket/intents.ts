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

/** The code a socket is closed with, where the wish cannot be granted (documentation, "Gateway Close Event Codes"). */
export function refusalOf(intents: unknown, granted: readonly PrivilegedIntent[]): 4013 | 4014 | undefined {
  if (!Number.isInteger(intents) || Number(intents) < 0 || (Number(intents) & ~known) !== 0) return 4013;
  const wished = Object.keys(privileged) as PrivilegedIntent[];
  const isRefused = (name: PrivilegedIntent) => (Number(intents) & privileged[name]) !== 0 && !granted.includes(name);
  return wished.some(isRefused) ? 4014 : undefined;
}

/** What a session must have asked for to hear of something in a guild or in a direct message. */
export const messageIntent = (guildId: string | undefined) =>
  guildId === undefined ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages;
