import type { MessagePlace, Task } from '../../services/tasks/task.ts';
import { bodyOf } from '../adapter.ts';
import type { Carrier } from './carrier.ts';
import type { EndingParts, Knowledge } from './ending.ts';
import { factsOf, troubleOf } from './errors.ts';
import { Hindered, Patience, reference } from './hindered.ts';
import type { DeliveryParts, Prepared } from './parts.ts';
import { DeliveryRecord } from './record.ts';
import { type AnswerWay, mayStillCall, nonceOfCall, type TokenWay, wayToCall } from './ways.ts';

/** Calls the member of one task to its end, which is shown: once, or not at all. */
export class Caller {
  readonly #id: string;
  readonly #parts: DeliveryParts;
  readonly #carrier: Carrier;
  readonly #known: Knowledge;
  readonly #stopping: AbortSignal;
  readonly #patience: Patience;
  readonly #record: DeliveryRecord;
  #isOver = false;
  #callAt: MessagePlace | undefined;

  constructor(id: string, { parts, carrier, known, stopping }: EndingParts) {
    this.#id = id;
    this.#parts = parts;
    this.#carrier = carrier;
    this.#known = known;
    this.#stopping = stopping;
    this.#patience = new Patience(id, parts, stopping);
    this.#record = new DeliveryRecord(id, parts);
  }

  /** Comes back when that is stored, or when the bot stops; then it goes on at the next start. */
  async call(): Promise<void> {
    while (!this.#stopping.aborted) {
      try {
        if (!this.#isOver) await this.#try();
        this.#isOver = true;
        await this.#takeBack();
        return await this.#record.called(this.#callAt);
      } catch (error) {
        await this.#patience.with(error instanceof Hindered ? error : this.#bug(error));
      }
    }
  }

  async #try(): Promise<void> {
    const task = await this.#record.task();
    const call = task?.delivery.call;
    if (!task || !call) return;
    const now = this.#parts.clock.now();
    const way = wayToCall(task, this.#known.shut, now);
    if (way && mayStillCall(task, call, way, now)) await this.#take(way, task);
    else this.#parts.log.info({ task: this.#id }, 'A member was not called: it is too late, or there is no way.');
  }

  async #take(way: AnswerWay | TokenWay, task: Task): Promise<void> {
    const prepared = await this.#parts.prepare(task);
    try {
      if (!(await this.#record.calling())) return;
      this.#callAt = await this.#carry(way, task, prepared);
    } catch (error) {
      if (error instanceof Hindered) throw error;
      const trouble = troubleOf(error, way.by);
      if (trouble === 'later' && way.by === 'answer') throw new Hindered('unreachable', error);
      this.#parts.log.info({ task: this.#id, by: way.by, trouble, ...factsOf(error) }, 'A member was not called.');
    } finally {
      prepared.release();
    }
  }

  async #carry(way: AnswerWay | TokenWay, task: Task, { plan, instead }: Prepared): Promise<MessagePlace | undefined> {
    const answers = way.by === 'answer' && { answers: way.message.id };
    const nonce = nonceOfCall(task);
    try {
      return await this.#carrier.call(way, nonce, bodyOf({ ...plan, ...answers }));
    } catch (error) {
      const trouble = troubleOf(error, way.by);
      if (!instead || (trouble !== 'no-access' && trouble !== 'malformed')) throw error;
      this.#parts.log.info({ task: this.#id, by: way.by, trouble, ...factsOf(error) }, 'A message was sent plainer.');
      return await this.#carrier.call(way, nonce, bodyOf({ ...instead, ...answers }));
    }
  }

  /** The message that it stands below may have been deleted meanwhile, by somebody who did not see it yet. */
  async #takeBack(): Promise<void> {
    const posted = this.#callAt;
    if (!posted || (await this.#record.task())?.message) return;
    this.#callAt = undefined;
    try {
      await this.#carrier.remove({ by: 'edit', message: posted });
    } catch (error) {
      this.#parts.log.info({ task: this.#id, ...factsOf(error) }, 'What belongs to a deleted message stays.');
    }
  }

  #bug(error: unknown): Hindered {
    this.#parts.log.error({ task: this.#id, reference: reference(), err: error }, 'A member could not be called.');
    return new Hindered('unprepared', error);
  }
}
