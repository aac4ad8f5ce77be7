import type { Call, MessagePlace, Task } from '../../services/tasks/task.ts';
import { bodyOf } from '../adapter.ts';
import { factsOf, troubleOf } from '../outbox/errors.ts';
import { SAME_NONCE_MS } from '../outbox/outbox.ts';
import { type Shut, type TokenWay, tokenWay } from '../outbox/ways.ts';
import type { MessagePlan, Prepared } from '../plan.ts';
import type { Scene } from './ending.ts';
import { Hindered, Patience } from './hindered.ts';
import { hasToSpeak } from './record.ts';

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
