import { type Call, isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import { findPosted } from '../outbox/adoption.ts';
import { factsOf, type Load, lighterThan, loaded, type Trouble, troubleOf } from '../outbox/errors.ts';
import { SAME_NONCE_MS } from '../outbox/outbox.ts';
import { type Shut, type TokenWay, tokenWay, type Way, waysToEnd } from '../outbox/ways.ts';
import type { MessagePlan, Prepared } from '../plan.ts';
import { Hindered, Patience, reference } from './hindered.ts';
import { type DeliveryParts, type DeliveryRecord, type Fate, hasToSpeak } from './record.ts';

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

/** Later its member has come back to it by themselves, or has long let it rest. */
const NEWS_FOR_MS = 15 * 60_000;

/** A message of the bot's own, as an answer to the one that shows the end. */
type AnswerWay = { by: 'answer'; message: MessagePlace };

/** Calls the member of one task to its end, which is shown: once, or not at all. */
export class Caller {
  readonly #scene: Scene;
  #isOver = false;
  #callAt: MessagePlace | undefined;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async call(): Promise<void> {
    await new Patience(this.#scene).until(async () => {
      if (!this.#isOver) await this.#try();
      this.#isOver = true;
      await this.#takeBack();
      await this.#scene.record.called(this.#callAt);
    }, 'A member could not be called.');
  }

  async #try(): Promise<void> {
    const { id, clock, known, log, record } = this.#scene;
    const task = await record.task();
    const call = task?.delivery.call;
    if (!task || !call) return;
    const now = clock.now();
    const way = wayToCall(task, known.shut, now);
    if (way && mayStillCall(task, call, way, now)) await this.#take(way, task);
    else log.info({ task: id }, 'A member was not called: it is too late, or there is no way.');
  }

  async #take(way: AnswerWay | TokenWay, task: Task): Promise<void> {
    const prepared = await this.#scene.prepare(task);
    try {
      if (!(await this.#scene.record.calling())) return;
      this.#callAt = await this.#carry(way, task, prepared);
    } catch (error) {
      if (error instanceof Hindered) throw error;
      const trouble = troubleOf(error, way.by);
      if (trouble === 'later' && way.by === 'answer') throw new Hindered('unreachable', error);
      this.#note(error, way, 'A member was not called.');
    } finally {
      prepared.release();
    }
  }

  async #carry(way: AnswerWay | TokenWay, task: Task, { plan, instead }: Prepared): Promise<MessagePlace | undefined> {
    const { outbox } = this.#scene;
    const send = (words: MessagePlan) =>
      way.by === 'answer'
        ? outbox.post(way.message.channelId, nonceOfCall(task), bodyOf({ ...words, answers: way.message.id }))
        : outbox.add(way, bodyOf(words), false);
    try {
      return await send(plan);
    } catch (error) {
      const trouble = troubleOf(error, way.by);
      if (!instead || (trouble !== 'no-access' && trouble !== 'malformed')) throw error;
      this.#note(error, way, 'A message was sent plainer.');
      return await send(instead);
    }
  }

  #note(error: unknown, { by }: AnswerWay | TokenWay, sentence: string): void {
    const facts = { task: this.#scene.id, by, trouble: troubleOf(error, by), ...factsOf(error) };
    this.#scene.log.info(facts, sentence);
  }

  /** The message that it stands below may have been deleted meanwhile, by somebody who did not see it yet. */
  async #takeBack(): Promise<void> {
    const posted = this.#callAt;
    if (!posted || (await this.#scene.record.task())?.message) return;
    this.#callAt = undefined;
    try {
      await this.#scene.outbox.remove({ by: 'edit', message: posted });
    } catch (error) {
      this.#scene.log.info({ task: this.#scene.id, ...factsOf(error) }, 'What belongs to a deleted message stays.');
    }
  }
}

/** To the place where the end is shown; nobody is called to what is private, or to what was taken away. */
function wayToCall(task: Task, shut: Shut, now: number): AnswerWay | TokenWay | undefined {
  const { route, message } = task;
  if (!message || route.isPrivate || (task.traits.isSpoken && !hasToSpeak(task))) return undefined;
  if (route.mayPost) return { by: 'answer', message };
  return shut.has('token') ? undefined : tokenWay(task, now);
}

/** A call that may have gone out goes again only where its nonce makes it the same. Better none than two. */
function mayStillCall(task: Task, { shownAt, goingAt }: Call, { by }: AnswerWay | TokenWay, now: number): boolean {
  // A sound is no news but a result, and comes however late.
  if (goingAt === undefined) return hasToSpeak(task) || now - shownAt < NEWS_FOR_MS;
  return by === 'answer' && now - goingAt < SAME_NONCE_MS;
}

/** Not the one of the task's own message. A nonce has 25 letters at most, and a task's id has 17. */
const nonceOfCall = ({ id }: Task): string => `${id}-call`;
