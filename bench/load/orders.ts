/** The first thing that the sides say: the environment of the bot. */
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
  /** Results that Discord has accepted. */
  shown: number;
}
