import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Clock } from '../../src/lib/clock.ts';
import { Agenda, type AgendaItem } from '../../src/services/polling/agenda.ts';

interface Call extends AgendaItem {
  task: () => void;
}

/** A clock that jumps to the next timer as soon as nothing is left to do before it, so hours pass in seconds and no timer is ever late. */
export class VirtualClock implements Clock {
  readonly #calls = new Agenda<Call>();
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const call = { slot: -1, task };
    this.#calls.add(call, this.#now + Math.max(0, ms));
    let isOwed = true;
    call.task = () => {
      isOwed = false;
      task();
    };
    return () => {
      if (isOwed) this.#calls.remove(call);
      isOwed = false;
    };
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs until that time. */
  async pass(isOver: () => boolean): Promise<void> {
    for (;;) {
      await turnOfTheLoop();
      if (isOver()) return;
      this.#now = Math.max(this.#now, this.#calls.next);
      for (let call = this.#calls.takeDue(this.#now); call; call = this.#calls.takeDue(this.#now)) call.task();
    }
  }
}
