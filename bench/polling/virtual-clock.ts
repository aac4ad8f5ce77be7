import { setImmediate as nextLoopIteration } from 'node:timers/promises';
import type { Clock } from '../../src/lib/clock.ts';

/** A clock that jumps to the next timer as soon as nothing is left to do before it, so hours pass in seconds and no timer is ever late. */
export class VirtualClock implements Clock {
  /** The tasks of each time at which a timer fires. */
  readonly #tasks = new Map<number, Set<() => void>>();
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const at = this.#now + Math.max(0, ms);
    const once = (): void => task();
    const tasks = this.#tasks.get(at) ?? new Set();
    this.#tasks.set(at, tasks.add(once));
    return () => {
      tasks.delete(once);
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
      const at = this.#tasks.keys().reduce((earliest, one) => Math.min(earliest, one), Number.POSITIVE_INFINITY);
      this.#now = Math.max(this.#now, at);
      for (const task of this.#tasks.get(at) ?? []) task();
      this.#tasks.delete(at);
    }
  }
}
