import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { GatewayError } from '../gateway/errors.ts';
import { findTranscriber } from '../gateway/model-ids.ts';
import type { EarlierTurn } from '../gateway/realtime-events.ts';
import type { RealtimeSession } from '../gateway/realtime-session.ts';
import { defineKind, type Kind } from '../tasks/kind.ts';
import type { Materials } from '../tasks/materials.ts';
import { hasEnded, isFollowed, type TalkEnd, type Task, type TaskOf } from '../tasks/task.ts';
import type { ConversationContext } from './conversation-context.ts';
import { languageHint } from './member-language.ts';
import { earlierTalkTurns, isPermanentFailure, type TalkRequest, type UtteranceRequest } from './talk-session.ts';
import { endTalk, markRunning, removeTurn, talkOf } from './talk-transitions.ts';
import { type LiveAnswer, LiveTalk } from './talks/live-talk.ts';
import { Utterances } from './talks/utterances.ts';

/** Runs live conversations from start to end. Does not know where they take place. */
export class Talks {
  readonly kinds: readonly Kind[];
  readonly #context: ConversationContext;
  readonly #utterances: Utterances;
  readonly #silence;
  readonly #conversations = new Map<string, LiveTalk>();
  readonly #runningWork = new Set<Promise<unknown>>();
  readonly #stopController = new AbortController();

  constructor(context: ConversationContext) {
    this.#context = context;
    context.book.onChange((task) => this.#onTaskChange(task));
    context.book.onRemove((task) => this.#onTaskGone(task));
    this.#utterances = new Utterances(context, (id) => this.#conversations.get(id));
    this.#silence = createSilenceWatch(context.clock, (id) => this.#track(this.end(id, 'idle')));
    this.kinds = [
      defineKind({
        name: 'talk',
        follow: (task) => this.#follow(task),
        waitLimit: () => 'text',
        durationKey: ({ model }) => `talk:${model}`,
        submit: async (request, { id }) => {
          const session = await this.#open(id, request);
          return { remoteId: session.id, needsInput: false, follow: (task) => this.#follow(task, session) };
        },
      }),
      defineKind({
        name: 'said',
        follow: (task) => this.#track(this.#utterances.interruptStored(task)),
        waitLimit: () => 'text',
        durationKey: ({ model }) => `said:${model}`,
        submit: async (request, { materials }) => {
          const liveAnswer = await this.#say(request, materials);
          const follow = (task: TaskOf<'said'>) => this.#track(this.#utterances.follow(task, liveAnswer));
          return { remoteId: liveAnswer.answer.id, needsInput: false, follow };
        },
      }),
    ];
  }

  get openCount(): number {
    return this.#conversations.size;
  }

  findInChannel(channelId: string): TaskOf<'talk'> | undefined {
    const talks = this.#context.book.live().filter((task) => task.kind === 'talk');
    return talks.find((task) => task.channelId === channelId && !hasEnded(task));
  }

  /** Ends a conversation and interrupts its answer. Does nothing if it has ended, or has not begun. */
  async end(id: string, reason: TalkEnd): Promise<Task> {
    const task = await this.#context.change(id, (known) => {
      if (known.kind !== 'talk') throw new Refusal('refusals.unknownTask');
      return isFollowed(known) ? endTalk(known, reason, this.#context.clock.now()) : known;
    });
    // Closing may take long if the gateway does not respond, so the caller does not wait for it.
    if (hasEnded(task)) this.#track(this.#close(id));
    return task;
  }

  stopAnswer(utterance: Task): Promise<void> {
    return this.#utterances.stop(utterance);
  }

  /** Ends running answers as interrupted, because the bot is stopping; conversations continue after the restart. */
  async finish(): Promise<void> {
    this.#stopController.abort();
    this.#silence.stop();
    for (const conversation of this.#conversations.values()) this.#track(conversation.close('interrupted'));
    while (this.#runningWork.size > 0) await Promise.all(this.#runningWork);
  }

  /** The conversation has just begun, or was running when the bot last stopped. In the latter case, its session is opened when a member speaks. */
  #follow(task: Task, session?: RealtimeSession): void {
    const { id } = task;
    const conversation = new LiveTalk(() => this.#reopen(id), this.#context.log, talkOf(task).heardAt, session);
    this.#conversations.set(id, conversation);
    if (this.#stopController.signal.aborted) this.#track(conversation.close('interrupted'));
    else this.#silence.watch(id, conversation);
    this.#track(this.#begin(id));
  }

  async #begin(id: string): Promise<void> {
    const task = await this.#context.change(id, markRunning);
    if (hasEnded(task)) await this.#close(id);
    // The member deleted the task before the conversation began, or before the bot stopped.
    else if (task.unwanted) await this.end(id, 'ended');
  }

  async #close(id: string): Promise<void> {
    this.#silence.unwatch(id);
    await this.#conversations.get(id)?.close('stopped');
    this.#conversations.delete(id);
  }

  async #reopen(id: string): Promise<RealtimeSession> {
    const task = await this.#context.book.get(id);
    if (task?.kind !== 'talk' || hasEnded(task)) throw new Refusal('refusals.talkOver');
    try {
      return await this.#open(id, task.request);
    } catch (error) {
      if (isPermanentFailure(error)) this.#track(this.end(id, 'lost'));
      throw error;
    }
  }

  async #open(id: string, { model, instructions, voice, memberLanguage }: TalkRequest): Promise<RealtimeSession> {
    const { gateway, models } = this.#context;
    const { signal } = this.#stopController;
    try {
      const transcriber = findTranscriber(await models.listQuickly());
      const allInstructions = [instructions, languageHint(memberLanguage)].filter(Boolean).join('\n\n') || undefined;
      const settings = { model, instructions: allInstructions, voice, transcriber };
      return await gateway.realtime.open(settings, { history: () => this.#history(id), signal });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      // An unused session has cost nothing, even if its outcome is unknown.
      throw new GatewayError(error.message, { ...error, mayHaveTakenEffect: false, cause: error });
    }
  }

  /** The conversation so far, as soon as its last answer is stored. */
  async #history(id: string): Promise<EarlierTurn[]> {
    const { book } = this.#context;
    await Promise.allSettled([this.#conversations.get(id)?.lastAnswer]);
    const task = await book.get(id);
    return task ? earlierTalkTurns(task, (utteranceId) => book.get(utteranceId)) : [];
  }

  async #say({ talk, prompt }: UtteranceRequest, { sound }: Materials): Promise<LiveAnswer> {
    if (this.#stopController.signal.aborted) throw new Refusal('refusals.stopping');
    const conversation = this.#conversations.get(talk);
    if (!conversation) throw new Refusal('refusals.talkOver');
    return conversation.say({ text: prompt, audio: sound });
  }

  #onTaskChange(task: Task): void {
    if (!task.unwanted || !isFollowed(task)) return;
    if (task.kind === 'talk') this.#track(this.end(task.id, 'ended'));
    else if (task.kind === 'said') this.#track(this.#utterances.interrupt(task));
  }

  /** A session must not remember an utterance that its owner has deleted. */
  #onTaskGone(task: Task): void {
    // The gateway never accepted the utterance, so no session knows it.
    if (task.kind !== 'said' || task.state === 'submitting') return;
    const id = task.request.talk;
    const conversation = this.#conversations.get(id);
    if (!conversation) return;
    this.#track(conversation.replaceSession());
    this.#track(this.#context.change(id, (talk) => removeTurn(talk, task.id)));
  }

  #track(work: Promise<unknown>): void {
    const done = work.catch((error: unknown) => {
      // The task is gone, because its owner deleted it.
      if (!(error instanceof Refusal)) this.#context.log.error({ err: error }, 'A live conversation failed.');
    });
    void trackUntilDone(done, this.#runningWork);
  }
}

/** Long enough to read an answer and be away for a moment. After that, the unused session is closed. */
const MAX_SILENCE_MS = 15 * 60_000;
/** A running answer does not count as silence, so the check is repeated after this time. */
const RECHECK_MS = 60_000;

/** Reports conversations in which no member has spoken for a while. */
export function createSilenceWatch(clock: Clock, onSilence: (id: string) => void) {
  const cancels = new Map<string, () => void>();

  function watch(id: string, talk: Pick<LiveTalk, 'heardAt' | 'isBusy'>): void {
    const { heardAt, isBusy } = talk;
    const remainingMs = heardAt + MAX_SILENCE_MS - clock.now();
    const checkIdle = (): void => {
      if (talk.isBusy || talk.heardAt !== heardAt) watch(id, talk);
      else onSilence(id);
    };
    cancels.set(id, clock.after(Math.max(remainingMs, isBusy ? RECHECK_MS : 0), checkIdle));
  }

  function unwatch(id: string): void {
    cancels.get(id)?.();
    cancels.delete(id);
  }

  return {
    watch,
    unwatch,

    stop(): void {
      for (const id of [...cancels.keys()]) unwatch(id);
    },
  };
}
