import { Refusal } from '../../lib/refusal.ts';
import { GatewayError } from '../gateway/index.ts';
import { reachedBy } from './delivery-state.ts';
import type { Region } from './materials.ts';
import type { OrdersParts, Whence } from './orders.ts';
import { type CommonRequest, type Task, withRequest } from './task.ts';
import { wordsGoing, wordsRefused, wordsTaken } from './transitions.ts';

interface WordsParts extends Pick<OrdersParts, 'book' | 'kinds' | 'gather' | 'maxWaitMs' | 'clock' | 'log' | 'mayAct'> {
  hint(id: string): void;
}

/** Words, and the part of the picture they are for. */
export interface WrittenWords {
  words: string;
  region?: Region | undefined;
}

/** Gives tasks that wait for words their words: what begins then may be charged, so they are sent once, like an order. */
export class Words {
  readonly #parts: WordsParts;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(parts: WordsParts) {
    this.#parts = parts;
  }

  /** From its owner, who was asked for them; whence they come is a fresh way back, for the first may be closed by now. */
  async give(id: string, whence: Whence, { words, region }: WrittenWords): Promise<Task> {
    const given = { words, ...(region && { region }) };
    return this.#tracked(
      this.#send(id, given, (task) => {
        if (task.requesterId !== whence.requesterId) throw new Refusal('refusals.notYours');
        return reachedBy(waitsForWords(task), whence.route, whence.message);
      }),
    );
  }

  /** The words that came with an order are given as soon as the gateway asks for them, and only once. */
  giveIfAsked({ id, state, request, times, wordsRefused: refused }: Task): void {
    if (state !== 'needs-input' || request.words === undefined || refused !== undefined) return;
    if (times.wordsSent !== undefined || times.wordsTaken !== undefined || times.wordsLost !== undefined) return;
    this.#tracked(this.#send(id, {}, waitsForWords)).catch((error: unknown) => {
      // It goes on waiting, and its member can continue.
      this.#parts.log.warn({ task: id, err: error }, 'A task could not be given the words it came with.');
    });
  }

  async finish(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async #send(id: string, words: CommonRequest, checked: (task: Task) => Task): Promise<Task> {
    const { book, kinds, gather, maxWaitMs, clock, log } = this.#parts;
    const known = await book.get(id);
    if (!known) throw new Refusal('refusals.unknownTask');
    const answering = kinds.get(known.kind);
    if (!answering?.answer) throw new Error(`Nobody knows how to give words to ${known.kind}.`);
    // What the words name is brought together before anything is on its way.
    const { request: named } = withRequest(checked(known), words);
    const patienceMs = maxWaitMs[answering.patience(named)];
    const materials = await gather(named, { memberId: known.requesterId, patienceMs });
    const waiting = await book.change(id, (task) => wordsGoing(checked(task), words, clock.now()));
    const { remoteId = '', request, idempotencyKey } = waiting;
    this.#parts.mayAct();
    try {
      const submission = await answering.answer(remoteId, request, { idempotencyKey, materials });
      const task = await book.change(id, (before) => wordsTaken(before, submission, clock.now()), { mustHold: true });
      this.#parts.hint(id);
      return task;
    } catch (error) {
      if (error instanceof GatewayError && !error.mayHaveTakenEffect) {
        return book.change(id, (task) => wordsRefused(task, error.message));
      }
      // What the gateway says of the task next tells whether it has them.
      log.warn({ task: id, err: error }, 'Nobody knows whether the gateway took the words for a task.');
      return waiting;
    }
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const done = (): void => void this.#underWay.delete(work);
    work.then(done, done);
    return work;
  }
}

function waitsForWords(task: Task): Task {
  if (task.state !== 'needs-input' || task.times.wordsSent !== undefined) throw new Refusal('refusals.noWordsWanted');
  return task;
}
