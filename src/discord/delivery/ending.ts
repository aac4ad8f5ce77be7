import { isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import { findPosted } from '../outbox/adoption.ts';
import { factsOf, type Load, lighterThan, loaded, type Trouble, troubleOf } from '../outbox/errors.ts';
import { type Way, waysToEnd } from '../outbox/ways.ts';
import type { MessagePlan } from '../plan.ts';
import { Hindered, Patience, reference } from './hindered.ts';
import type { DeliveryParts, DeliveryRecord, Fate } from './record.ts';

/** One task whose end is brought, and what that takes. */
export interface Scene extends DeliveryParts {
  id: string;
  record: DeliveryRecord;
  /** Of its message, beyond what is stored. */
  known: { readonly shut: Set<Way['by']>; isDeleted: boolean };
  stopping: AbortSignal;
}

/** Brings the end of one task to its member: whatever happens, and once. */
export class Ending {
  readonly #scene: Scene;
  readonly #patience: Patience;
  /** What Discord has refused once is not sent again. */
  #load: Load = 'whole';

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#patience = new Patience(scene);
  }

  async bring(): Promise<void> {
    await this.#patience.until(async () => {
      const task = await this.#scene.record.task();
      if (task && isLive(task) && !task.unwanted && !task.delivery.call) await this.#settle(await this.#fateOf(task));
    }, 'The end of a task could not be shown.');
  }

  async #fateOf(task: Task): Promise<Fate> {
    const { clock, known, prepare } = this.#scene;
    if (known.isDeleted) return { nowhere: 'deleted' };
    const posted = await this.#findPosted(task);
    if (posted) return posted;
    // Prepared anew each time: between two tries may lie minutes, in which nothing holds memory.
    const prepared = await prepare(task);
    try {
      for (const way of waysToEnd(task, known.shut, clock.now())) {
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
    const { clock, record } = this.#scene;
    const at = clock.now();
    await this.#patience.until(() => record.settle(fate, at), 'That a task was shown could not be stored.');
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
    const { outbox, record } = this.#scene;
    if (way.by === 'token' || way.by === 'edit') return outbox.edit(way, sent);
    const channelId = way.by === 'channel' ? way.channelId : await outbox.openDirect(way.memberId);
    await record.intend(way.by, channelId);
    return outbox.post(channelId, id, sent);
  }

  /** Not even once more: every refusal counts towards being shut out by Discord. */
  async #shut({ by }: Way, trouble: Trouble): Promise<undefined> {
    this.#scene.known.shut.add(by);
    if (trouble === 'token-over') await this.#scene.record.forgetToken();
  }

  /** Looks before anything is posted a second time. */
  async #findPosted(task: Task): Promise<Fate | undefined> {
    const { intention } = task.delivery;
    if (!intention) return undefined;
    try {
      const there = await findPosted(task, intention, this.#scene.outbox);
      return there && { there, by: intention.by };
    } catch (error) {
      // Where nobody may look, the nonce is the second line.
      if (this.#note(error, intention) === 'later') throw new Hindered('unreachable', error);
      return undefined;
    }
  }

  #note(error: unknown, { by }: { by: Way['by'] }): Trouble {
    const trouble = troubleOf(error, by);
    const { id, log } = this.#scene;
    const facts = { task: id, by, trouble, ...factsOf(error) };
    if (trouble === 'malformed')
      log.error({ ...facts, reference: reference() }, 'Discord does not take a message as it is made.');
    else if (trouble === 'too-large') log.warn(facts, 'A result is larger than Discord takes.');
    else if (trouble !== 'later') log.info(facts, 'The end of a task could not go this way.');
    return trouble;
  }
}
