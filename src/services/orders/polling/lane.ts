import type { FailureReason } from '../../gateway/errors.ts';

export type Verdict = { again: number } | 'done';

/** Why a poll failed for all of its tasks. The failure does not end any of them. */
export interface Trouble {
  /** busy: asked to wait (429). refused: not allowed (401, 402, 403). unreachable: no proper response. */
  kind: 'busy' | 'refused' | 'unreachable';
  retryAfterMs?: number | undefined;
  reason: FailureReason;
}

export const isTrouble = (value: unknown): value is Trouble =>
  typeof value === 'object' && value !== null && 'kind' in value && 'reason' in value;

/** Resolves when the poll may send its next request, the first one at once. Rejects if polling has stopped. */
export type RequestPermit = () => Promise<void>;

/** Polls to one endpoint share a lane: a refusal or delay concerns all of them. */
export interface Lane {
  name: string;
  readonly max: number;
  readonly gatherMs?: number | undefined;
  /**
   * Must await `permit` before each request. An id without a verdict is polled again after a while; a trouble as a verdict did not keep the gateway
   * from responding about the other ids. A poll must end in reasonable time: one that hangs keeps its place among the concurrent polls.
   */
  poll(ids: readonly string[], permit: RequestPermit): Promise<ReadonlyMap<string, Verdict | Trouble> | Trouble>;
}
