/** The first thing that the sides say: the environment of the bot. */
export interface LoadServed {
  settings: Record<string, string>;
}

/** Orders so many jobs; 0 only asks how it stands. */
export interface LoadOrder {
  jobs: number;
}

export interface LoadState {
  begun: number;
  ended: number;
  /** Results that Discord has taken. */
  shown: number;
}
