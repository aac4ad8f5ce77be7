/** The messages to the process with the embedded servers, and its replies. */
export interface Commands {
  /** How many shards are connected. */
  sessions: { input: null; output: number };
  /** Ends every session, so that the next processes start new ones. */
  endSessions: { input: null; output: null };
  /** Members who use `/models` at a steady pace, in one server after another. */
  load: { input: Load; output: LoadFigures };
  /** Members who order again as soon as an order has ended, until `stopWork`. */
  work: { input: Work; output: null };
  /** What the members who order have observed since this was last requested. */
  takeFigures: { input: null; output: WorkFigures };
  /** Ends all ordering, and waits for the orders that are still running. */
  stopWork: { input: null; output: null };
  /** One member who orders repeatedly at a steady pace, while other members may be ordering too. */
  steadyOrders: { input: SteadyOrders; output: number[] };
  /** The CPU time of the embedded servers so far. */
  cpuTime: { input: null; output: { cpuMs: number } };
}

export interface Load {
  perSecond: number;
  seconds: number;
  /** Restricts the load to servers in these partitions; all by default. */
  partitions?: readonly number[];
}

export interface LoadFigures {
  /** From sending INTERACTION_CREATE to receiving its callback, by the clock of the embedded Discord. */
  milliseconds: number[];
  /** How many interactions got no callback within three seconds. */
  missed: number;
}

export type TaskType = 'text' | 'image';

export interface Work {
  what: TaskType;
  /** The number of orders that run at a time. */
  members: number;
  /** The servers in which they order, in turn; each is the first one in its partition. */
  partitions: readonly number[];
}

export interface WorkFigures {
  /** From the order until its end is shown in Discord. */
  milliseconds: number[];
  /** Replies that are not a result, and orders without a result. */
  refused: number;
}

export interface SteadyOrders {
  what: TaskType;
  orders: number;
  everyMs: number;
  /** The server is the second one in this partition. */
  partition: number;
}

export type Command = { [Kind in keyof Commands]: { kind: Kind; input: Commands[Kind]['input'] } }[keyof Commands];

/** The settings with which the embedded servers are started, as one argument. */
export interface EmbeddedServersOptions {
  guilds: number;
  partitions: number;
  shards: number;
  maxConcurrency: number;
  /** Whether the minimum time between identifies is enforced, as Discord does. */
  isIdentifyLimited: boolean;
  /** Whether servers have as many channels and roles as busy ones do. */
  areLarge: boolean;
}

/** The first message from the embedded servers: the environment of every process. */
export interface StartedServers {
  settings: Record<string, string>;
  /** The size of a GUILD_CREATE event. */
  guildBytes: number;
}
