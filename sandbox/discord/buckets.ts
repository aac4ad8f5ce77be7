import { createHash } from 'node:crypto';
import type { Clock } from '../../src/lib/clock.ts';
import type { Limits } from './limits.ts';

export interface RateLimited {
  readonly at: number;
  readonly route: string;
  readonly scope: string;
  /** The previous request to the same bucket; its response headers reported the remaining quota. */
  readonly after?: number;
}

export interface Visit {
  /** The id of the recorded request. */
  readonly id?: number | undefined;
  readonly method: string;
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly withToken: boolean;
}

export interface Verdict {
  readonly headers: Readonly<Record<string, string>>;
  /** Set if the request exceeds a limit. */
  readonly refused?: { readonly scope: 'user' | 'global' | 'shared'; readonly retryAfter: number };
}

interface Window {
  left: number;
  /** The id of the latest request. */
  last?: number | undefined;
  readonly ends: number;
}

const SECOND = 1_000;
const SWEEP_ABOVE = 10_000;

/** Rate limits per route and the global limit (documentation, topics/rate-limits). */
export class Buckets {
  readonly limited: RateLimited[] = [];
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  #invalid: number[] = [];

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  take(visit: Visit): Verdict {
    // Interaction endpoints are exempt from the global limit, and callbacks have no bucket.
    if (visit.route.startsWith('/interactions/')) return { headers: {} };
    const isExempt = visit.route.startsWith('/webhooks/') || !visit.withToken;
    if (!isExempt) {
      const global = this.#window('global', this.#limits.globalPerSecond, SECOND);
      if (global.left <= 0) return this.#refuse(visit, 'global', global, {});
      global.left -= 1;
    }
    const { most, windowMs } = this.#sizeOf(visit);
    const window = this.#window(keyOf(visit), most, windowMs);
    const isFull = window.left <= 0;
    if (!isFull) window.left -= 1;
    const { ends, last } = window;
    window.last = visit.id;
    const headers = {
      'x-ratelimit-limit': String(most),
      'x-ratelimit-remaining': String(window.left),
      'x-ratelimit-reset': (ends / SECOND).toFixed(3),
      'x-ratelimit-reset-after': this.#secondsUntil(ends).toFixed(3),
      'x-ratelimit-bucket': createHash('sha1').update(`${visit.method} ${visit.route}`).digest('hex').slice(0, 32),
    };
    return isFull ? this.#refuse(visit, 'user', { ends, last }, headers) : { headers };
  }

  /** Counts an edit of a message older than an hour; returns the seconds to wait, or undefined if it is allowed. */
  takeOldEdit(channelId: string): number | undefined {
    const window = this.#window(`old:${channelId}`, this.#limits.oldEdits, this.#limits.oldEditsWindowMs);
    if (window.left <= 0) return this.#secondsUntil(window.ends);
    window.left -= 1;
    return undefined;
  }

  noteLimited(route: string, scope: string, after?: number): void {
    this.limited.push({ at: this.#clock.now(), route, scope, ...(after !== undefined && { after }) });
  }

  /** Counts a 401, a 403, or a 429 whose scope is not shared. */
  noteInvalid(): void {
    this.#invalid.push(this.#clock.now());
  }

  /** The seconds for which Cloudflare still blocks this address. */
  blockedFor(): number | undefined {
    const since = this.#clock.now() - this.#limits.invalidWindowMs;
    this.#invalid = this.#invalid.filter((at) => at > since);
    const oldest = this.#invalid[0];
    if (oldest === undefined || this.#invalid.length < this.#limits.invalidRequests) return undefined;
    return this.#secondsUntil(oldest + this.#limits.invalidWindowMs);
  }

  #sizeOf({ method, route }: Visit): { most: number; windowMs: number } {
    const limits = this.#limits;
    if (route === '/channels/:channel/messages' && method === 'POST')
      return { most: limits.messagesPerChannel, windowMs: limits.channelWindowMs };
    if (route === '/channels/:channel/messages/:message' && method === 'PATCH')
      return { most: limits.editsPerChannel, windowMs: limits.channelWindowMs };
    if (route.startsWith('/webhooks/')) return { most: limits.webhookPerToken, windowMs: limits.webhookWindowMs };
    return { most: limits.otherPerRoute, windowMs: limits.otherWindowMs };
  }

  #refuse(
    { route }: Visit,
    scope: 'user' | 'global',
    { ends, last }: Pick<Window, 'ends' | 'last'>,
    headers: Verdict['headers'],
  ): Verdict {
    this.noteLimited(route, scope, last);
    return { headers, refused: { scope, retryAfter: this.#secondsUntil(ends) } };
  }

  #window(key: string, most: number, windowMs: number): Window {
    const now = this.#clock.now();
    const current = this.#windows.get(key);
    if (current && current.ends > now) return current;
    if (this.#windows.size > SWEEP_ABOVE)
      for (const [old, { ends }] of this.#windows) if (ends <= now) this.#windows.delete(old);
    const window = { left: most, ends: now + windowMs };
    this.#windows.set(key, window);
    return window;
  }

  #secondsUntil(ends: number): number {
    return Math.max(0.001, (ends - this.#clock.now()) / SECOND);
  }
}

/** A bucket is a route and its top-level resource: the channel, the guild, or the webhook with its token. */
function keyOf({ method, route, params }: Visit): string {
  const { channel = '', guild = '', token = '' } = params;
  return [method, route, channel, guild, token].join(' ');
}
