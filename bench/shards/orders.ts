/** The settings with which a process with nothing but sockets is started, as one argument. */
export interface SocketsOrder {
  intents: number;
  shards: number;
  /** It counts as ready once this many GUILD_CREATE events have arrived. */
  guilds: number;
  storeUrl: string;
  apiUrl: string;
  token: string;
}

export interface SocketsFigures {
  /** The time until all shards are connected and all servers have arrived. */
  ms: number;
  /** The processor time of the process since its start. */
  cpuMs: number;
  residentBytes: number;
  /** The peak so far. */
  mostBytes: number;
  heapBytes: number;
}
