import type { PollHistory } from './allowance.ts';

export type Verdict = { again: number } | 'done' | 'lost';

/** Why a poll failed for all of its tasks. The failure does not end any of them. */
export interface Trouble {
  /** busy: asked to wait (429). refused: not allowed (401, 402, 403). unreachable: no proper response. */
  kind: 'busy' | 'refused' | 'unreachable';
  retryAfterMs?: number | undefined;
  /** Shown in the log and in `/about`. */
  reason: string;
}

/** Resolves when the poll may send its next request, the first one at once. Rejects if polling has stopped. */
export type RequestPermit = () => Promise<void>;

/** Polls to one endpoint share a lane: a refusal or delay concerns all of them. */
export interface Lane {
  name: string;
  readonly max: number;
  /** A poll includes tasks that are due this soon after it. */
  readonly gatherMs?: number | undefined;
  /**
   * Must await `permit` before each request. An id without a verdict is polled again after a while; a trouble as a verdict did not keep the gateway
   * from responding about the other ids. A poll must end in reasonable time: one that hangs keeps its place among the concurrent polls.
   */
  poll(ids: readonly string[], permit: RequestPermit): Promise<ReadonlyMap<string, Verdict | Trouble> | Trouble>;
}

export interface FollowedTask {
  id: string;
  lane: Lane;
  /** Groups take turns, so a busy one does not keep the others waiting. */
  group: string;
  nextPollAt: number;
  /** The task's polls so far. If undefined, polling begins now. */
  history?: PollHistory | undefined;
}

export interface LaneTrouble extends Trouble {
  lane: string;
  since: number;
}

/** How a poll ended for its lane. */
export type PollOutcome = 'answered' | Trouble['kind'];

/** Decides when to poll, within its budget. Nothing else polls. */
export interface Scheduler {
  /** Adding an id again drops a running poll of it. Earlier polls still count towards its allowance, which is never exceeded. */
  add(task: FollowedTask): void;
  /** The task may have changed: polls it as soon as allowance and budget permit, and again if a poll is running. */
  hint(id: string): void;
  remove(id: string): void;
  /** Nothing is polled before this is called. */
  start(): void;
  /** Starts no more polls, and waits for the running ones. */
  stop(): Promise<void>;
  /** The factor by which gaps should grow so that all tasks can be polled; 1 if there is enough capacity. */
  readonly pressure: number;
  /** Paused lanes with waiting tasks, and the reason for each pause. */
  troubles(): LaneTrouble[];
  /** The names of the lanes that were used so far. */
  readonly laneNames: readonly string[];
  onPoll(listener: (lane: string, outcome: PollOutcome) => void): void;
}
