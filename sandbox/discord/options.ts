import type { Clock } from '../clock.ts';
import type { CommandBody } from './command-registry.ts';
import type { Limits } from './limits.ts';
import type { PrivilegedIntent } from './socket/intents.ts';

export interface DiscordOptions {
  /** Any free port by default. */
  readonly port?: number;
  /** Governs token lifetimes, the acknowledgement deadline and all rate limits. */
  readonly clock?: Clock;
  /** The bot token; a fixed, well-formed one by default. */
  readonly token?: string;
  /** Overrides of Discord's limits. */
  readonly limits?: Partial<Limits>;
  /** The intents enabled in the developer portal. */
  readonly privilegedIntents?: readonly PrivilegedIntent[];
  /**
   * Whether an interaction accepts a follow-up after its deferred response was deleted. Discord has answered this with
   * 10008 (api-docs#2739), so an application must handle both cases.
   */
  readonly followUpAfterDeletion?: boolean;
  /**
   * The number of additional guilds without special channels. Their ids alternate between shards; those of the
   * predefined guilds do not.
   */
  readonly guilds?: number;
  /** The global commands that the application has registered before. */
  readonly commands?: readonly CommandBody[];
  /** Fields of the application as the developer portal sets them, such as `bot_public`. */
  readonly application?: Readonly<Record<string, unknown>>;
  /** The number of shards that `/gateway/bot` recommends; 1 by default. */
  readonly shards?: number;
  /**
   * Whether the token is reset if the application identifies when no session starts are left, as documented. If false,
   * only that session is refused. True by default.
   */
  readonly resetsToken?: boolean;
}
