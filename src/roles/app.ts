import type { Config } from '../config.ts';
import type { SettingsChange } from '../config-reload.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Cluster } from '../services/cluster/open-cluster.ts';
import type { GatewayLimits } from '../services/gateway/settings.ts';
import type { MediaProcess } from '../services/media/media-process.ts';
import type { StoreError } from '../services/tasks/store-error.ts';

/** A running process of the bot, in any role. */
export interface App extends RunningProcess {
  /** Reads the settings again. Undefined if nothing reads them. */
  reload: (() => Promise<SettingsChange>) | undefined;
}

/** A role, and how it takes over changed settings. */
export interface RunningRole extends RunningProcess {
  /** Undefined if this process is the whole bot. */
  cluster?: Cluster;
  /** Throws if changed settings cannot be taken over. Changes nothing. */
  prepareReload(next: Config): Promise<void>;
  /** Called once the settings in force have changed, for the parts that do not read them each time. */
  applyReload(): Promise<void>;
}

interface RunningProcess {
  /** Resolves with Discord's close code when Discord has closed the connection permanently, most likely because the token was reset. */
  readonly connectionLost: Promise<number>;
  /** Resolves when the bot has lost its store, so the process must end at once. Nothing is submitted, shown or stored from then on. */
  readonly storeLost: Promise<StoreError>;
  /** Accepts no new work, finishes running work within a time limit, and closes everything. */
  stop(): Promise<void>;
}

export interface AppTools {
  log: Log;
  version: string;
  /** Reads the settings as a start would, for a reload. Throws a `ConfigError`. */
  readSettings?: () => Config;
  clock?: Clock;
  gatewayLimits?: Partial<GatewayLimits>;
  /** The clock for downloading files; `clock` by default. */
  mediaClock?: Clock;
  /** Shared with other bots of this process, so it is not closed with this one. */
  mediaProcess?: MediaProcess;
  /** Origins of an embedded Discord or gateway, from which files are allowed although they are on this machine. */
  extraOrigins?: readonly string[];
  /** Called before the bot connects to Discord, so that everything that arrives can be recorded. */
  onClients?: (clients: DiscordClients) => void;
}
