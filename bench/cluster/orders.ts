/** The messages to the process with the embedded servers, and its replies. */
export interface Orders {
  /** How many shards are connected. */
  sessions: { input: null; answer: number };
  /** Ends every session, so that the next processes begin anew. */
  forget: { input: null; answer: null };
  /** Members who use `/models`, at a steady pace, in all servers by turns. */
  load: { input: Load; answer: LoadFigures };
  /** Members who order again as soon as an order has ended, until `rest`. */
  work: { input: Work; answer: null };
  /** What the members at work have seen since the last time. */
  seen: { input: null; answer: WorkFigures };
  /** No one orders any more; waits for what is under way. */
  rest: { input: null; answer: null };
  /** One member who orders again and again, at a steady pace, while others may be at work. */
  calm: { input: Calm; answer: number[] };
  /** Processor time of the sides so far. */
  strain: { input: null; answer: { cpuMs: number } };
}

export interface Load {
  perSecond: number;
  seconds: number;
  /** Only servers of these partitions; all by default. */
  partitions?: readonly number[];
}

export interface LoadFigures {
  /** From sending INTERACTION_CREATE to receiving its callback, by the clock of the embedded Discord. */
  milliseconds: number[];
  /** Three seconds passed without a callback. */
  missed: number;
}

export type What = 'text' | 'image';

export interface Work {
  what: What;
  /** Orders under way at a time. */
  members: number;
  /** The servers in which they order, by turns; each is the first of its partition. */
  partitions: readonly number[];
}

export interface WorkFigures {
  /** From the order to its end in Discord. */
  milliseconds: number[];
  /** Answers that are no result, and orders without one. */
  refused: number;
}

export interface Calm {
  what: What;
  orders: number;
  everyMs: number;
  /** The server is the second of this partition. */
  partition: number;
}

export type Order = { [Kind in keyof Orders]: { kind: Kind; input: Orders[Kind]['input'] } }[keyof Orders];

/** What the sides are started with, as one argument. */
export interface SidesOptions {
  guilds: number;
  partitions: number;
  shards: number;
  maxConcurrency: number;
  /** Whether the time between identifies is as Discord wants it. */
  isIdentifyLimited: boolean;
  /** Whether servers have as many channels and roles as busy ones do. */
  areLarge: boolean;
}

/** The first thing that the sides say: the environment of every process. */
export interface Served {
  settings: Record<string, string>;
  /** The size of a GUILD_CREATE. */
  guildBytes: number;
}
