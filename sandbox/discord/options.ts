import type { Clock } from '../../src/lib/clock.ts';
import type { Limits } from './limits.ts';
import type { PrivilegedIntent } from './socket/intents.ts';

export interface DiscordOptions {
  /** Any free one, unless told. */
  readonly port?: number;
  /** Token life, the three seconds to acknowledge, and every window of a limit. */
  readonly clock?: Clock;
  /** The bot's; a fixed well-formed one, unless told. */
  readonly token?: string;
  /** On top of Discord's own. */
  readonly limits?: Partial<Limits>;
  /** What the developer portal has switched on. */
  readonly privilegedIntents?: readonly PrivilegedIntent[];
  /**
   * Whether an interaction whose deferred answer was deleted still takes a follow-up. Discord has answered such a one with 10008
   * (api-docs#2739), so an application may rely on neither.
   */
  readonly followUpAfterDeletion?: boolean;
  /** Plain guilds beside the furnished ones. */
  readonly guilds?: number;
}
