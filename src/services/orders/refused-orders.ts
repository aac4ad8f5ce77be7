import { Refusal } from '../../lib/refusal.ts';
import { GatewayError, type GatewayErrorKind } from '../gateway/errors.ts';
import type { Kind } from '../tasks/kind.ts';
import type { TaskKind } from '../tasks/kind-spec.ts';
import { offerNameOf } from '../tasks/offers.ts';
import type { Task, TaskFailure } from '../tasks/task.ts';
import { markRefused, markReturned, type OrderedRequest } from '../tasks/transitions.ts';
import type { OrdersContext } from './orders-context.ts';
import type { Line } from './submission/line.ts';

/** How often a task returns to the queue instead of being sent. With the pauses in between, this takes more than half an hour. */
const MAX_RETURNS = 10;

/** Errors by which the gateway says that it accepts no more jobs at the moment. */
export const QUEUE_FULL_ERRORS: ReadonlySet<GatewayErrorKind> = new Set(['rate-limited']);

/** Errors after which the files of a task may still be uploaded later. */
const UPLOAD_RETRY_ERRORS: ReadonlySet<GatewayErrorKind> = new Set(['unavailable', 'unreachable']);

/** Handles orders that the gateway has definitely refused. */
export function createRefusedOrders({ book, money, models, offers, specs, clock, log }: OrdersContext, line: Line) {
  /** Lets the task wait again if the gateway accepts no more jobs at the moment. Undefined if it was refused for another reason, or too often. */
  async function returnToLine(
    { name }: Kind,
    { id, returns = 0 }: Task,
    refused: unknown,
    temporaryErrors: ReadonlySet<GatewayErrorKind>,
  ): Promise<Task | undefined> {
    if (!(refused instanceof GatewayError) || !temporaryErrors.has(refused.kind) || returns >= MAX_RETURNS)
      return undefined;
    line.holdKind(name, returns + 1, refused.retryAfterMs);
    const task = await book.change(id, markReturned, { mustHold: true });
    line.join(task, { isNext: true });
    return task;
  }

  /** Ends a task that had waited. */
  async function end(id: string, error: unknown): Promise<void> {
    try {
      await book.change(id, (task) => markRefused(task, failureOf(error), clock.now()), { mustHold: true });
    } catch (failure) {
      log.info({ task: id, err: failure }, 'A refused task was erased before its refusal was stored.');
    }
  }

  return {
    returnToLine,
    end,

    /** Lets a task wait again that could not be prepared when its turn came, or ends it. Never throws. */
    async postpone(kind: Kind, task: Task, error: unknown): Promise<void> {
      const { id, returns = 0 } = task;
      try {
        if (await returnToLine(kind, task, error, QUEUE_FULL_ERRORS)) return;
        const isFinal = error instanceof GatewayError && !UPLOAD_RETRY_ERRORS.has(error.kind);
        if (isFinal || returns >= MAX_RETURNS) return await end(id, error);
        const retryAfterMs = error instanceof GatewayError ? error.retryAfterMs : undefined;
        const returned = await book.change(id, markReturned, { mustHold: true });
        line.hold(id, returns + 1, retryAfterMs);
        line.join(returned, { isNext: true });
      } catch (failure) {
        log.info({ task: id, err: failure }, 'A task was cancelled or erased before it could be postponed.');
      }
    },

    /** Returns the error for the member. Only refusals with a specific code are remembered for other orders. */
    async errorFor(kind: Kind, order: OrderedRequest<TaskKind>, refused: unknown): Promise<unknown> {
      const { hideIfUnsupported } = kind;
      const { modelKind } = specs[order.kind].traits;
      const { model } = order.request;
      if (modelKind && model !== undefined && refused instanceof GatewayError && refused.refusesModel)
        await models.markUnfit(model, modelKind);
      if (!hideIfUnsupported || !(refused instanceof GatewayError) || refused.kind !== 'not-offered') return refused;
      if (refused.hasKnownCode) offers.markRefused(offerNameOf(kind, order));
      return hideIfUnsupported === 'kind' ? new Refusal('refusals.kindNotSupported') : refused;
    },

    /** Removes a task that did not have to wait, because its owner is informed immediately. */
    async remove(id: string): Promise<void> {
      const task = book.find(id);
      try {
        await book.remove(id);
        if (task) await money.ledger.refund(task);
      } catch (error) {
        // The next start finds the task with an unknown outcome and informs its owner.
        log.error({ task: id, err: error }, 'A refused task could not be removed from the store.');
      }
    },
  };
}

/** What is shown to the owner of a task that the bot or the gateway refused after it was stored. */
export function failureOf(error: unknown): Omit<TaskFailure, 'cause'> {
  if (error instanceof GatewayError) return { reason: error.reason, code: error.code };
  if (!(error instanceof Refusal)) return {};
  const variables = Object.entries(error.variables).map(([name, value]) => [
    name,
    typeof value === 'object' ? [...value] : value,
  ]);
  return { refusal: { key: error.key, variables: Object.fromEntries(variables) } };
}
