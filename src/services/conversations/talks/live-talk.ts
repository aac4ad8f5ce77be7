import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { Refusal } from '../../../lib/refusal.ts';
import type { RealtimeAnswer } from '../../gateway/realtime-answer.ts';
import type { Utterance } from '../../gateway/realtime-events.ts';
import type { RealtimeSession } from '../../gateway/realtime-session.ts';
import type { TasksLog } from '../../orders/book.ts';
import type { StopReason } from '../ask-transitions.ts';
import { isPermanentFailure } from '../talk-session.ts';

export class LiveAnswer {
  readonly answer: RealtimeAnswer;
  stopReason: StopReason | undefined;

  constructor(answer: RealtimeAnswer) {
    this.answer = answer;
  }

  interrupt(reason: StopReason): Promise<void> {
    this.stopReason ??= reason;
    return this.answer.interrupt();
  }
}

/** A live conversation, which keeps its turns in order. Its session is only opened when a member speaks. */
export class LiveTalk {
  readonly #open: () => Promise<RealtimeSession>;
  readonly #log: TasksLog;
  readonly #turns = new KeyedLock();
  #session: RealtimeSession | undefined;
  #liveAnswer: LiveAnswer | undefined;
  #pendingTurns = 0;
  #isStale = false;
  #closeReason: StopReason | undefined;
  heardAt: number;
  /** Resolves when the last answer is stored. */
  lastAnswer: Promise<unknown> | undefined;

  constructor(
    open: () => Promise<RealtimeSession>,
    log: TasksLog,
    heardAt: number,
    session: RealtimeSession | undefined,
  ) {
    this.#open = open;
    this.#log = log;
    this.#session = session;
    this.heardAt = heardAt;
  }

  get isBusy(): boolean {
    return this.#pendingTurns > 0 || this.#liveAnswer !== undefined;
  }

  /** Concurrent utterances are processed in order; each one interrupts the answer to the one before it. */
  say(utterance: Utterance): Promise<LiveAnswer> {
    return this.#runInTurn(async () => {
      if (this.#closeReason)
        throw new Refusal(this.#closeReason === 'stopped' ? 'refusals.talkOver' : 'refusals.stopping');
      await this.#interruptAnswer('stopped');
      if (this.#isStale) await this.#closeSession();
      this.#session ??= await this.#open();
      try {
        const liveAnswer = new LiveAnswer(await this.#session.say(utterance));
        this.#liveAnswer = liveAnswer;
        return liveAnswer;
      } catch (error) {
        // Opening the conversation again will show whether the conversation itself is refused, or only this utterance was.
        if (isPermanentFailure(error)) await this.#closeSession();
        throw error;
      }
    });
  }

  markAnswerEnded(liveAnswer: LiveAnswer): void {
    if (this.#liveAnswer === liveAnswer) this.#liveAnswer = undefined;
  }

  /** Makes the session forget an utterance: it is replaced as soon as no answer is running. */
  async replaceSession(): Promise<void> {
    this.#isStale = true;
    await this.replaceStaleSession();
  }

  /** Call this when no answer can be running. Replaces the session if that is due. */
  async replaceStaleSession(): Promise<void> {
    if (!this.#isStale) return;
    await this.#runInTurn(async () => {
      if (this.#isStale && !this.#liveAnswer) await this.#closeSession();
    });
  }

  /** Interrupts the answer and accepts no further utterances. */
  async close(reason: StopReason): Promise<void> {
    this.#closeReason ??= reason;
    await this.#runInTurn(async () => {
      await this.#interruptAnswer(reason);
      await this.#closeSession();
    });
  }

  async #interruptAnswer(reason: StopReason): Promise<void> {
    const liveAnswer = this.#liveAnswer;
    if (!liveAnswer) return;
    try {
      await liveAnswer.interrupt(reason);
    } catch (error) {
      this.#log.warn({ err: error }, 'An answer could not be interrupted.');
    }
    if (this.#liveAnswer === liveAnswer) this.#liveAnswer = undefined;
  }

  async #closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#isStale = false;
    try {
      await session?.close();
    } catch (error) {
      this.#log.warn({ err: error }, 'A live session could not be closed.');
    }
  }

  async #runInTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#pendingTurns += 1;
    try {
      return await this.#turns.run('turn', work);
    } finally {
      this.#pendingTurns -= 1;
    }
  }
}
