/** Time as the code sees it. Tests hand in one that moves only when told to, so nothing sleeps. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `task` once after `ms` milliseconds. The returned function takes the call back. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};
