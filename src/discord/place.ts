import { type BaseInteraction, type ChannelType, PermissionFlagsBits } from 'discord.js';
import { z } from 'zod';

/** Where and for whom an interaction was made, from its payload alone. */
export interface Place {
  userId: string;
  guildId: string | undefined;
  channelId: string | undefined;
  /** Undefined where the payload does not say it. */
  channelType: ChannelType | undefined;
  locale: string;
  /** When it was made, by Discord's clock. */
  askedAt: number;
  /** What the member may do here; none outside of servers. */
  permissions: bigint;
  /** What the bot may do here. */
  appPermissions: bigint;
  /** Bytes that an attachment may have. */
  uploadLimit: number;
  /** Whether the server installed the bot, or only the person did. */
  install: 'guild' | 'user';
}

export function placeOf(interaction: BaseInteraction, channelType?: ChannelType): Place {
  const { guildId, channelId, user, locale, memberPermissions, appPermissions, attachmentSizeLimit, createdTimestamp } =
    interaction;
  // Key "0" is the server that installed the bot; in a direct message with the bot it is "0" too.
  const isGuildInstall = interaction.authorizingIntegrationOwners?.['0'] !== undefined;
  return {
    userId: user.id,
    guildId: guildId ?? undefined,
    channelId: channelId ?? undefined,
    channelType,
    locale,
    askedAt: createdTimestamp,
    permissions: memberPermissions?.bitfield ?? 0n,
    appPermissions: appPermissions.bitfield,
    uploadLimit: attachmentSizeLimit,
    install: isGuildInstall ? 'guild' : 'user',
  };
}

export const mayManageMessages = ({ permissions }: Place): boolean =>
  (permissions & PermissionFlagsBits.ManageMessages) !== 0n;

/** An administrator may do everything, and is not always told bit by bit. */
export const mayManageServer = ({ permissions }: Place): boolean =>
  (permissions & (PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator)) !== 0n;

/** Interactions are handled as soon as they are heard; before the library is ready it keeps some of them back. */
const MOST_REMEMBERED = 1_000;

const made = z.object({
  t: z.literal('INTERACTION_CREATE'),
  d: z.object({ id: z.string(), channel: z.object({ type: z.number() }) }),
});

/** In what kind of channel interactions are made. The payload says it, and the library tells it only of servers that it keeps in memory. */
export class Whereabouts {
  readonly #types = new Map<string, number>();

  hear(packet: unknown): void {
    const { d: interaction } = made.safeParse(packet).data ?? {};
    if (!interaction) return;
    this.#types.set(interaction.id, interaction.channel.type);
    const [oldest] = this.#types.keys();
    if (this.#types.size > MOST_REMEMBERED && oldest !== undefined) this.#types.delete(oldest);
  }

  channelTypeOf(interactionId: string): number | undefined {
    return this.#types.get(interactionId);
  }
}
