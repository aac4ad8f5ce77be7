import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Clock } from '../../src/lib/clock.ts';
import { Agenda, type AgendaItem } from '../../src/services/polling/agenda.ts';

interface Timer extends AgendaItem {
  task: () => void;
}

/** A clock that jumps to the next timer as soon as nothing is left to do before it, so hours pass in seconds and no timer is ever late. */
export class VirtualClock implements Clock {
  readonly #timers = new Agenda<Timer>();
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const timer = { slot: -1, task };
    this.#timers.add(timer, this.#now + Math.max(0, ms));
    let isPending = true;
    timer.task = () => {
      isPending = false;
      task();
    };
    return () => {
      if (isPending) this.#timers.remove(timer);
      isPending = false;
    };
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs timers until `isOver` returns true. */
  async runUntil(isOver: () => boolean): Promise<void> {
    for (;;) {
      await nextLoopIteration();
      if (isOver()) return;
      this.#now = Math.max(this.#now, this.#timers.next);
      for (let timer = this.#timers.takeDue(this.#now); timer; timer = this.#timers.takeDue(this.#now)) timer.task();
    }
  }
}
