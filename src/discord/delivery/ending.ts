import { isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import type { MessagePlan } from '../plan.ts';
import { findPosted } from './adoption.ts';
import type { Carrier } from './carrier.ts';
import { factsOf, type Load, lighterThan, loaded, type Trouble, troubleOf } from './errors.ts';
import { Hindered, Patience, reference } from './hindered.ts';
import type { DeliveryParts } from './parts.ts';
import { DeliveryRecord, type Fate } from './record.ts';
import { type Way, waysToEnd } from './ways.ts';

/** What is known of a message beyond what is stored. */
export interface Knowledge {
  readonly shut: Set<Way['by']>;
  isDeleted: boolean;
}

export interface EndingParts {
  parts: DeliveryParts;
  carrier: Carrier;
  known: Knowledge;
  stopping: AbortSignal;
}

/** Brings the end of one task to its member: whatever happens, and once. */
export class Ending {
  readonly #id: string;
  readonly #parts: DeliveryParts;
  readonly #carrier: Carrier;
  readonly #known: Knowledge;
  readonly #stopping: AbortSignal;
  readonly #patience: Patience;
  readonly #record: DeliveryRecord;
  /** What Discord has refused once is not sent again. */
  #load: Load = 'whole';

  constructor(id: string, { parts, carrier, known, stopping }: EndingParts) {
    this.#id = id;
    this.#parts = parts;
    this.#carrier = carrier;
    this.#known = known;
    this.#stopping = stopping;
    this.#patience = new Patience(id, parts, stopping);
    this.#record = new DeliveryRecord(id, parts);
  }

  /** Comes back when the end is settled, or when the bot stops; then it goes out at the next start. */
  async bring(): Promise<void> {
    while (!this.#stopping.aborted) {
      try {
        const task = await this.#record.task();
        if (task && isLive(task) && !task.unwanted && !task.delivery.call) await this.#settle(await this.#fateOf(task));
        return;
      } catch (error) {
        await this.#patience.with(error instanceof Hindered ? error : this.#bug(error));
      }
    }
  }

  async #fateOf(task: Task): Promise<Fate> {
    if (this.#known.isDeleted) return { nowhere: 'deleted' };
    const posted = await this.#findPosted(task);
    if (posted) return posted;
    // Prepared anew each time: between two tries may lie minutes, in which nothing holds memory.
    const prepared = await this.#parts.prepare(task);
    try {
      for (const way of waysToEnd(task, this.#known.shut, this.#parts.clock.now())) {
        const fate = await this.#take(way, task, prepared.plan);
        if (fate) return fate;
      }
      return { nowhere: 'no-way' };
    } finally {
      prepared.release();
    }
  }

  /** Discord has confirmed it, so from here on only the storing is tried again. */
  async #settle(fate: Fate): Promise<void> {
    const at = this.#parts.clock.now();
    do {
      try {
        return await this.#record.settle(fate, at);
      } catch (error) {
        if (!(error instanceof Hindered)) throw error;
        await this.#patience.with(error);
      }
    } while (!this.#stopping.aborted);
  }

  /** undefined: not this way. */
  async #take(way: Way, task: Task, plan: MessagePlan): Promise<Fate | undefined> {
    for (;;) {
      const sent = bodyOf(loaded(plan, this.#load));
      try {
        return { there: await this.#carry(way, task, sent), by: way.by };
      } catch (error) {
        if (error instanceof Hindered) throw error;
        const trouble = this.#note(error, way);
        if (trouble === 'later') throw new Hindered('unreachable', error);
        if (trouble === 'deleted') return { nowhere: 'deleted' };
        if (trouble === 'closed') return { nowhere: 'no-way' };
        const lighter = lighterThan(this.#load, trouble);
        if (lighter === undefined) return this.#shut(way, trouble);
        this.#load = lighter;
      }
    }
  }

  async #carry(way: Way, { id }: Task, sent: MessageBody): Promise<MessagePlace | undefined> {
    if (way.by === 'token' || way.by === 'edit') return this.#carrier.edit(way, sent);
    const channelId = way.by === 'channel' ? way.channelId : await this.#carrier.openDirect(way.memberId);
    await this.#record.intend(way.by, channelId);
    return this.#carrier.post(channelId, id, sent);
  }

  /** Not even once more: every refusal counts towards being shut out by Discord. */
  async #shut({ by }: Way, trouble: Trouble): Promise<undefined> {
    this.#known.shut.add(by);
    if (trouble === 'token-over') await this.#record.forgetToken();
  }

  /** Looks before anything is posted a second time. */
  async #findPosted(task: Task): Promise<Fate | undefined> {
    const { intention } = task.delivery;
    if (!intention) return undefined;
    try {
      const there = await findPosted(task, intention, (channelId, id) => this.#carrier.before(channelId, id));
      return there && { there, by: intention.by };
    } catch (error) {
      // Where nobody may look, the nonce is the second line.
      if (this.#note(error, intention) === 'later') throw new Hindered('unreachable', error);
      return undefined;
    }
  }

  #note(error: unknown, { by }: { by: Way['by'] }): Trouble {
    const trouble = troubleOf(error, by);
    const facts = { task: this.#id, by, trouble, ...factsOf(error) };
    if (trouble === 'malformed')
      this.#parts.log.error({ ...facts, reference: reference() }, 'Discord does not take a message as it is made.');
    else if (trouble === 'too-large') this.#parts.log.warn(facts, 'A result is larger than Discord takes.');
    else if (trouble !== 'later') this.#parts.log.info(facts, 'The end of a task could not go this way.');
    return trouble;
  }

  #bug(error: unknown): Hindered {
    const facts = { task: this.#id, reference: reference(), err: error };
    this.#parts.log.error(facts, 'The end of a task could not be shown.');
    return new Hindered('unprepared', error);
  }
}
