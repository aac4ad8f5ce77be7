import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { FineTuneEvent } from '../../services/gateway/fine-tunes.ts';

const word = z.string().min(1);

/** A message that shows the events of a fine-tune as they come: all that is needed to go on with it after a restart. */
export const followSchema = z.strictObject({
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

/** A change under way when the token ends is refused: its last minute is left for the last word. */
const TOKEN_MARGIN_MS = 60_000;

/** When the last word must be said at the latest. */
export const lastMoment = ({ tokenExpiresAt }: Pick<Follow, 'tokenExpiresAt'>): number =>
  tokenExpiresAt - TOKEN_MARGIN_MS;
