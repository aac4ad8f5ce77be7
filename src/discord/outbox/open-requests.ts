import type { REST } from '@discordjs/rest';

export type RestMethods = Pick<REST, 'get' | 'post' | 'patch' | 'put' | 'delete'>;

/** The unfinished requests of one bot, also those that wait for a rate limit. They end with it, although other bots of the process use the same REST clients. */
export class OpenRequests {
  readonly #controllers = new Set<AbortController>();
  #isClosed = false;

  /** The same methods. Their requests are tracked here. */
  track(rest: RestMethods): RestMethods {
    return {
      get: (route, options) => this.#run((signal) => rest.get(route, { ...options, signal })),
      post: (route, options) => this.#run((signal) => rest.post(route, { ...options, signal })),
      patch: (route, options) => this.#run((signal) => rest.patch(route, { ...options, signal })),
      put: (route, options) => this.#run((signal) => rest.put(route, { ...options, signal })),
      delete: (route, options) => this.#run((signal) => rest.delete(route, { ...options, signal })),
    };
  }

  /** Ends all requests. From now on nothing is sent, as if the process had ended. */
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
