import { GatewayIntentBits } from 'discord-api-types/v10';

export type PrivilegedIntent = 'message-content' | 'members' | 'presences';

const PRIVILEGED_INTENTS: Readonly<Record<PrivilegedIntent, number>> = {
  'message-content': GatewayIntentBits.MessageContent,
  members: GatewayIntentBits.GuildMembers,
  presences: GatewayIntentBits.GuildPresences,
};

const KNOWN_INTENTS = Object.values(GatewayIntentBits)
  .filter((bit) => typeof bit === 'number')
  .reduce((sum, bit) => sum | bit, 0);

/** The close code for intents that are invalid or not enabled (documentation, "Gateway Close Event Codes"). */
export function intentsCloseCode(intents: unknown, enabled: readonly PrivilegedIntent[]): 4013 | 4014 | undefined {
  if (!Number.isInteger(intents) || Number(intents) < 0 || (Number(intents) & ~KNOWN_INTENTS) !== 0) return 4013;
  const names = Object.keys(PRIVILEGED_INTENTS) as PrivilegedIntent[];
  const isDisallowed = (name: PrivilegedIntent) =>
    (Number(intents) & PRIVILEGED_INTENTS[name]) !== 0 && !enabled.includes(name);
  return names.some(isDisallowed) ? 4014 : undefined;
}

/** The intent that message events require in a guild or in a direct message. */
export const messageIntent = (guildId: string | undefined) =>
  guildId === undefined ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages;
