import type { Follower } from '../discord/follower.ts';
import type { Funnel } from '../discord/funnel.ts';
import type { refuseUnserved } from '../discord/guards.ts';
import type { InteractionPlace } from '../discord/interaction-facts.ts';
import type { Operator, OperatorSettings } from '../discord/operator.ts';
import type { DiscordClients, ReadMessages } from '../discord/outbox/clients.ts';
import type { MessageRemover } from '../discord/outbox/message-remover.ts';
import type { Outbox } from '../discord/outbox/outbox.ts';
import type { RateLimiter, RateSettings } from '../discord/rates.ts';
import type { ReaderLanguages } from '../discord/reader-languages.ts';
import type { DiscordReader } from '../discord/reads.ts';
import type { ClusterHealth } from '../discord/shards/cluster-health.ts';
import type { AppContext } from '../lib/app-context.ts';
import type { Messages } from '../messages/open-messages.ts';
import type { GatewayError } from '../services/gateway/errors.ts';
import type { Gateway } from '../services/gateway/gateway.ts';
import type { GatewaySettings } from '../services/gateway/settings.ts';
import type { Domains } from '../services/operations/engine.ts';
import type { Readiness } from '../services/operations/readiness.ts';
import type { Discord } from '../services/orders/discord.ts';
import type { StoreOwnership } from '../services/store/lease.ts';
import type { Notice } from '../services/store/notice.ts';
import type { Run } from '../services/store/runs.ts';

/** What a bot with commands has beside its domains. */
export interface BotContext extends AppContext {
  settings: BotSettings;
}

interface BotSettings {
  /** `adminGuildIds`: servers whose admins can see what the gateway account has spent. */
  discord: Parameters<typeof refuseUnserved>[0] & ReadMessages & { adminGuildIds: readonly string[] };
  /** `remix`: whether the gateway's account is in remix mode. */
  gateway: Pick<GatewaySettings, 'fields'> & { remix: boolean };
  /** Used if a member names no model. */
  models: Readonly<Partial<Record<'image' | 'video' | 'music' | 'text' | 'talk', string>>>;
  operator: OperatorSettings;
  followQuietMs: number;
  rates: RateSettings;
}

export interface DiscordServices {
  clients: DiscordClients;
  reads: DiscordReader;
  outbox: Outbox;
  operator: Operator;
  readers: ReaderLanguages;
  remover: MessageRemover;
  forServices: Discord;
  funnel: Funnel;
  rateLimiter: RateLimiter;
  follows: Follower;
  /** The commands and menus that are registered for this place, with their ids. */
  registeredCommands(place: InteractionPlace): Promise<ReadonlyMap<string, string>>;
}

interface OperatorState {
  readiness: Readiness;
  /** The current notices, oldest first. */
  notices: readonly Notice[];
  /** The recent starts, newest first. */
  runs: readonly Run[];
}

interface Operations {
  version: string;
  ownership: StoreOwnership;
  /** What only the operator sees. `gatewayError`: why a request to the gateway has just failed. */
  state(gatewayError?: GatewayError): Promise<OperatorState>;
  /** Undefined if the bot is a single process. */
  clusterHealth?: (() => Promise<ClusterHealth | undefined>) | undefined;
}

export interface CommandSources extends BotContext, Domains {
  gateway: Gateway;
  discord: DiscordServices;
  messages: Messages;
  operations: Operations;
}
