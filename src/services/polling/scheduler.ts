import type { PollHistory } from './allowance.ts';

export type Verdict = { again: number } | 'done' | 'lost';

/** Why a poll failed for all its tasks. It ends none of them. */
export interface Trouble {
  /** busy: asked to wait (429). refused: not allowed (401, 402, 403). unreachable: no proper response. */
  kind: 'busy' | 'refused' | 'unreachable';
  retryAfterMs?: number | undefined;
  /** For the log and for `/about`. */
  reason: string;
}

/** Polls to one endpoint share a lane: what it refuses or delays concerns them all. */
export interface Lane {
  name: string;
  readonly max: number;
  /** A poll takes along tasks that are due this soon after it. */
  readonly gatherMs?: number | undefined;
  /** An id without a verdict is polled again after a while. A poll must end within reason: one that hangs keeps its place among the polls at once. */
  poll(ids: readonly string[]): Promise<ReadonlyMap<string, Verdict> | Trouble>;
}

export interface FollowedTask {
  id: string;
  lane: Lane;
  /** Groups take turns, so that a busy one does not keep the others waiting. */
  group: string;
  at: number;
  /** Its polls so far; without them, it begins now. */
  history?: PollHistory | undefined;
}

export interface LaneTrouble extends Trouble {
  lane: string;
  since: number;
}

/** How a poll ended for its lane. */
export type PollOutcome = 'answered' | Trouble['kind'];

/** The one place that decides when to poll, within its budget. */
export interface Scheduler {
  /** Adding an id again drops a poll of it that is under way. Earlier polls still count towards its allowance, which nothing exceeds. */
  add(followed: FollowedTask): void;
  /** Something may have happened: poll as soon as allowance and budget permit, and again where a poll is under way. */
  hint(id: string): void;
  remove(id: string): void;
  /** Nothing is polled before this. */
  start(): void;
  /** Starts no more polls, and waits for those under way. */
  stop(): Promise<void>;
  readonly size: number;
  /** The factor by which gaps should grow so that there is room for all; 1 where there is. */
  readonly pressure: number;
  /** Paused lanes in which tasks wait, and why. */
  troubles(): LaneTrouble[];
  /** The names of the lanes that were used so far. */
  readonly laneNames: readonly string[];
  onPoll(listener: (lane: string, outcome: PollOutcome) => void): void;
}
