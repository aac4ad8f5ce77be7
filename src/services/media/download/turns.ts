interface Queue {
  running: number;
  waiting: (() => void)[];
}

/** How many fetches each member has under way; whoever asks for more waits for the own ones alone. */
export class Turns {
  readonly #most: number;
  readonly #queues = new Map<string, Queue>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Rejects with the signal's reason when that comes first. */
  async run<T>(member: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(member) ?? { running: 0, waiting: [] };
    this.#queues.set(member, queue);
    if (queue.running >= this.#most) await this.#turn(queue, signal);
    else queue.running += 1;
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      // The turn goes to the next as it is.
      if (next) next();
      else {
        queue.running -= 1;
        if (queue.running === 0) this.#queues.delete(member);
      }
    }
  }

  async #turn(queue: Queue, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      queue.waiting = queue.waiting.filter((other) => other !== resolve);
      reject(signal.reason);
    };
    queue.waiting.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}
