import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { RealtimeSession } from '../gateway/realtime/events.ts';
import type { Sounds } from '../sound/sounds.ts';
import type { TaskBook, TasksLog, Transition } from '../tasks/book.ts';
import { type Kind, kind } from '../tasks/kind.ts';
import type { Materials } from '../tasks/materials.ts';
import { hasEnded, isFollowed, type TalkEnd, type Task, type TaskOf } from '../tasks/task.ts';
import { Conversation, Silence, type Speaking } from './conversation.ts';
import { earlierIn, isForGood, type OpeningParts, opened, type SaidRequest } from './opening.ts';
import { Sayings } from './sayings.ts';
import { talkOf, talkOver, turnGone, underWay } from './transitions.ts';

interface TalksParts extends OpeningParts {
  book: Pick<TaskBook, 'get' | 'change' | 'live' | 'onChange' | 'onGone'>;
  sounds: Pick<Sounds, 'writing'>;
  clock: Clock;
  log: TasksLog;
}

/** Live conversations, from the first word to the last. Knows nothing of the place where they are held. */
export class Talks {
  readonly kinds: readonly Kind[];
  readonly #parts: TalksParts;
  readonly #sayings: Sayings;
  readonly #silence: Silence;
  readonly #conversations = new Map<string, Conversation>();
  /** Sessions whose task is not accepted yet, by the idempotency key of the order. */
  readonly #opened = new Map<string, RealtimeSession>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(parts: TalksParts) {
    this.#parts = parts;
    parts.book.onChange((task) => this.#onTaskChange(task));
    parts.book.onGone((task) => this.#onTaskGone(task));
    const change = (id: string, transition: Transition) => this.#change(id, transition);
    this.#sayings = new Sayings({ ...parts, change, conversation: (id) => this.#conversations.get(id) });
    this.#silence = new Silence(parts.clock, (id) => this.#track(this.end(id, 'idle')));
    this.kinds = [
      kind({
        name: 'talk',
        follow: (task) => this.#follow(task),
        patience: () => 'text',
        durationKey: ({ model }) => `talk:${model}`,
        submit: async (request, { idempotencyKey }) => {
          const session = await opened(parts, request, { earlier: [], signal: this.#stopping.signal });
          this.#opened.set(idempotencyKey, session);
          return { remoteId: session.id, needsInput: false };
        },
      }),
      kind({
        name: 'said',
        follow: (task) => this.#track(this.#sayings.follow(task)),
        patience: () => 'text',
        durationKey: ({ model }) => `said:${model}`,
        submit: async (request, { idempotencyKey, materials }) => {
          const speaking = await this.#say(request, materials);
          this.#sayings.begin(idempotencyKey, speaking);
          return { remoteId: speaking.answer.id, needsInput: false };
        },
      }),
    ];
  }

  /** The running conversation in a channel, from memory. */
  in(channelId: string): TaskOf<'talk'> | undefined {
    const talks = this.#parts.book.live().filter((task) => task.kind === 'talk');
    return talks.find((task) => task.channelId === channelId && !hasEnded(task));
  }

  /** Ends a conversation and interrupts its answer. Does nothing if it has ended, or has not begun. */
  async end(id: string, why: TalkEnd): Promise<Task> {
    const task = await this.#change(id, (known) => {
      if (known.kind !== 'talk') throw new Refusal('refusals.unknownTask');
      return isFollowed(known) ? talkOver(known, why, this.#parts.clock.now()) : known;
    });
    // Closing may take long if the gateway does not respond, and the caller need not wait for it.
    if (hasEnded(task)) this.#track(this.#close(id));
    return task;
  }

  stop(said: Task): Promise<void> {
    return this.#sayings.stop(said);
  }

  /** The bot is stopping: answers under way end as interrupted, conversations stay. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    this.#silence.stop();
    for (const conversation of this.#conversations.values()) this.#track(conversation.close('interrupted'));
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** It has just begun, or was running when the bot last stopped: then its session is opened when a member speaks. */
  #follow(task: Task): void {
    const { id, idempotencyKey } = task;
    const session = this.#opened.get(idempotencyKey);
    this.#opened.delete(idempotencyKey);
    const parts = { open: () => this.#reopen(id), log: this.#parts.log };
    const conversation = new Conversation(parts, talkOf(task).heardAt, session);
    this.#conversations.set(id, conversation);
    if (this.#stopping.signal.aborted) this.#track(conversation.close('interrupted'));
    else this.#silence.watch(id, conversation);
    this.#track(this.#begin(id));
  }

  async #begin(id: string): Promise<void> {
    const task = await this.#change(id, underWay);
    if (hasEnded(task)) await this.#close(id);
    // The member wanted it forgotten before it began, or before the bot stopped.
    else if (task.unwanted) await this.end(id, 'ended');
  }

  async #close(id: string): Promise<void> {
    this.#silence.forget(id);
    await this.#conversations.get(id)?.close('stopped');
    this.#conversations.delete(id);
  }

  async #reopen(id: string): Promise<RealtimeSession> {
    const task = await this.#parts.book.get(id);
    if (task?.kind !== 'talk' || hasEnded(task)) throw new Refusal('refusals.talkOver');
    const earlier = await earlierIn(task, (said) => this.#parts.book.get(said));
    try {
      return await opened(this.#parts, task.request, { earlier, signal: this.#stopping.signal });
    } catch (error) {
      if (isForGood(error)) this.#track(this.end(id, 'lost'));
      throw error;
    }
  }

  async #say({ talk, prompt }: SaidRequest, { sound }: Materials): Promise<Speaking> {
    if (this.#stopping.signal.aborted) throw new Refusal('refusals.stopping');
    const conversation = this.#conversations.get(talk);
    if (!conversation) throw new Refusal('refusals.talkOver');
    return conversation.say({ text: prompt, sound });
  }

  #onTaskChange(task: Task): void {
    if (!task.unwanted || !isFollowed(task)) return;
    if (task.kind === 'talk') this.#track(this.end(task.id, 'ended'));
    else if (task.kind === 'said') this.#track(this.#sayings.letGo(task));
  }

  /** No session may remember what its member wanted forgotten. */
  #onTaskGone(task: Task): void {
    // The gateway never accepted it, so no session knows it.
    if (task.kind !== 'said' || task.state === 'submitting') return;
    const id = task.request.talk;
    const conversation = this.#conversations.get(id);
    if (!conversation) return;
    this.#track(conversation.renew());
    this.#track(this.#change(id, (talk) => turnGone(talk, task.id)));
  }

  #change(id: string, transition: Transition): Promise<Task> {
    return this.#parts.book.change(id, transition, { mustHold: true });
  }

  #track(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => {
        // The task is gone, because its member wanted it forgotten.
        if (!(error instanceof Refusal)) this.#parts.log.error({ err: error }, 'A live conversation failed.');
      })
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }
}
