import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Limits } from './limits.ts';

export interface RateLimitHit {
  readonly at: number;
  readonly route: string;
  readonly scope: string;
  /** The previous request to the same bucket; its response headers reported the remaining quota. */
  readonly after?: number;
}

export interface BucketRequest {
  /** The id of the recorded request. */
  readonly id?: number | undefined;
  readonly method: string;
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly hasToken: boolean;
}

export interface RateLimitResult {
  readonly headers: Readonly<Record<string, string>>;
  /** Set if the request exceeds a limit. */
  readonly exceeded?: { readonly scope: 'user' | 'global' | 'shared'; readonly retryAfter: number };
}

interface Window {
  remaining: number;
  /** The id of the latest request. */
  latestRequestId?: number | undefined;
  readonly resetsAt: number;
}

const SECOND_MS = 1_000;
const MAX_WINDOWS_BEFORE_SWEEP = 10_000;

/** Rate limits per route and the global limit (documentation, topics/rate-limits). */
export class Buckets {
  readonly hits: RateLimitHit[] = [];
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  #invalidRequestTimes: number[] = [];

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  consume(request: BucketRequest): RateLimitResult {
    // Interaction endpoints are exempt from the global limit, and callbacks have no bucket.
    if (request.route.startsWith('/interactions/')) return { headers: {} };
    const isExempt = request.route.startsWith('/webhooks/') || !request.hasToken;
    if (!isExempt) {
      const global = this.#window('global', this.#limits.globalPerSecond, SECOND_MS);
      if (global.remaining <= 0) return this.#reject(request, 'global', global, {});
      global.remaining -= 1;
    }
    const { limit, windowMs } = this.#limitFor(request);
    const window = this.#window(bucketKey(request), limit, windowMs);
    const isExhausted = window.remaining <= 0;
    if (!isExhausted) window.remaining -= 1;
    const { resetsAt, latestRequestId } = window;
    window.latestRequestId = request.id;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(window.remaining),
      'x-ratelimit-reset': (resetsAt / SECOND_MS).toFixed(3),
      'x-ratelimit-reset-after': this.#secondsUntil(resetsAt).toFixed(3),
      'x-ratelimit-bucket': createHash('sha1').update(`${request.method} ${request.route}`).digest('hex').slice(0, 32),
    };
    return isExhausted ? this.#reject(request, 'user', { resetsAt, latestRequestId }, headers) : { headers };
  }

  /** Counts an edit of a message older than an hour; returns the seconds to wait, or undefined if it is allowed. */
  consumeOldEdit(channelId: string): number | undefined {
    return this.#consumeHidden(`old:${channelId}`, this.#limits.oldEdits, this.#limits.oldEditsWindowMs);
  }

  /** Counts a new name of a channel, likewise. */
  consumeRename(channelId: string): number | undefined {
    return this.#consumeHidden(`name:${channelId}`, this.#limits.renames, this.#limits.renamesWindowMs);
  }

  /** A limit that no header announces. */
  #consumeHidden(key: string, limit: number, windowMs: number): number | undefined {
    const window = this.#window(key, limit, windowMs);
    if (window.remaining <= 0) return this.#secondsUntil(window.resetsAt);
    window.remaining -= 1;
    return undefined;
  }

  recordHit(route: string, scope: string, after?: number): void {
    this.hits.push({ at: this.#clock.now(), route, scope, ...(after !== undefined && { after }) });
  }

  /** Counts a 401, a 403, or a 429 whose scope is not shared. */
  recordInvalidRequest(): void {
    this.#invalidRequestTimes.push(this.#clock.now());
  }

  /** The seconds for which Cloudflare still blocks the client's IP address. */
  blockedSeconds(): number | undefined {
    const windowStart = this.#clock.now() - this.#limits.invalidWindowMs;
    this.#invalidRequestTimes = this.#invalidRequestTimes.filter((at) => at > windowStart);
    const oldest = this.#invalidRequestTimes[0];
    if (oldest === undefined || this.#invalidRequestTimes.length < this.#limits.invalidRequests) return undefined;
    return this.#secondsUntil(oldest + this.#limits.invalidWindowMs);
  }

  #limitFor({ method, route }: BucketRequest): { limit: number; windowMs: number } {
    const limits = this.#limits;
    if (route === '/channels/:channel/messages' && method === 'POST')
      return { limit: limits.messagesPerChannel, windowMs: limits.channelWindowMs };
    if (route === '/channels/:channel/messages/:message' && method === 'PATCH')
      return { limit: limits.editsPerChannel, windowMs: limits.channelWindowMs };
    if (route.startsWith('/applications/') && route.endsWith('/commands') && method === 'POST')
      return { limit: limits.commandsPerScope, windowMs: limits.commandsWindowMs };
    if (route.startsWith('/webhooks/')) return { limit: limits.webhookPerToken, windowMs: limits.webhookWindowMs };
    return { limit: limits.otherPerRoute, windowMs: limits.otherWindowMs };
  }

  #reject(
    { route }: BucketRequest,
    scope: 'user' | 'global',
    { resetsAt, latestRequestId }: Pick<Window, 'resetsAt' | 'latestRequestId'>,
    headers: RateLimitResult['headers'],
  ): RateLimitResult {
    this.recordHit(route, scope, latestRequestId);
    return { headers, exceeded: { scope, retryAfter: this.#secondsUntil(resetsAt) } };
  }

  #window(key: string, limit: number, windowMs: number): Window {
    const now = this.#clock.now();
    const current = this.#windows.get(key);
    if (current && current.resetsAt > now) return current;
    if (this.#windows.size > MAX_WINDOWS_BEFORE_SWEEP)
      for (const [expiredKey, { resetsAt }] of this.#windows) if (resetsAt <= now) this.#windows.delete(expiredKey);
    const window = { remaining: limit, resetsAt: now + windowMs };
    this.#windows.set(key, window);
    return window;
  }

  #secondsUntil(resetsAt: number): number {
    return Math.max(0.001, (resetsAt - this.#clock.now()) / SECOND_MS);
  }
}

/** A bucket is a route and its top-level resource: the channel, the guild, or the webhook with its token. */
function bucketKey({ method, route, params }: BucketRequest): string {
  const { channel = '', guild = '', token = '' } = params;
  return [method, route, channel, guild, token].join(' ');
}
