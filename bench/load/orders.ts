/** The first message from the embedded servers: the environment of the bot. */
export interface LoadServerInfo {
  settings: Record<string, string>;
}

/** Requests this many jobs; 0 only checks the progress. */
export interface LoadCommand {
  jobs: number;
}

export interface LoadState {
  started: number;
  ended: number;
  /** The number of results that Discord has accepted. */
  shown: number;
}
