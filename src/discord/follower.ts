import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AppContext } from '../lib/app-context.ts';
import { expecting } from '../lib/expecting.ts';
import { KeyedLock } from '../lib/keyed-lock.ts';
import { languages } from '../lib/languages.ts';
import { trackUntilDone } from '../lib/track-until-done.ts';
import { GatewayError, type GatewayErrorKind } from '../services/gateway/errors.ts';
import type { FineTuneEvent, FineTunes } from '../services/gateway/fine-tunes.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { bodyOf } from './message-body.ts';
import { failureKindOf } from './outbox/errors.ts';
import type { Outbox } from './outbox/outbox.ts';
import { TOKEN_MARGIN_MS } from './outbox/ways.ts';
import type { MessagePlan } from './plan.ts';

/** Training takes minutes, so events may be shown ten seconds late. */
const POLL_INTERVAL_MS = 10_000;

/** Errors that another poll will not change. */
const PERMANENT_ERRORS: ReadonlySet<GatewayErrorKind> = new Set([
  'not-found',
  'not-offered',
  'unauthorized',
  'forbidden',
]);

export interface FollowerParts extends AppContext {
  rows: StoredTasks['follows'];
  fineTunes: FineTunes;
  outbox: Outbox;
  /** A follow ends after this time without a new event. */
  quietMs: number;
  planOf(follow: Follow, events: readonly FineTuneEvent[] | undefined, end: FollowEnd | undefined): MessagePlan;
}

interface FollowState {
  follow: Follow;
  /** The events that its message shows; undefined if not known. */
  events: readonly FineTuneEvent[] | undefined;
  cancelTimer?: () => void;
}

/** Follows are stored, so they survive a restart; a timer only triggers the next poll. */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #followed = new Map<string, FollowState>();
  readonly #lock = new KeyedLock();
  readonly #polls = new Set<Promise<unknown>>();
  #isPaused = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** `events`: those that the message already shows. */
  async begin(follow: Follow, events: readonly FineTuneEvent[]): Promise<void> {
    await this.#save(follow);
    this.#schedule(follow, events);
  }

  /** Stops updating the message, and returns the events that it showed last, if known. */
  stop(id: string): Promise<readonly FineTuneEvent[] | undefined> {
    // Waits for a running poll, so that the member's own update of the message comes last.
    return this.#lock.run(id, async () => {
      const events = this.#followed.get(id)?.events;
      await this.#drop(id);
      return events;
    });
  }

  async resume(): Promise<void> {
    for await (const [id, row] of this.#parts.rows.entries()) {
      const { data: follow } = followSchema.safeParse(row);
      if (follow) this.#schedule(follow, undefined, 0);
      else await this.#parts.rows.delete(id);
    }
  }

  /** Stops polling; the follows stay stored. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    for (const { cancelTimer } of this.#followed.values()) cancelTimer?.();
    await Promise.all(this.#polls);
  }

  #schedule(follow: Follow, events: FollowState['events'], inMs = POLL_INTERVAL_MS): void {
    const { id } = follow;
    const followed: FollowState = { follow, events };
    this.#followed.set(id, followed);
    if (this.#isPaused) return;
    followed.cancelTimer = this.#parts.clock.after(inMs, () => {
      const poll = this.#lock
        .run(id, () => this.#poll(id))
        .catch((error: unknown) => {
          this.#parts.log.warn({ err: error }, 'Could not update the message of a followed fine-tuning job.');
          if (this.#followed.get(id) === followed) this.#schedule(follow, events);
        });
      void trackUntilDone(poll, this.#polls);
    });
  }

  async #poll(id: string): Promise<void> {
    const followed = this.#followed.get(id);
    if (!followed) return;
    const { follow } = followed;
    const now = this.#parts.clock.now();
    const pollResult = await this.#eventsOf(follow);
    const isGone = pollResult === 'gone';
    const events = isGone || pollResult === undefined ? followed.events : pollResult;
    const hash = events === undefined ? follow.seen : eventsHash(events);
    const hasNewEvents = hash !== follow.seen;
    const updatedFollow = hasNewEvents ? { ...follow, newsAt: now, seen: hash } : follow;
    const end = this.#endOf(updatedFollow, isGone, now);
    // After a restart it is unknown what the message shows, so it is edited once. Known events are never replaced by none.
    const isUnknown = followed.events === undefined && events !== undefined;
    const needsEdit = hasNewEvents || isUnknown || end !== undefined;
    const outcome = needsEdit ? await this.#show(updatedFollow, events, end) : 'shown';
    if (outcome === 'gone' || (outcome === 'shown' && end !== undefined) || now >= follow.tokenExpiresAt)
      return this.#drop(id);
    if (updatedFollow !== follow) await this.#save(updatedFollow);
    // A failed edit is retried at the next poll.
    this.#schedule(updatedFollow, outcome === 'shown' ? events : undefined);
  }

  #endOf(follow: Follow, isGone: boolean, now: number): FollowEnd | undefined {
    if (isGone) return 'gone';
    if (now + POLL_INTERVAL_MS > lastEditAt(follow.tokenExpiresAt)) return 'too-late';
    return now - follow.newsAt >= this.#parts.quietMs ? 'quiet' : undefined;
  }

  /** Fetches the events; undefined if the gateway does not return them at the moment. */
  async #eventsOf({ fineTuneId }: Follow): Promise<readonly FineTuneEvent[] | 'gone' | undefined> {
    return this.#parts.fineTunes
      .events(fineTuneId, { attempts: 1 })
      .catch(expecting(GatewayError, ({ kind }) => (PERMANENT_ERRORS.has(kind) ? 'gone' : undefined)));
  }

  /** `gone`: the message was deleted or cannot be reached. */
  async #show(...planArguments: Parameters<FollowerParts['planOf']>): Promise<'shown' | 'later' | 'gone'> {
    const [{ applicationId, token }] = planArguments;
    const plan = this.#parts.planOf(...planArguments);
    const edit = (shownPlan: MessagePlan) =>
      this.#parts.outbox.edit({ by: 'token', applicationId, token }, bodyOf(shownPlan));
    try {
      await edit(plan).catch((error: unknown) => {
        if (failureKindOf(error, 'token') !== 'too-large') throw error;
        return edit({ ...plan, files: [] });
      });
      return 'shown';
    } catch (error) {
      return failureKindOf(error, 'token') === 'later' ? 'later' : 'gone';
    }
  }

  async #save(follow: Follow): Promise<void> {
    await this.#parts.rows.put(follow.id, follow, Math.max(1, follow.tokenExpiresAt - this.#parts.clock.now()));
  }

  async #drop(id: string): Promise<void> {
    this.#followed.get(id)?.cancelTimer?.();
    this.#followed.delete(id);
    await this.#parts.rows.delete(id);
  }
}

const nonEmptyString = z.string().min(1);

/** A message that shows the events of a fine-tuning job: everything needed to resume after a restart. */
const followSchema = z.strictObject({
  id: nonEmptyString,
  fineTuneId: nonEmptyString,
  applicationId: nonEmptyString,
  token: nonEmptyString,
  tokenExpiresAt: z.number(),
  /** When the newest event arrived, or the follow began. */
  newsAt: z.number(),
  /** The hash of the events at that time (`eventsHash`). */
  seen: nonEmptyString,
  /** Of those who read its message. */
  language: z.enum(languages).optional().catch(undefined),
});

export type Follow = Readonly<z.infer<typeof followSchema>>;

/** A hash, because the number of events is not enough: some gateways return only the newest twenty. */
export const eventsHash = (events: readonly FineTuneEvent[]): string =>
  createHash('sha256').update(JSON.stringify(events)).digest('base64url').slice(0, 16);

/** Why a follow ended. The end of the job is not among the reasons, because only a person can tell that from its events. */
export type FollowEnd = 'stopped' | 'quiet' | 'too-late' | 'gone';

/** The latest time for an edit: one that is still in progress when the token expires is refused. */
export const lastEditAt = (tokenExpiresAt: number): number => tokenExpiresAt - TOKEN_MARGIN_MS;
