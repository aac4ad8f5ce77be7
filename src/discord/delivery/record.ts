import { Refusal } from '../../lib/refusal.ts';
import {
  called,
  calling,
  delivered,
  intending,
  markUndeliverable,
  progressShown,
  shownBeside,
  shownIn,
  toBeCalled,
  withoutToken,
} from '../../services/tasks/delivery-state.ts';
import { isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { factsOf } from '../outbox/errors.ts';
import type { Way } from '../outbox/ways.ts';
import { Hindered } from './hindered.ts';
import type { DeliveryParts, Transition } from './parts.ts';

/** Where the end of a task can be seen and which way it came there, or why nowhere. */
export type Fate = { there: MessagePlace | undefined; by: Way['by'] } | { nowhere: 'deleted' | 'no-way' };

type RecordParts = Pick<DeliveryParts, 'change' | 'clock' | 'log'>;

/** What is stored of the delivery of one task. */
export class DeliveryRecord {
  readonly #id: string;
  readonly #parts: RecordParts;

  constructor(id: string, parts: RecordParts) {
    this.#id = id;
    this.#parts = parts;
  }

  /** The task as it is now; undefined: there is none any more. */
  async task(): Promise<Task | undefined> {
    return this.#store((same) => same);
  }

  async progressShown(message: MessagePlace | undefined): Promise<void> {
    await this.#try((task) => {
      const there = message ? shownIn(task, message) : task;
      // Those of an answer are not counted, for there are as many as it has seconds.
      return task.traits.isInWords ? there : progressShown(there);
    });
  }

  async forgetToken(): Promise<void> {
    await this.#try(withoutToken);
  }

  async intend(by: 'channel' | 'direct', channelId: string): Promise<void> {
    const intention = { by, channelId, nonce: this.#id, at: this.#parts.clock.now() };
    await this.#store((task) => intending(task, intention));
  }

  async settle(fate: Fate, at: number): Promise<void> {
    await this.#store((task) => {
      if ('nowhere' in fate) {
        // Nobody waits for how a conversation ended in a place that is gone.
        return task.traits.isConversation ? delivered(task, undefined, at) : markUndeliverable(task, fate.nowhere, at);
      }
      return (isWorthACall(task, fate.by) ? toBeCalled : delivered)(task, fate.there, at);
    });
    if ('nowhere' in fate)
      this.#parts.log.info({ task: this.#id, why: fate.nowhere }, 'The end of a task reached nobody.');
  }

  /** Whether its member is still to be called. */
  async calling(): Promise<boolean> {
    const task = await this.#store((known) => calling(known, this.#parts.clock.now()));
    return task?.delivery.call !== undefined;
  }

  /** By this message, so that it can be deleted with the others. */
  async called(by: MessagePlace | undefined): Promise<void> {
    await this.#store((task) => {
      const known = by
        ? shownBeside(task, { ...by, ...(task.guildId !== undefined && { guildId: task.guildId }) })
        : task;
      return called(known, this.#parts.clock.now());
    });
  }

  /** For what costs no more than a request when a restart has forgotten it. */
  async #try(transition: Transition): Promise<void> {
    try {
      await this.#store(transition);
    } catch (error) {
      if (!(error instanceof Hindered)) throw error;
      this.#parts.log.warn(
        { task: this.#id, ...factsOf(error.cause) },
        'What became of a message could not be stored.',
      );
    }
  }

  async #store(transition: Transition): Promise<Task | undefined> {
    try {
      return await this.#parts.change(this.#id, transition);
    } catch (error) {
      // An order that was refused leaves no task behind.
      if (error instanceof Refusal) return undefined;
      throw new Hindered('unstored', error);
    }
  }
}

/** Whoever has waited longer has turned to something else, and Discord tells nobody of an edit. */
const LONG_MS = 60_000;

/** It has a sound that is not to be heard anywhere yet. */
export const hasToSpeak = ({ answer }: Task): boolean => answer?.voice?.sound !== undefined;

/** A fresh direct message calls by itself; an edit does not, not even there. */
function isWorthACall(task: Task, by: Way['by']): boolean {
  const { traits, talk, request, route, times, successorId } = task;
  // Whose member has already ordered again knows how it ended.
  if (!isLive(task) || route.isPrivate || by === 'direct' || successorId !== undefined) return false;
  if (traits.isSpoken) return hasToSpeak(task);
  // Whoever has ended a conversation knows, others in it do not, and a fresh message tells by itself.
  if (traits.isConversation)
    return by === 'edit' && (talk?.end !== 'ended' || traits.isForEveryone?.(request) === true);
  // Whoever has stopped it knows.
  if (task.failure?.cause === 'stopped') return false;
  return (times.ended ?? times.created) - times.created > LONG_MS;
}
