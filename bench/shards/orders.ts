/** What a process with sockets alone is started with, as one argument. */
export interface SocketsOrder {
  intents: number;
  shards: number;
  /** It is there once so many GUILD_CREATE have arrived. */
  guilds: number;
  storeUrl: string;
  apiUrl: string;
  token: string;
}

export interface SocketsFigures {
  /** Until all shards are connected, and all servers have arrived. */
  ms: number;
  /** Of the process since its start. */
  cpuMs: number;
  residentBytes: number;
  /** The most so far. */
  mostBytes: number;
  heapBytes: number;
}
