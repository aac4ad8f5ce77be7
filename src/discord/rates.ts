import { isDeepStrictEqual } from 'node:util';
import { type Clock, SteadyClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import { Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { type Rate, TokenBuckets } from '../lib/token-buckets.ts';

/** The bot's own limits; undefined for none. */
export interface RateSettings {
  member?: Rate | undefined;
  server?: Rate | undefined;
}

/** Actions that cost more than a reply, and are rarely needed twice. */
export type ExpensiveAction = 'export' | 'talk';

/** A bot that seems to be a member could otherwise talk to this one without end. A busy channel needs less. */
const CHANNEL_MESSAGE_RATE: Rate = { atOnce: 30, perSecond: 1 / 10 };

/** Discord requests suggestions after every keystroke. */
const SUGGESTIONS_PER_INTERACTION = 5;

/** The operator needs to know about a flood of requests, but not about each of them. */
const WARNING_INTERVAL_MS = 60_000;

/** Who sends a request, and in which server. */
interface Sender {
  userId: string;
  guildId: string | undefined;
}

/** Refuses members and servers that send requests too often, before anything is read or fetched for them. */
export class RateLimiter {
  readonly #clock: SteadyClock;
  readonly #log: PlainLog;
  #settings: RateSettings;
  #buckets: ReturnType<typeof senderBuckets>;
  readonly #expensiveActions: Readonly<Record<ExpensiveAction, TokenBuckets>>;
  readonly #channelMessages: TokenBuckets;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: RateSettings, clock: Clock, log: PlainLog) {
    this.#clock = new SteadyClock(clock);
    this.#log = log;
    this.#settings = settings;
    this.#buckets = senderBuckets(settings, this.#clock);
    this.#channelMessages = new TokenBuckets(CHANNEL_MESSAGE_RATE, this.#clock);
    this.#expensiveActions = {
      export: new TokenBuckets({ atOnce: 10, perSecond: 1 / 60 }, this.#clock),
      talk: new TokenBuckets({ atOnce: 5, perSecond: 1 / 60 }, this.#clock),
    };
  }

  /** Everyone starts with a full bucket of the new rates. */
  setRates(settings: RateSettings): void {
    if (isDeepStrictEqual(settings, this.#settings)) return;
    this.#settings = settings;
    this.#buckets = senderBuckets(settings, this.#clock);
  }

  /** For every command, press, form and message that the bot responds to. */
  refuseInteraction(sender: Sender): Refusal | undefined {
    return this.#refusalAfter(this.#buckets.interactions.take(sender));
  }

  refuseSuggestion(sender: Sender): Refusal | undefined {
    return this.#refusalAfter(this.#buckets.suggestions.take(sender));
  }

  allowsMessageIn(channelId: string): boolean {
    return this.#channelMessages.take(channelId);
  }

  assertAllowed(action: ExpensiveAction, { userId }: Sender): void {
    const buckets = this.#expensiveActions[action];
    throwIfRefusal(this.#refusalAfter(buckets.take(userId) ? undefined : buckets.waitMs(userId)));
  }

  #refusalAfter(waitMs: number | undefined): Refusal | undefined {
    if (waitMs === undefined) return undefined;
    const now = this.#clock.now();
    if (now - this.#warnedAt >= WARNING_INTERVAL_MS) {
      this.#warnedAt = now;
      this.#log.warn({}, 'Requests are being refused because members are sending too many.');
    }
    return new Refusal('refusals.tooFast', { until: Math.ceil((now + waitMs) / 1000) });
  }
}

/** Buckets for members and for servers. A request needs a token from both. */
class SenderBuckets {
  readonly #members: TokenBuckets | undefined;
  readonly #servers: TokenBuckets | undefined;

  constructor({ member, server }: RateSettings, clock: { now(): number }, factor = 1) {
    const bucketsOf = ({ atOnce, perSecond }: Rate) =>
      new TokenBuckets({ atOnce: atOnce * factor, perSecond: perSecond * factor }, clock);
    this.#members = member && bucketsOf(member);
    this.#servers = server && bucketsOf(server);
  }

  /** Takes a token from both, or returns how long to wait. A flooding member does not use up their server's rate. */
  take({ userId, guildId }: Sender): number | undefined {
    if (this.#members && !this.#members.take(userId)) return this.#members.waitMs(userId);
    if (!this.#servers || guildId === undefined || this.#servers.take(guildId)) return undefined;
    this.#members?.putBack(userId);
    return this.#servers.waitMs(guildId);
  }
}

const senderBuckets = (settings: RateSettings, clock: SteadyClock) => ({
  interactions: new SenderBuckets(settings, clock),
  suggestions: new SenderBuckets(settings, clock, SUGGESTIONS_PER_INTERACTION),
});
