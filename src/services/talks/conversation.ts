import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { TakenBack } from '../asks/transitions.ts';
import type { RealtimeAnswer, RealtimeSession, Utterance } from '../gateway/realtime/events.ts';
import type { TasksLog } from '../tasks/book.ts';
import { isForGood } from './opening.ts';

/** An answer of the model from the moment it begins. */
export class Speaking {
  readonly answer: RealtimeAnswer;
  takenBack: TakenBack | undefined;
  #interrupting: Promise<void> | undefined;

  constructor(answer: RealtimeAnswer) {
    this.answer = answer;
  }

  /** Whoever takes it back first says why. */
  takeBack(why: TakenBack): Promise<void> {
    this.takenBack ??= why;
    this.#interrupting ??= this.answer.interrupt();
    return this.#interrupting;
  }
}

interface ConversationParts {
  /** A session that knows what was said so far. */
  open(): Promise<RealtimeSession>;
  log: TasksLog;
}

/** One live conversation: who speaks when. Its session is opened when somebody speaks, and not before. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #turns = new KeyedLock();
  #session: RealtimeSession | undefined;
  #speaking: Speaking | undefined;
  #waiting = 0;
  #isStale = false;
  #over: TakenBack | undefined;
  /** When somebody last spoke in it. */
  heardAt: number;

  constructor(parts: ConversationParts, heardAt: number, session: RealtimeSession | undefined) {
    this.#parts = parts;
    this.#session = session;
    this.heardAt = heardAt;
  }

  get isBusy(): boolean {
    return this.#waiting > 0 || this.#speaking !== undefined;
  }

  /** Those who speak at once are taken in their order; what the model is saying is broken off for whoever comes next. */
  say(utterance: Utterance): Promise<Speaking> {
    return this.#inTurn(async () => {
      if (this.#over) throw new Refusal(this.#over === 'stopped' ? 'refusals.talkOver' : 'refusals.stopping');
      await this.#breakOff('stopped');
      if (this.#isStale) await this.#leave();
      this.#session ??= await this.#parts.open();
      const speaking = new Speaking(await this.#put(utterance, this.#session));
      this.#speaking = speaking;
      return speaking;
    });
  }

  async #put(utterance: Utterance, session: RealtimeSession): Promise<RealtimeAnswer> {
    try {
      return await session.say(utterance);
    } catch (error) {
      // Whether it is the words or the conversation itself that is refused shows when that is opened anew.
      if (isForGood(error)) await this.#leave();
      throw error;
    }
  }

  heard(at: number): void {
    this.heardAt = Math.max(this.heardAt, at);
  }

  /** An answer has come to its end. */
  over(speaking: Speaking): void {
    if (this.#speaking === speaking) this.#speaking = undefined;
  }

  /** Of what was said something is to be remembered no more: another session takes its place as soon as nothing is being said. */
  async renew(): Promise<void> {
    this.#isStale = true;
    await this.rest();
  }

  /** Nothing may be left to say: what had to wait for that is done now. */
  async rest(): Promise<void> {
    if (!this.#isStale) return;
    await this.#inTurn(async () => {
      if (this.#isStale && !this.#speaking) await this.#leave();
    });
  }

  /** Nothing is said in it any more, and what is being said is broken off. */
  async close(why: TakenBack): Promise<void> {
    this.#over ??= why;
    await this.#inTurn(async () => {
      await this.#breakOff(why);
      await this.#leave();
    });
  }

  async #breakOff(why: TakenBack): Promise<void> {
    const speaking = this.#speaking;
    if (!speaking) return;
    try {
      await speaking.takeBack(why);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'An answer could not be broken off.');
    }
    if (this.#speaking === speaking) this.#speaking = undefined;
  }

  async #leave(): Promise<void> {
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

/** Long enough to read an answer and to be called away for a moment; a session that nobody speaks to is held for nobody. */
const MOST_SILENCE_MS = 15 * 60_000;
/** While an answer runs nobody is silent; so soon it is looked again. */
const AGAIN_MS = 60_000;

/** Tells of conversations in which nobody has said anything for long. */
export class Silence {
  readonly #clock: Clock;
  readonly #tell: (id: string) => void;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock, tell: (id: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  watch(id: string, watched: Pick<Conversation, 'heardAt' | 'isBusy'>): void {
    const { heardAt, isBusy } = watched;
    const left = heardAt + MOST_SILENCE_MS - this.#clock.now();
    const look = (): void => {
      if (watched.isBusy || watched.heardAt !== heardAt) this.watch(id, watched);
      else this.#tell(id);
    };
    this.#cancels.set(id, this.#clock.after(isBusy ? Math.max(left, AGAIN_MS) : Math.max(left, 0), look));
  }

  forget(id: string): void {
    this.#cancels.get(id)?.();
    this.#cancels.delete(id);
  }

  stop(): void {
    for (const id of [...this.#cancels.keys()]) this.forget(id);
  }
}
