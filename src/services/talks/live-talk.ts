import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { StopReason } from '../asks/transitions.ts';
import type { RealtimeAnswer, RealtimeSession, Utterance } from '../gateway/realtime/events.ts';
import type { TasksLog } from '../tasks/book.ts';
import { isPermanentFailure } from './session.ts';

export class LiveAnswer {
  readonly answer: RealtimeAnswer;
  stopReason: StopReason | undefined;
  #interrupting: Promise<void> | undefined;

  constructor(answer: RealtimeAnswer) {
    this.answer = answer;
  }

  interrupt(why: StopReason): Promise<void> {
    this.stopReason ??= why;
    this.#interrupting ??= this.answer.interrupt();
    return this.#interrupting;
  }
}

interface ConversationParts {
  /** Opens a session that knows the conversation so far. */
  open(): Promise<RealtimeSession>;
  log: TasksLog;
}

/** A live conversation, which keeps its turns in order. Its session is only opened when a member speaks. */
export class LiveTalk {
  readonly #parts: ConversationParts;
  readonly #turns = new KeyedLock();
  #session: RealtimeSession | undefined;
  #speaking: LiveAnswer | undefined;
  #waiting = 0;
  #isStale = false;
  #closed: StopReason | undefined;
  heardAt: number;

  constructor(parts: ConversationParts, heardAt: number, session: RealtimeSession | undefined) {
    this.#parts = parts;
    this.#session = session;
    this.heardAt = heardAt;
  }

  get isBusy(): boolean {
    return this.#waiting > 0 || this.#speaking !== undefined;
  }

  /** Concurrent utterances are processed in order; each one interrupts the answer to the one before it. */
  say(utterance: Utterance): Promise<LiveAnswer> {
    return this.#inTurn(async () => {
      if (this.#closed) throw new Refusal(this.#closed === 'stopped' ? 'refusals.talkOver' : 'refusals.stopping');
      await this.#interruptAnswer('stopped');
      if (this.#isStale) await this.#closeSession();
      this.#session ??= await this.#parts.open();
      try {
        const speaking = new LiveAnswer(await this.#session.say(utterance));
        this.#speaking = speaking;
        return speaking;
      } catch (error) {
        // Opening the conversation again will show whether the conversation itself is refused, or only this utterance was.
        if (isPermanentFailure(error)) await this.#closeSession();
        throw error;
      }
    });
  }

  /** Call this when an answer has ended. */
  markAnswerEnded(speaking: LiveAnswer): void {
    if (this.#speaking === speaking) this.#speaking = undefined;
  }

  /** Makes the session forget an utterance: it is replaced as soon as no answer is running. */
  async replaceSession(): Promise<void> {
    this.#isStale = true;
    await this.replaceStaleSession();
  }

  /** Call this when no answer can be running. Replaces the session if that is due. */
  async replaceStaleSession(): Promise<void> {
    if (!this.#isStale) return;
    await this.#inTurn(async () => {
      if (this.#isStale && !this.#speaking) await this.#closeSession();
    });
  }

  /** Interrupts the answer and accepts no further utterances. */
  async close(why: StopReason): Promise<void> {
    this.#closed ??= why;
    await this.#inTurn(async () => {
      await this.#interruptAnswer(why);
      await this.#closeSession();
    });
  }

  async #interruptAnswer(why: StopReason): Promise<void> {
    const speaking = this.#speaking;
    if (!speaking) return;
    try {
      await speaking.interrupt(why);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'An answer could not be interrupted.');
    }
    if (this.#speaking === speaking) this.#speaking = undefined;
  }

  async #closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#isStale = false;
    try {
      await session?.close();
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'A live session could not be closed.');
    }
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    try {
      return await this.#turns.run('turn', work);
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Long enough to read an answer and be away for a moment. After that, the unused session is closed. */
const MAX_SILENCE_MS = 15 * 60_000;
/** A running answer does not count as silence, so the check is repeated after this time. */
const AGAIN_MS = 60_000;

/** Reports conversations in which no member has spoken for a while. */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #tell: (id: string) => void;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock, tell: (id: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  watch(id: string, watched: Pick<LiveTalk, 'heardAt' | 'isBusy'>): void {
    const { heardAt, isBusy } = watched;
    const left = heardAt + MAX_SILENCE_MS - this.#clock.now();
    const checkIdle = (): void => {
      if (watched.isBusy || watched.heardAt !== heardAt) this.watch(id, watched);
      else this.#tell(id);
    };
    this.#cancels.set(id, this.#clock.after(isBusy ? Math.max(left, AGAIN_MS) : Math.max(left, 0), checkIdle));
  }

  unwatch(id: string): void {
    this.#cancels.get(id)?.();
    this.#cancels.delete(id);
  }

  stop(): void {
    for (const id of [...this.#cancels.keys()]) this.unwatch(id);
  }
}
