import { type Clock, isDoneWithin } from '../lib/clock.ts';
import { StoreError } from '../services/tasks/store-error.ts';
import { isRefusal } from './outbox/errors.ts';

/** What an operator reads if the token is wrong. */
export const TOKEN_REJECTED =
  'Discord rejected DISCORD_TOKEN. Create a new token in the developer portal ("Bot", "Reset Token").';

/** Discord, or the network on the way to it, does not respond at the start. */
export class DiscordUnreachable extends Error {
  override readonly name = 'DiscordUnreachable';
}

/** Something else, such as the page of a proxy, responds in Discord's place. */
export class NotDiscord extends Error {
  override readonly name = 'NotDiscord';

  constructor() {
    super('DISCORD_API_URL leads to something other than Discord’s API. Correct or remove it, and check for a proxy.');
  }
}

/** The library repeats a refused connection without end and without an error. One that succeeds takes seconds. */
const CONNECT_LIMIT_MS = 60_000;

export async function connectInTime(opening: Promise<void>, clock: Clock): Promise<void> {
  const isOpen = await isDoneWithin(clock, CONNECT_LIMIT_MS, reachDiscord(opening));
  if (!isOpen) throw new DiscordUnreachable('Discord accepted no connection within a minute.');
}

/** Tells an outage from an error that a later start would meet again, such as a wrong token. */
export async function reachDiscord<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    // The store can be lost while a request waits.
    if (isRefusal(error) || error instanceof NotDiscord || error instanceof StoreError) throw error;
    throw new DiscordUnreachable('Discord cannot be reached.', { cause: error });
  }
}
