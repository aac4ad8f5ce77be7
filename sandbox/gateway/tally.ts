import { EventEmitter } from 'node:events';
import { isOver, type Job } from './job.ts';

/** The number of requests for one job. */
export interface Count {
  /** Polls before the job ended. */
  readonly polls: number;
  /** The first submit, and repetitions with the same idempotency key. */
  readonly submits: number;
  /** Polls after the job ended. */
  readonly queries: number;
  /** Callbacks that were sent, even if they were not received. */
  readonly callbacks: number;
}

const NO_REQUESTS: Count = { polls: 0, submits: 0, queries: 0, callbacks: 0 };

export class Tally extends EventEmitter<{ change: [id: string] }> {
  readonly #counts = new Map<string, Count>();

  countOf(id: string): Count {
    return this.#counts.get(id) ?? NO_REQUESTS;
  }

  countSubmit(id: string): void {
    this.#add(id, 'submits');
  }

  countPoll({ id, state }: Pick<Job, 'id' | 'state'>): void {
    this.#add(id, isOver(state) ? 'queries' : 'polls');
  }

  countCallback(id: string): void {
    this.#add(id, 'callbacks');
  }

  delete(id: string): void {
    this.#counts.delete(id);
  }

  #add(id: string, counter: keyof Count): void {
    const count = this.countOf(id);
    this.#counts.set(id, { ...count, [counter]: count[counter] + 1 });
    this.emit('change', id);
  }
}
