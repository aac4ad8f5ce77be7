import { DAY_MS } from '../../../lib/clock.ts';
import { repeat } from '../../../lib/repeat.ts';
import { dropExpiredToken } from '../../tasks/delivery-state.ts';
import { hasEnded, isFollowed, type Task } from '../../tasks/task.ts';
import { markGivenUp, markOverdue, markReleased } from '../../tasks/transitions.ts';
import type { OrdersContext } from '../orders-context.ts';
import { markResultsRefused } from '../review.ts';

/** A notice about a long wait may be a few seconds late. */
const SWEEP_INTERVAL_MS = 5_000;

/** Otherwise a gateway that never ends a job would have it polled for ever, and an erasure would wait for ever. */
const MAX_FOLLOW_MS = 30 * DAY_MS;

/**
 * Applies changes that depend only on time, whether or not the gateway responds: wait limits, expired tokens and results that were held
 * for too long. The returned function ends this.
 */
export function startSweep(context: OrdersContext): () => Promise<void> {
  const { book, clock, log } = context;
  return repeat(
    clock,
    async () => {
      await book.saveUnsaved();
      const now = clock.now();
      const update = (task: Task): Task => {
        if (isEndless(task, context, now)) return markGivenUp(task, now);
        const reviewedTask = isHeldTooLong(task, now)
          ? markResultsRefused(task, { ...task.review, at: now }, 'refusals.rules.resultUndecided')
          : task;
        return dropExpiredToken(
          isOverdue(reviewedTask, context, now) ? markOverdue(reviewedTask, now) : reviewedTask,
          now,
        );
      };
      for (const { id } of book.live((task) => update(task) !== task)) {
        try {
          await book.change(id, update);
        } catch (error) {
          log.error({ task: id, err: error }, 'A wait limit or an expired token could not be stored.');
        }
      }
      return SWEEP_INTERVAL_MS;
    },
    SWEEP_INTERVAL_MS,
  );
}

const isEndless = (task: Task, { kinds }: OrdersContext, now: number): boolean =>
  isFollowed(task) && now - (task.times.accepted ?? now) >= MAX_FOLLOW_MS && kinds.get(task.kind)?.source !== undefined;

function isOverdue(task: Task, { kinds, settings }: OrdersContext, now: number): boolean {
  const { state, kind, request, traits, times } = task;
  if (hasEnded(task) || state === 'waiting' || traits.isTalk || times.overdue !== undefined) return false;
  const waitLimit = kinds.get(kind)?.waitLimit(request);
  return waitLimit !== undefined && now - (times.turn ?? times.created) >= settings.maxWaitMs[waitLimit];
}

/** How long results are held if no moderator decides about them. */
const HOLD_MS = 7 * DAY_MS;

const isHeldTooLong = ({ review }: Task, now: number): boolean =>
  review?.outcome === 'held' && now - review.at >= HOLD_MS;

const RELEASE_INTERVAL_MS = 10 * 60_000;
/** Older requests are not part of any period that has a limit. */
const LOOK_BACK_MS = 62 * DAY_MS;

/**
 * Stops counting requests with an unknown outcome about which no one has decided for this long. The task is changed first, so that after a
 * crash the next start can complete this. The returned function ends it.
 */
export function startRelease({ book, money, clock, log }: OrdersContext, afterMs: number): () => Promise<void> {
  const { ledger } = money;
  let checkedUntil: number | undefined;
  return repeat(clock, async (signal) => {
    const until = clock.now() - afterMs;
    try {
      for await (const { id } of ledger.unconfirmedEntries(checkedUntil ?? until - LOOK_BACK_MS, until)) {
        if (signal.aborted) return RELEASE_INTERVAL_MS;
        // Erased and expired tasks have no owner who could decide later.
        if (!(await book.get(id))) continue;
        const task = await book.change(id, (known) => markReleased(known, clock.now()));
        if (task.releasedAt !== undefined) await ledger.reconsider(task);
      }
      checkedUntil = until;
    } catch (error) {
      log.error({ err: error }, 'Tasks with an unknown outcome could not be released; trying again later.');
    }
    return RELEASE_INTERVAL_MS;
  });
}
