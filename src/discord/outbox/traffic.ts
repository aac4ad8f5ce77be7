import type { REST } from '@discordjs/rest';
import { Listeners } from '../../lib/listeners.ts';
import type { MakeRequest } from './uploads.ts';

/** Classes of URLs; the first match counts. The URL itself is not reported, because it contains ids and tokens. */
const ROUTES = [
  ['callback', /\/interactions\/\d+\/[^/]+\/callback/],
  ['webhook', /\/webhooks\//],
  ['message', /\/channels\/\d+\/messages/],
  ['thread', /\/channels\/\d+\/(?:threads|thread-members)/],
  ['channel', /\/channels\//],
  ['user', /\/users\//],
  ['command', /\/applications\//],
  ['gateway', /\/gateway/],
] as const;

const SCOPES = ['user', 'global', 'shared'] as const;

export const TOO_MANY_REQUESTS = 429;

type RouteClass = (typeof ROUTES)[number][0] | 'other';

/** Reports every request to Discord to the listeners. */
export class Traffic {
  readonly #requests = new Listeners<[route: RouteClass, status: number | undefined]>();
  readonly #waits = new Listeners<[scope: (typeof SCOPES)[number], ms: number]>();
  /** `status` is undefined if there was no response. */
  readonly onRequest = this.#requests.add;
  /** Called when a request begins to wait for a rate limit. */
  readonly onWait = this.#waits.add;

  countRequests(makeRequest: MakeRequest): MakeRequest {
    return async (url, init) => {
      try {
        const response = await makeRequest(url, init);
        this.#report(url, response.status);
        if (response.status === TOO_MANY_REQUESTS) this.#reportRefused(response.headers);
        return response;
      } catch (error) {
        this.#report(url, undefined);
        throw error;
      }
    };
  }

  /** Reports when the library delays a request because its rate limit is known to be used up. */
  watchLimits(rests: readonly REST[]): void {
    for (const rest of rests)
      rest.on('rateLimited', ({ scope, timeToReset }) => this.#waits.notify(scope, timeToReset));
  }

  /** Reports the wait after a 429, because the library waits before it retries the request. */
  #reportRefused(headers: { get(name: string): string | null }): void {
    const scopeName = headers.get('x-ratelimit-scope');
    const scope = SCOPES.find((known) => known === scopeName) ?? 'user';
    this.#waits.notify(scope, Number(headers.get('retry-after') ?? 0) * 1000);
  }

  #report(url: string, status: number | undefined): void {
    if (this.#requests.isEmpty) return;
    const route = ROUTES.find(([, pattern]) => pattern.test(url))?.[0] ?? 'other';
    this.#requests.notify(route, status);
  }
}
