import { type Clock, SteadyClock } from '../lib/clock.ts';
import type { PlainLog } from '../lib/log.ts';
import { Refusal } from '../lib/refusal.ts';
import { type Rate, TokenBuckets } from '../lib/token-buckets.ts';
import type { Place } from './place.ts';

/** Undefined for no limit of the bot's own. */
export interface RateSettings {
  member?: Rate | undefined;
  server?: Rate | undefined;
}

/** Actions that cost more than a reply, and are rarely needed twice. */
export type RareWork = 'export' | 'talk';

const RARE: Readonly<Record<RareWork, Rate>> = {
  export: { atOnce: 10, perSecond: 1 / 60 },
  talk: { atOnce: 5, perSecond: 1 / 60 },
};

/** Discord requests suggestions at every keystroke. */
const SUGGESTIONS_PER_INTERACTION = 5;

/** An operator needs to know about a flood, but not about each drop. */
const WARN_EVERY_MS = 60_000;

type Asker = Pick<Place, 'userId' | 'guildId'>;

interface RatesParts {
  settings: RateSettings;
  clock: Clock;
  log: Pick<PlainLog, 'warn'>;
}

/** Refuses members and servers that send requests too often, before anything is read or fetched for them. */
export class Rates {
  readonly #clock: SteadyClock;
  readonly #log: RatesParts['log'];
  readonly #interactions: Levels;
  readonly #suggestions: Levels;
  readonly #rare: Readonly<Record<RareWork, TokenBuckets>>;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor({ settings, clock, log }: RatesParts) {
    this.#clock = new SteadyClock(clock);
    this.#log = log;
    this.#interactions = new Levels(settings, this.#clock);
    this.#suggestions = new Levels(
      { member: moreOften(settings.member), server: moreOften(settings.server) },
      this.#clock,
    );
    const buckets = (rate: Rate): TokenBuckets => new TokenBuckets(rate, this.#clock);
    this.#rare = { export: buckets(RARE.export), talk: buckets(RARE.talk) };
  }

  /** Every command, press, form and message that the bot answers. */
  refuseInteraction(asker: Asker): Refusal | undefined {
    const waitMs = this.#interactions.take(asker);
    return waitMs === undefined ? undefined : this.#refuse(waitMs);
  }

  refuseSuggestion(asker: Asker): Refusal | undefined {
    const waitMs = this.#suggestions.take(asker);
    return waitMs === undefined ? undefined : this.#refuse(waitMs);
  }

  mustAllow(work: RareWork, { userId }: Asker): void {
    const buckets = this.#rare[work];
    if (!buckets.take(userId)) throw this.#refuse(buckets.waitMs(userId));
  }

  #refuse(waitMs: number): Refusal {
    const now = this.#clock.now();
    if (now - this.#warnedAt >= WARN_EVERY_MS) {
      this.#warnedAt = now;
      this.#log.warn({}, 'Members are refused because they send too many requests.');
    }
    return new Refusal('refusals.tooFast', { until: Math.ceil((now + waitMs) / 1000) });
  }
}

/** Buckets of members and of servers: both must have a token. */
class Levels {
  readonly #members: TokenBuckets | undefined;
  readonly #servers: TokenBuckets | undefined;

  constructor({ member, server }: RateSettings, clock: { now(): number }) {
    this.#members = member && new TokenBuckets(member, clock);
    this.#servers = server && new TokenBuckets(server, clock);
  }

  /** How long to wait; undefined for no wait. A flooding member does not use up their server's rate. */
  take({ userId, guildId }: Asker): number | undefined {
    if (this.#members && !this.#members.take(userId)) return this.#members.waitMs(userId);
    if (!this.#servers || guildId === undefined || this.#servers.take(guildId)) return undefined;
    this.#members?.putBack(userId);
    return this.#servers.waitMs(guildId);
  }
}

const moreOften = (rate: Rate | undefined): Rate | undefined =>
  rate && {
    atOnce: rate.atOnce * SUGGESTIONS_PER_INTERACTION,
    perSecond: rate.perSecond * SUGGESTIONS_PER_INTERACTION,
  };
