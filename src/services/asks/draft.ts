import type { Clock } from '../../lib/clock.ts';
import type { Answer } from '../tasks/answer.ts';

/** What comes within so short a time is told at once: nobody reads faster, and no message is edited more often. */
const GATHERED_MS = 500;

/** Tells of words as they come, the first at once and the others now and then; only the latest counts. */
export class Draft {
  readonly #clock: Clock;
  readonly #tell: (text: string, doing: Answer['doing']) => Promise<void>;
  #text = '';
  #doing: Answer['doing'] = 'thinking';
  #lastAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #telling: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(clock: Clock, tell: (text: string, doing: Answer['doing']) => Promise<void>) {
    this.#clock = clock;
    this.#tell = tell;
  }

  add(delta: string): void {
    this.#text += delta;
    this.does(undefined);
  }

  does(doing: Answer['doing']): void {
    this.#doing = doing;
    if (this.#cancel || this.#isOver) return;
    const wait = Math.max(0, this.#lastAt + GATHERED_MS - this.#clock.now());
    if (wait === 0) this.#flush();
    else this.#cancel = this.#clock.after(wait, () => this.#flush());
  }

  /** Nothing more is told; comes back when what was on its way has been. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#cancel?.();
    await this.#telling;
  }

  #flush(): void {
    this.#cancel = undefined;
    this.#lastAt = this.#clock.now();
    this.#telling = this.#telling.then(() => this.#tell(this.#text, this.#doing));
  }
}
