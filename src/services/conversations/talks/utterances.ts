import { expecting } from '../../../lib/expecting.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { GatewayError } from '../../gateway/errors.ts';
import type { RealtimeResponse } from '../../gateway/realtime-events.ts';
import type { VoiceWriter } from '../../media/voice-queue.ts';
import type { Transition } from '../../orders/book.ts';
import type { Voice } from '../../tasks/answer.ts';
import { hasEnded, isFollowed, type Task, type TaskOf } from '../../tasks/task.ts';
import { endAnswerEarly, markAnswering, updateDraft } from '../ask-transitions.ts';
import { reportDraft } from '../asks/report-draft.ts';
import type { ConversationContext } from '../conversation-context.ts';
import { addTurn, concludeAnswer, setTranscript } from '../talk-transitions.ts';
import type { LiveAnswer, LiveTalk } from './live-talk.ts';

/** No normal answer is this long, and one that a member provokes must not fill the memory or exceed Discord's file limit. */
const MAX_ANSWER_SECONDS = 10 * 60;

export class Utterances {
  readonly #context: ConversationContext;
  readonly #conversation: (id: string) => LiveTalk | undefined;
  readonly #liveAnswers = new Map<string, LiveAnswer>();

  constructor(context: ConversationContext, conversation: (id: string) => LiveTalk | undefined) {
    this.#context = context;
    this.#conversation = conversation;
  }

  /** A running answer does not survive a restart. */
  async interruptStored(task: TaskOf<'said'>): Promise<void> {
    await this.#joinConversation(task);
    await this.#context.change(task.id, (known) =>
      endAnswerEarly(known, 'interrupted', undefined, this.#context.clock.now()),
    );
  }

  async stop({ id }: Task): Promise<void> {
    const liveAnswer = this.#liveAnswers.get(id);
    if (liveAnswer) return liveAnswer.interrupt('stopped');
    const now = this.#context.clock.now();
    await this.#context.change(id, (known) =>
      isFollowed(known) ? endAnswerEarly(known, 'stopped', undefined, now) : known,
    );
  }

  async interrupt({ id }: Task): Promise<void> {
    await this.#liveAnswers.get(id)?.interrupt('stopped');
  }

  async follow(task: TaskOf<'said'>, liveAnswer: LiveAnswer): Promise<void> {
    const { id } = task;
    const conversation = this.#conversation(task.request.talk);
    const onFinished = (): void => {
      this.#liveAnswers.delete(id);
      conversation?.markAnswerEnded(liveAnswer);
    };
    this.#liveAnswers.set(id, liveAnswer);
    const completed = this.#joinConversation(task).then(() => this.#complete(id, liveAnswer, onFinished));
    if (conversation) conversation.lastAnswer = completed;
    try {
      await completed;
    } finally {
      onFinished();
      await conversation?.replaceStaleSession();
    }
  }

  /** An utterance is part of its conversation from the moment the model began to answer. */
  async #joinConversation(task: TaskOf<'said'>): Promise<void> {
    const time = task.times.accepted ?? task.times.created;
    const { talk: id } = task.request;
    const liveTalk = this.#conversation(id);
    if (liveTalk) liveTalk.heardAt = Math.max(liveTalk.heardAt, time);
    const noteLate = (): void => this.#context.log.info({ task: task.id }, 'An utterance outlived its conversation.');
    await this.#context.change(id, (talk) => addTurn(talk, task.id, time)).catch(expecting(Refusal, noteLate));
  }

  /** Completes an answer. `onFinished` is called as soon as the model has finished, before the results are stored. */
  async #complete(id: string, liveAnswer: LiveAnswer, onFinished: () => void): Promise<void> {
    const { clock, log, audio } = this.#context;
    // The audio is encoded while it arrives, so that only the last chunk is left to encode at the end.
    const writer = audio.startVoice({ maxSeconds: MAX_ANSWER_SECONDS });
    try {
      const task = await this.#context.change(id, (known) => markAnswering(known, []));
      if (hasEnded(task) || task.unwanted) await liveAnswer.interrupt('stopped');
      const response = await this.#receive(id, liveAnswer, writer).finally(onFinished);
      const { stopReason } = liveAnswer;
      // No one wants the audio of a stopped answer, and a bot that is stopping has no time to encode it.
      const voice = stopReason ? undefined : await this.#finishVoice(id, writer);
      const hasContent = response.text !== '' || !writer.isEmpty;
      const cost = this.#context.money.prices.costOfAnswer(task, response);
      await this.#context.change(id, (known) =>
        concludeAnswer(known, { response, hasContent, voice, stopReason, cost }, clock.now()),
      );
    } catch (error) {
      // The member may have deleted the task, so nothing more is stored.
      if (error instanceof Refusal) return liveAnswer.interrupt('stopped');
      log.error({ task: id, err: error }, 'An answer could not be completed.');
      const reason = error instanceof GatewayError ? error : undefined;
      await this.#context.change(id, (known) =>
        endAnswerEarly(known, liveAnswer.stopReason ?? 'failed', reason, clock.now()),
      );
    } finally {
      writer.drop();
    }
  }

  async #receive(id: string, liveAnswer: LiveAnswer, writer: VoiceWriter): Promise<RealtimeResponse> {
    const { clock } = this.#context;
    const draft = reportDraft(clock, (text, doing) =>
      this.#store(id, (task) => updateDraft(task, text, doing, clock.now())),
    );
    try {
      for await (const event of liveAnswer.answer.events) {
        if (event.type === 'text') draft.add(event.delta);
        else if (event.type === 'audio') writer.add(event.pcm);
        else if (event.type === 'heard') await this.#store(id, (task) => setTranscript(task, event.text));
        else if (event.type === 'end') return event.response;
      }
    } finally {
      await draft.end();
    }
    throw new Error('A reply of a live session closed before its final event.');
  }

  async #store(id: string, transition: Transition): Promise<void> {
    try {
      await this.#context.change(id, transition);
    } catch (error) {
      // The member may have deleted the task, so nothing more is stored.
      this.#context.log.warn({ task: id, err: error }, 'The partial reply of a model could not be stored.');
    }
  }

  async #finishVoice(id: string, writer: VoiceWriter): Promise<Voice | undefined> {
    if (writer.isEmpty) return undefined;
    try {
      const { bytes, seconds, waveform, isTruncated } = await writer.finish();
      return { seconds, waveform, sound: bytes.toString('base64'), ...(isTruncated && { isCut: isTruncated }) };
    } catch (error) {
      this.#context.log.error({ task: id, err: error }, 'A spoken answer could not be turned into a voice message.');
      return undefined;
    }
  }
}
