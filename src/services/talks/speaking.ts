import type { RealtimeAnswer } from '../gateway/realtime/events.ts';
import type { TakenBack } from './transitions.ts';

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
