/** What the embedded sides need of a clock. Tests inject one that they advance. */
export interface Clock {
  now(): number;
  /** Calls `task` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, task: () => void): () => void;
}

export const machineClock: Clock = {
  now: Date.now,
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};
