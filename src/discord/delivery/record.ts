import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Transition } from '../../services/tasks/book.ts';
import {
  addExtraMessage,
  countProgressEdit,
  dropToken,
  markDelivered,
  markPingDue,
  markPinged,
  markPinging,
  markUndeliverable,
  recordHint,
  recordIntent,
  recordUnseen,
  setMessage,
} from '../../services/tasks/delivery-state.ts';
import { type Intention, isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { errorFacts } from '../outbox/errors.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { MessageRoute } from '../outbox/ways.ts';
import type { MessagePlan, PreparedMessage } from '../plan.ts';
import { RetryLater } from './backoff.ts';

export interface DeliveryParts {
  outbox: Outbox;
  clock: Clock;
  log: PlainLog;
  /**
   * Returns the message to send now: the task's own message or, once that shows the outcome, the ping to its owner. May
   * fetch results, or a preview until the signal says that it is no longer needed. Throws only for a bug.
   */
  prepare(task: Task, signal?: AbortSignal): Promise<PreparedMessage>;
  /** Tells the owner that the end may be shown already, and how to see it. */
  hintFor(task: Task): MessagePlan;
  /** Changes the stored task atomically and returns the new state; throws if the store fails. */
  change(id: string, transition: Transition): Promise<Task>;
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

type RecordParts = Pick<DeliveryParts, 'change' | 'clock' | 'log'> & { id: string };

export class DeliveryRecord {
  readonly #parts: RecordParts;

  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  /** Returns the current task, or undefined if it was erased. */
  async readTask(): Promise<Task | undefined> {
    return this.#store((storedTask) => storedTask);
  }

  async markProgressShown(message: MessagePlace | undefined): Promise<void> {
    await this.#tryStore((task) => {
      const updated = message ? setMessage(task, message) : task;
      // Edits of an answer are not counted, because there is about one a second.
      return task.traits.isText ? updated : countProgressEdit(updated);
    });
  }

  async dropToken(): Promise<void> {
    await this.#tryStore(dropToken);
  }

  async storeIntent(by: 'channel' | 'direct', channelId: string): Promise<void> {
    await this.#store((task) => recordIntent(task, this.#intentionTo(by, channelId)));
  }

  async storeHint(channelId: string): Promise<void> {
    await this.#store((task) => recordHint(task, this.#intentionTo('direct', channelId)));
  }

  async storeUnseen(): Promise<void> {
    await this.#store((task) => recordUnseen(task, this.#parts.clock.now()));
  }

  #intentionTo(by: 'channel' | 'direct', channelId: string): Intention {
    return { by, channelId, nonce: this.#parts.id, at: this.#parts.clock.now() };
  }

  async settle(result: DeliveryResult, at: number): Promise<void> {
    await this.#store((task) => {
      if ('reason' in result) {
        // The end of a conversation does not need to be posted if its thread no longer exists.
        return task.traits.isTalk ? markDelivered(task, undefined, at) : markUndeliverable(task, result.reason, at);
      }
      return (!result.wasShown && needsOwnerPing(task, result.by) ? markPingDue : markDelivered)(
        task,
        result.message,
        at,
      );
    });
    if ('reason' in result)
      this.#parts.log.info(
        { task: this.#parts.id, why: result.reason },
        'Could not post the outcome of a task anywhere.',
      );
  }

  /** Records that the owner ping is about to be sent. Returns false if it no longer has to be sent. */
  async beginPing(): Promise<boolean> {
    const task = await this.#store((storedTask) => markPinging(storedTask, this.#parts.clock.now()));
    return task?.delivery.call !== undefined;
  }

  /** Stores the ping, so it is deleted with the other messages. */
  async markPinged(ping: MessagePlace | undefined): Promise<void> {
    await this.#store((task) => {
      const updated = ping
        ? addExtraMessage(task, { ...ping, ...(task.guildId !== undefined && { guildId: task.guildId }) })
        : task;
      return markPinged(updated, this.#parts.clock.now());
    });
  }

  /** Stores state whose loss costs at most one extra request after a restart, so a failure is only logged. */
  async #tryStore(transition: Transition): Promise<void> {
    try {
      await this.#store(transition);
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error;
      this.#parts.log.warn(
        { task: this.#parts.id, ...errorFacts(error.cause) },
        'The state of a message could not be stored.',
      );
    }
  }

  async #store(transition: Transition): Promise<Task | undefined> {
    try {
      return await this.#parts.change(this.#parts.id, transition);
    } catch (error) {
      // The change was refused because the task no longer exists.
      if (error instanceof Refusal) return undefined;
      throw new RetryLater('unstored', error);
    }
  }
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
  return (times.ended ?? times.created) - times.created > LONG_TASK_MS;
}
