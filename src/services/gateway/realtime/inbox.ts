import type { Clock } from '../../../lib/clock.ts';
import type { GatewayError } from '../errors.ts';
import type { Frame } from './frames.ts';
import type { Ear } from './line.ts';

const OF_SESSIONS = new Set(['session.created', 'session.updated', 'error']);

/** What a gateway says while a session is made: asked for in order, with a limit of time. */
export class Inbox implements Ear {
  readonly #clock: Clock;
  readonly #frames: Frame[] = [];
  #why: GatewayError | undefined;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hear(frame: Frame): void {
    // Nobody will ask for anything else.
    if (!OF_SESSIONS.has(frame.type)) return;
    this.#frames.push(frame);
    this.#wake?.();
  }

  lose(why: GatewayError): void {
    this.#why = why;
    this.#wake?.();
  }

  /** The next event of one of these types; others are passed over. */
  async next(types: readonly string[], ms: number, late: GatewayError): Promise<Frame> {
    let isLate = false;
    const cancel = this.#clock.after(ms, () => {
      isLate = true;
      this.#wake?.();
    });
    try {
      for (;;) {
        const frame = this.#frames.shift();
        if (frame && types.includes(frame.type)) return frame;
        if (frame) continue;
        if (this.#why) throw this.#why;
        if (isLate) throw late;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    } finally {
      cancel();
    }
  }
}
