/** The most in one period. What is not named has no limit. */
export interface Cap {
  /** Exact decimal text, in US dollars. */
  amount?: string;
  tasks?: number;
}

export interface CapsByPeriod {
  day?: Cap;
  week?: Cap;
  month?: Cap;
}

/** What may be spent; empty: as much as anyone likes. */
export interface Limits extends CapsByPeriod {
  /** Tasks that have not ended. */
  atOnce?: number;
  /** For some kinds in addition. */
  kinds?: Record<string, CapsByPeriod>;
}
