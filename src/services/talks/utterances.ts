import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { DraftReporter } from '../asks/stream.ts';
import { breakOffAnswer, markAnswering, updateDraft } from '../asks/transitions.ts';
import { GatewayError } from '../gateway/index.ts';
import type { RealtimeResponse } from '../gateway/realtime/events.ts';
import type { AudioService } from '../sound/audio.ts';
import type { VoiceWriter } from '../sound/voice-queue.ts';
import type { Voice } from '../tasks/answer.ts';
import type { TasksLog, Transition } from '../tasks/book.ts';
import { hasEnded, isFollowed, isOfKind, type Task, type TaskOf } from '../tasks/task.ts';
import { type OrderedRequest, orderOfTask } from '../tasks/transitions.ts';
import type { LiveAnswer, LiveTalk } from './live-talk.ts';
import { addTurn, concludeAnswer, setTranscript } from './transitions.ts';

/** No normal answer becomes this long. A provoked one must not fill the memory or exceed Discord's file limit. */
const MAX_SECONDS = 10 * 60;

export interface UtteranceParts {
  sounds: Pick<AudioService, 'writing'>;
  clock: Clock;
  log: TasksLog;
  costOfAnswer(order: OrderedRequest<'said'>, tokens: RealtimeResponse['usage']): string | undefined;
  change(id: string, transition: Transition): Promise<Task>;
  conversation(id: string): LiveTalk | undefined;
}

export class Utterances {
  readonly #parts: UtteranceParts;
  /** Answers whose task is not accepted yet, by the idempotency key of the order. */
  readonly #unaccepted = new Map<string, LiveAnswer>();
  readonly #speaking = new Map<string, LiveAnswer>();

  constructor(parts: UtteranceParts) {
    this.#parts = parts;
  }

  register(key: string, speaking: LiveAnswer): void {
    this.#unaccepted.set(key, speaking);
  }

  async follow(task: TaskOf<'said'>): Promise<void> {
    const { id, idempotencyKey } = task;
    const speaking = this.#unaccepted.get(idempotencyKey);
    this.#unaccepted.delete(idempotencyKey);
    if (speaking) return this.#answer(task, speaking);
    // A running answer does not survive a restart.
    await this.#takeTurn(task);
    await this.#parts.change(id, (known) => breakOffAnswer(known, 'interrupted', undefined, this.#parts.clock.now()));
  }

  async stop({ id }: Task): Promise<void> {
    const speaking = this.#speaking.get(id);
    if (speaking) return speaking.interrupt('stopped');
    const now = this.#parts.clock.now();
    await this.#parts.change(id, (known) =>
      isFollowed(known) ? breakOffAnswer(known, 'stopped', undefined, now) : known,
    );
  }

  /** Interrupts the answer to an utterance that the member deletes. */
  async interrupt({ id }: Task): Promise<void> {
    await this.#speaking.get(id)?.interrupt('stopped');
  }

  async #answer(task: TaskOf<'said'>, speaking: LiveAnswer): Promise<void> {
    const { id } = task;
    const conversation = this.#parts.conversation(task.request.talk);
    const markSilent = (): void => {
      this.#speaking.delete(id);
      conversation?.markAnswerEnded(speaking);
    };
    this.#speaking.set(id, speaking);
    try {
      await this.#takeTurn(task);
      await this.#complete(id, speaking, markSilent);
    } finally {
      markSilent();
      await conversation?.replaceStaleSession();
    }
  }

  /** An utterance is part of its conversation from the moment when the model began to answer. */
  async #takeTurn(task: TaskOf<'said'>): Promise<void> {
    const { log, change, conversation } = this.#parts;
    const at = task.times.accepted ?? task.times.created;
    const { talk: id } = task.request;
    const live = conversation(id);
    if (live) live.heardAt = Math.max(live.heardAt, at);
    try {
      await change(id, (talk) => addTurn(talk, task.id, at));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      log.info({ task: task.id }, 'An utterance outlived its conversation.');
    }
  }

  /** Completes an answer. `silent` is called as soon as the model has finished, before the results are stored. */
  async #complete(id: string, speaking: LiveAnswer, markSilent: () => void): Promise<void> {
    const { change, clock, log, sounds } = this.#parts;
    // The audio is encoded while it arrives, so that at the end only the last piece is left to encode.
    const writer = sounds.writing({ maxSeconds: MAX_SECONDS });
    try {
      const task = await change(id, (known) => markAnswering(known, []));
      if (hasEnded(task) || task.unwanted) await speaking.interrupt('stopped');
      const response = await this.#listen(id, speaking, writer).finally(markSilent);
      const { stopReason } = speaking;
      // No one wants the audio of a stopped answer, and a bot that is stopping has no time to encode it.
      const voice = stopReason ? undefined : await this.#finishVoice(id, writer);
      const isAnything = response.text !== '' || !writer.isEmpty;
      const cost = this.#costOf(task, response);
      await change(id, (known) =>
        concludeAnswer(known, { response, hasContent: isAnything, voice, stopReason, cost }, clock.now()),
      );
    } catch (error) {
      // The member may have deleted the task, so nothing more is stored.
      if (error instanceof Refusal) return speaking.interrupt('stopped');
      log.error({ task: id, err: error }, 'An answer could not be completed.');
      const reason = error instanceof GatewayError ? error : undefined;
      await change(id, (known) => breakOffAnswer(known, speaking.stopReason ?? 'failed', reason, clock.now()));
    } finally {
      writer.drop();
    }
  }

  #costOf(task: Task, { usage }: RealtimeResponse): string | undefined {
    return isOfKind('said', task) ? this.#parts.costOfAnswer(orderOfTask(task), usage) : undefined;
  }

  async #listen(id: string, speaking: LiveAnswer, writer: VoiceWriter): Promise<RealtimeResponse> {
    const { clock } = this.#parts;
    const draft = new DraftReporter(clock, (text, doing) =>
      this.#store(id, (task) => updateDraft(task, text, doing, clock.now())),
    );
    try {
      for await (const event of speaking.answer.events) {
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
      await this.#parts.change(id, transition);
    } catch (error) {
      // The member may have deleted the task, so nothing more is stored.
      this.#parts.log.warn({ task: id, err: error }, 'The partial reply of a model could not be stored.');
    }
  }

  async #finishVoice(id: string, writer: VoiceWriter): Promise<Voice | undefined> {
    if (writer.isEmpty) return undefined;
    try {
      const { bytes, seconds, waveform, isCut } = await writer.finish();
      return { seconds, waveform, sound: bytes.toString('base64'), ...(isCut && { isCut }) };
    } catch (error) {
      this.#parts.log.error({ task: id, err: error }, 'A spoken answer could not be turned into a voice message.');
      return undefined;
    }
  }
}
