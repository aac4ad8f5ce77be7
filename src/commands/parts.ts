import type { refuseUnserved } from '../discord/guards.ts';
import type { Operator } from '../discord/operator.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import type { Outbox } from '../discord/outbox/outbox.ts';
import type { MessageRemover } from '../discord/outbox/removal.ts';
import type { RateSettings } from '../discord/rates.ts';
import type { DiscordReader } from '../discord/reads.ts';
import type { ClusterHealth } from '../discord/shards/cluster-health.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Say } from '../locales/index.ts';
import type { Messages } from '../messages/open-messages.ts';
import type { Gateway } from '../services/gateway/gateway.ts';
import type { GatewaySettings } from '../services/gateway/settings.ts';
import type { Engine } from '../services/operations/engine.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import type { OperatorState } from './about/view.ts';

interface CommandsSettings {
  discord: Parameters<typeof refuseUnserved>[0] & { adminGuildIds: readonly string[] };
  gateway: Pick<GatewaySettings, 'fields'>;
  /** Used if a member names no model. */
  models: Readonly<Partial<Record<'image' | 'video' | 'music' | 'text' | 'talk', string>>>;
  followQuietMs: number;
  rates: RateSettings;
}

/** What the commands are made of. */
export interface CommandsParts extends MessageRemover {
  settings: CommandsSettings;
  version: string;
  engine: Engine;
  messages: Messages;
  store: StoredTasks;
  gateway: Gateway;
  clients: DiscordClients;
  reads: DiscordReader;
  outbox: Outbox;
  operator: Operator;
  /** The part of the state that only the operator sees. */
  operatorState(): Promise<OperatorState>;
  loadRules(guildId: string): Promise<boolean>;
  /** Undefined if the bot is a single process. */
  clusterHealth?: (() => Promise<ClusterHealth | undefined>) | undefined;
  say: Say;
  clock: Clock;
  log: Log;
}
