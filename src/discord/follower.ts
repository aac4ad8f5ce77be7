import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { KeyedLock } from '../lib/keyed-lock.ts';
import type { Log } from '../lib/log.ts';
import type { FineTuneEvent, FineTunes } from '../services/gateway/fine-tunes.ts';
import { GatewayError, type GatewayErrorKind } from '../services/gateway/index.ts';
import { bodyOf } from './adapter.ts';
import { isPassing } from './outbox/errors.ts';
import type { Outbox } from './outbox/outbox.ts';
import { TOKEN_MARGIN_MS } from './outbox/ways.ts';
import type { MessagePlan } from './plan.ts';

/** Training counts in minutes: nobody waits for ten seconds of news. */
const LOOK_EVERY_MS = 10_000;

/** What will be the same however often it is asked. */
const FOR_GOOD: ReadonlySet<GatewayErrorKind> = new Set(['not-found', 'not-offered', 'unauthorized', 'forbidden']);

/** Where follows are kept; a row goes by itself with its token. */
interface FollowRows {
  put(id: string, follow: unknown, lastsMs: number): Promise<void>;
  delete(id: string): Promise<void>;
  entries(): AsyncGenerator<[id: string, follow: unknown]>;
}

export interface FollowerParts {
  rows: FollowRows;
  fineTunes: Pick<FineTunes, 'events'>;
  outbox: Outbox;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  /** For how long nothing new may come. */
  quietMs: number;
  planOf(follow: Follow, events: readonly FineTuneEvent[] | undefined, end: FollowEnd | undefined): MessagePlan;
}

interface Followed {
  follow: Follow;
  /** What its message shows, as far as that is known. */
  events: readonly FineTuneEvent[] | undefined;
  cancelTimer?: () => void;
}

/**
 * Keeps messages up to date until somebody has seen enough, nothing new comes, or their tokens end. What is followed stands in the store; the
 * timers only remind of it.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #followed = new Map<string, Followed>();
  readonly #lock = new KeyedLock();
  readonly #looks = new Set<Promise<void>>();
  #isPaused = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** From now on the message shows what comes; what it shows already is handed in. */
  async begin(follow: Follow, events: readonly FineTuneEvent[]): Promise<void> {
    await this.#keep(follow);
    this.#arrange(follow, events);
  }

  /** Nothing changes the message any more. What was shown last, where that is known. */
  stop(id: string): Promise<readonly FineTuneEvent[] | undefined> {
    // A look that is under way has its say first, so that the last word is the member's.
    return this.#lock.run(id, async () => {
      const events = this.#followed.get(id)?.events;
      await this.#drop(id);
      return events;
    });
  }

  /** Goes on with what was followed before a restart. */
  async resume(): Promise<void> {
    for await (const [id, row] of this.#parts.rows.entries()) {
      const { data: follow } = followSchema.safeParse(row);
      if (follow) this.#arrange(follow, undefined, 0);
      else await this.#parts.rows.delete(id);
    }
  }

  /** Looks no more; what is followed stays in the store. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    for (const { cancelTimer } of this.#followed.values()) cancelTimer?.();
    await Promise.all(this.#looks);
  }

  #arrange(follow: Follow, events: Followed['events'], inMs = LOOK_EVERY_MS): void {
    const { id } = follow;
    const followed: Followed = { follow, events };
    this.#followed.set(id, followed);
    if (this.#isPaused) return;
    followed.cancelTimer = this.#parts.clock.after(inMs, () => {
      const look = this.#lock
        .run(id, () => this.#look(id))
        .catch((error: unknown) => {
          this.#parts.log.warn({ err: error }, 'A followed message could not be kept up to date.');
          if (this.#followed.get(id) === followed) this.#arrange(follow, events);
        });
      this.#looks.add(look);
      void look.then(() => this.#looks.delete(look));
    });
  }

  async #look(id: string): Promise<void> {
    const followed = this.#followed.get(id);
    if (!followed) return;
    const { follow } = followed;
    const now = this.#parts.clock.now();
    const found = await this.#eventsOf(follow);
    const isGone = found === 'gone';
    const events = isGone || found === undefined ? followed.events : found;
    const seen = events === undefined ? follow.seen : markOf(events);
    const hasNews = seen !== follow.seen;
    const next = hasNews ? { ...follow, newsAt: now, seen } : follow;
    const end = this.#endOf(next, isGone, now);
    // After a restart nobody knows what the message shows, so it is written once; never over something known with nothing known.
    const isUnsure = followed.events === undefined && events !== undefined;
    const isWorthIt = hasNews || isUnsure || end !== undefined;
    const shown = isWorthIt ? await this.#show(next, events, end) : 'shown';
    if (shown === 'gone' || (shown === 'shown' && end !== undefined) || now >= follow.tokenExpiresAt)
      return this.#drop(id);
    if (next !== follow) await this.#keep(next);
    // What could not be written is written at the next look.
    this.#arrange(next, shown === 'shown' ? events : undefined);
  }

  #endOf(follow: Follow, isGone: boolean, now: number): FollowEnd | undefined {
    if (isGone) return 'gone';
    if (now + LOOK_EVERY_MS > lastMoment(follow)) return 'too-late';
    return now - follow.newsAt >= this.#parts.quietMs ? 'quiet' : undefined;
  }

  /** undefined: nobody knows just now. */
  async #eventsOf({ fineTuneId }: Follow): Promise<readonly FineTuneEvent[] | 'gone' | undefined> {
    try {
      return await this.#parts.fineTunes.events(fineTuneId, { attempts: 1 });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return FOR_GOOD.has(error.kind) ? 'gone' : undefined;
    }
  }

  /** gone: the message, or the way to it. */
  async #show(...news: Parameters<FollowerParts['planOf']>): Promise<'shown' | 'later' | 'gone'> {
    const [{ applicationId, token }] = news;
    const sent = bodyOf(this.#parts.planOf(...news));
    try {
      await this.#parts.outbox.edit({ by: 'token', applicationId, token }, sent);
      return 'shown';
    } catch (error) {
      return isPassing(error) ? 'later' : 'gone';
    }
  }

  async #keep(follow: Follow): Promise<void> {
    await this.#parts.rows.put(follow.id, follow, Math.max(1, follow.tokenExpiresAt - this.#parts.clock.now()));
  }

  async #drop(id: string): Promise<void> {
    this.#followed.get(id)?.cancelTimer?.();
    this.#followed.delete(id);
    await this.#parts.rows.delete(id);
  }
}

const word = z.string().min(1);

/** A message that shows the events of a fine-tune as they come: all that is needed to go on with it after a restart. */
const followSchema = z.strictObject({
  id: word,
  fineTuneId: word,
  applicationId: word,
  token: word,
  tokenExpiresAt: z.number(),
  /** When something new came last, or it was begun. */
  newsAt: z.number(),
  /** What there was then (`markOf`). */
  seen: word,
});

export type Follow = Readonly<z.infer<typeof followSchema>>;

/** Tells events from others; their number would not do, for some gateways give the newest twenty and no more. */
export const markOf = (events: readonly FineTuneEvent[]): string =>
  createHash('sha256').update(JSON.stringify(events)).digest('base64url').slice(0, 16);

/** Why nothing is followed any more. Never that the job has ended: nothing but a person can read that from its events. */
export type FollowEnd = 'stopped' | 'quiet' | 'too-late' | 'gone';

/** When the last word must be said at the latest: a change under way when the token ends is refused. */
export const lastMoment = ({ tokenExpiresAt }: Pick<Follow, 'tokenExpiresAt'>): number =>
  tokenExpiresAt - TOKEN_MARGIN_MS;
