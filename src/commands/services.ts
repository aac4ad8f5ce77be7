import type { Follower } from '../discord/follower.ts';
import type { Funnel } from '../discord/funnel.ts';
import { definersFor, type HandlerContext } from '../discord/handlers.ts';
import type { InteractionFacts } from '../discord/place.ts';
import type { RateLimiter } from '../discord/rates.ts';
import type { Messages } from '../messages/open-messages.ts';
import type { Engine } from '../services/engine.ts';
import type { RuleTargets } from '../services/rules/rules-file.ts';
import type { CommandsParts } from './parts.ts';
import type { ReportDelivery } from './server/report-delivery.ts';

/** What commands, buttons and forms use. `createCommands` assembles it. */
export interface Services extends CommandsParts, Engine, Messages {
  reportDelivery: ReportDelivery;
  ruleTargets: RuleTargets;
  rateLimiter: RateLimiter;
  follows: Follower;
  funnel: Funnel;
  /** Servers whose admins can see what the gateway account has spent. */
  adminGuildIds: readonly string[];
  /** The commands and menus that are registered for this place, with their ids. */
  registeredCommands(place: InteractionFacts): Promise<ReadonlyMap<string, string>>;
}

export type Context = HandlerContext<Services>;

export const { command, on } = definersFor<Services>();
