import type { AppContext } from '../../lib/app-context.ts';
import { expecting } from '../../lib/expecting.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Transition } from '../../services/orders/book.ts';
import { markDelivered, markPingDue, markUndeliverable } from '../../services/tasks/delivery-state.ts';
import { isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { errorFacts } from '../outbox/errors.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { MessageRoute } from '../outbox/ways.ts';
import type { MessagePlan, PreparedMessage } from '../plan.ts';
import { RetryLater, withStore } from './backoff.ts';

/** What the messages of tasks are sent with, and how the tasks are changed. */
export interface DeliveryTools extends AppContext {
  outbox: Outbox;
  /** Changes the stored task atomically and returns the new state; throws if the store fails. */
  change(id: string, transition: Transition): Promise<Task>;
}

export interface DeliveryParts extends DeliveryTools {
  /** The message to send now: the task's own or, once that shows the outcome, the ping to its owner. May fetch results, or a preview until the signal. Throws only for a bug. */
  prepareMessage(task: Task, signal?: AbortSignal): Promise<PreparedMessage>;
  /** Tells the owner that the end may be shown already, and how to see it. */
  hintFor(task: Task): MessagePlan;
}

/** Where and how the outcome of a task was posted, or why it could not be posted. */
export type DeliveryResult =
  | {
      message: MessagePlace | undefined;
      by: MessageRoute['by'];
      /** It was shown before a restore, so its owner has been notified already. */
      wasShown?: true;
    }
  | { reason: 'deleted' | 'no-way' };

/** The stored state of one task, with which each attempt of its delivery begins. */
export class DeliveryRecord {
  readonly #id: string;
  readonly #tools: DeliveryTools;

  constructor(id: string, tools: DeliveryTools) {
    this.#id = id;
    this.#tools = tools;
  }

  /** Returns the changed task, or undefined if it was erased. */
  async change(transition: Transition): Promise<Task | undefined> {
    return withStore(() => this.#tools.change(this.#id, transition)).catch(expecting(Refusal, () => undefined));
  }

  readTask(): Promise<Task | undefined> {
    return this.change((task) => task);
  }

  /** Stores state whose loss costs at most a few extra requests after a restart, so a failure is only logged. */
  async tryChange(transition: Transition): Promise<void> {
    const logFailure = ({ cause }: RetryLater) =>
      this.#tools.log.warn({ task: this.#id, ...errorFacts(cause) }, 'The state of a message could not be stored.');
    await this.change(transition).catch(expecting(RetryLater, logFailure));
  }
}

export function withResult(task: Task, result: DeliveryResult, at: number): Task {
  // The end of a conversation does not need to be posted if its thread no longer exists, nor does one that another message shows.
  if ('reason' in result)
    return task.traits.isTalk || task.isShownByParent
      ? markDelivered(task, undefined, at)
      : markUndeliverable(task, result.reason, at);
  const isPingDue = !result.wasShown && needsOwnerPing(task, result.by);
  return (isPingDue ? markPingDue : markDelivered)(task, result.message, at);
}

/** If a task took longer than this, the owner has moved on, and an edit would not notify them. */
const LONG_TASK_MS = 60_000;

/** Whether the task's voice message has not been posted yet. */
export const hasUnsentVoice = ({ answer }: Task): boolean => answer?.voice?.sound !== undefined;

/** A new direct message notifies its reader, but an edit never does, not even in a direct message. */
function needsOwnerPing(task: Task, by: MessageRoute['by']): boolean {
  const { traits, talk, request, route, times, successorId } = task;
  // An owner who has requested it again knows how this task ended.
  if (!isLive(task) || route.isPrivate || by === 'direct' || successorId !== undefined) return false;
  if (traits.isUtterance) return hasUnsentVoice(task);
  // The member who ended a conversation knows about it, but others in it do not. A new message notifies everyone without a ping.
  if (traits.isTalk) return by === 'edit' && (talk?.end !== 'ended' || traits.hearsEveryone?.(request) === true);
  // The member stopped the task, so they know that it has ended.
  if (task.failure?.cause === 'stopped' || task.failure?.cause === 'withdrawn') return false;
  if (task.ping !== undefined) return task.ping === 'always';
  // Until they last continued the task, the member was not waiting for it.
  const waitingSince = Math.max(times.created, times.wordsSent ?? 0, times.decided ?? 0);
  return (times.ended ?? waitingSince) - waitingSince > LONG_TASK_MS;
}
