/** The first message from the embedded servers: the environment of the bot. */
export interface LoadServed {
  settings: Record<string, string>;
}

/** Requests this many jobs; 0 only checks the progress. */
export interface LoadOrder {
  jobs: number;
}

export interface LoadState {
  begun: number;
  ended: number;
  /** The number of results that Discord has accepted. */
  shown: number;
}
