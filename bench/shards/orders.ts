/** The settings of a process that only opens the sockets. They are passed to it as one argument. */
export interface SocketsOptions {
  intents: number;
  shards: number;
  /** The process counts as ready once this many GUILD_CREATE events have arrived. */
  guilds: number;
  storeUrl: string;
  apiUrl: string;
  token: string;
}

export interface SocketsFigures {
  /** The time until all shards are connected and all servers have arrived. */
  ms: number;
  /** The CPU time of the process since its start. */
  cpuMs: number;
  residentBytes: number;
  /** The peak memory use so far. */
  peakBytes: number;
  heapBytes: number;
}
