import type { Asked } from './allowance.ts';

/** What following a task came to: ask again then, or never. */
export type Verdict = { again: number } | 'done' | 'lost';

/** Why a question got no answer about its tasks. None of these ends a task. */
export interface Trouble {
  /** busy: it asks to wait (429). refused: it does not let us ask (401, 402, 403). unreachable: it did not answer as it should. */
  kind: 'busy' | 'refused' | 'unreachable';
  retryAfterMs?: number | undefined;
  /** For the log and for `/about`. */
  reason: string;
}

/**
 * One question to the gateway: about one task, or about as many as its lane puts together. An id without a verdict is asked about
 * again after a while. A poll ends by itself within reason: one that hangs keeps its place among the questions at once.
 */
type Poll = (ids: readonly string[]) => Promise<ReadonlyMap<string, Verdict> | Trouble>;

/** Questions of one family go one road: what it refuses or delays is the whole road's business. */
export interface Lane {
  name: string;
  /** How many tasks one question asks about. */
  readonly most: number;
  /** A question takes along what would fall due so soon after it. */
  readonly gatherMs?: number | undefined;
  poll: Poll;
}

export interface Followed {
  id: string;
  lane: Lane;
  /** Whoever waits for it: groups take turns, so that a busy one does not keep the others waiting. */
  group: string;
  /** When to ask first. */
  at: number;
  /** What has been asked about it already; without it, it begins now. */
  asked?: Asked | undefined;
}

export interface LaneTrouble extends Trouble {
  lane: string;
  since: number;
}

/** The one place that owns time: whatever must be asked again is asked by it, within its budget. */
export interface Scheduler {
  /**
   * An id that is followed already begins anew: even the verdict of a question about it that is under way counts no more. What has been asked
   * about it counts on: no task is asked about more often than its allowance lets it be, whoever wants it and why (`allowance.ts`).
   */
  add(followed: Followed): void;
  /** Something may have happened: ask as soon as allowance and budget let it, and once more where a question is under way. */
  hint(id: string): void;
  remove(id: string): void;
  /** Nothing is asked before this. */
  start(): void;
  /** Asks nothing new, and waits for what is under way. */
  stop(): Promise<void>;
  readonly size: number;
  /** How many times as far apart questions should be so that there is room for all; 1 where there is. */
  readonly pressure: number;
  /** Lanes that are paused now while something waits in them, and why. */
  troubles(): LaneTrouble[];
}
