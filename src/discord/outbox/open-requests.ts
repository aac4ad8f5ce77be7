import type { REST } from 'discord.js';

export type RestMethods = Pick<REST, 'get' | 'post' | 'patch' | 'put' | 'delete'>;

/**
 * The requests of one bot that have not finished. discord.js cannot drop the requests that wait for a rate limit, and it may send to Discord for
 * other bots of this process for much longer.
 */
export class OpenRequests {
  readonly #controllers = new Set<AbortController>();
  #isClosed = false;

  /** The same methods, whose requests end when these are closed. */
  limit(rest: RestMethods): RestMethods {
    return {
      get: (route, options) => this.#run((signal) => rest.get(route, { ...options, signal })),
      post: (route, options) => this.#run((signal) => rest.post(route, { ...options, signal })),
      patch: (route, options) => this.#run((signal) => rest.patch(route, { ...options, signal })),
      put: (route, options) => this.#run((signal) => rest.put(route, { ...options, signal })),
      delete: (route, options) => this.#run((signal) => rest.delete(route, { ...options, signal })),
    };
  }

  /** From now on nothing is sent, as if the process had ended. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#controllers) controller.abort();
  }

  /** Each request has a signal of its own, because discord.js never removes its listeners from a signal. */
  async #run<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    if (this.#isClosed) controller.abort();
    this.#controllers.add(controller);
    try {
      return await send(controller.signal);
    } finally {
      this.#controllers.delete(controller);
    }
  }
}
