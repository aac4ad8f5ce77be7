import { DiscordAPIError, DiscordjsError } from 'discord.js';
import { type Clock, withTimeout } from '../lib/clock.ts';
import { StoreError } from '../services/tasks/store-error.ts';

/** Discord, or the network on the way to it, does not respond at the start. */
export class DiscordUnreachable extends Error {
  override readonly name = 'DiscordUnreachable';
}

/** discord.js repeats a refused connection without end and without an error. One that succeeds takes seconds. */
const CONNECT_LIMIT_MS = 60_000;

/** Waits until a login has connected. */
export async function connectInTime(login: Promise<string>, clock: Clock): Promise<void> {
  const token = await withTimeout(clock, CONNECT_LIMIT_MS, reachDiscord(login));
  if (token === undefined) throw new DiscordUnreachable('Discord accepted no connection within a minute.');
}

/** Tells an outage from an error that a later start would meet again, such as a wrong token. */
export async function reachDiscord<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    // A response without one of Discord's numeric codes comes from a proxy in front of Discord.
    const isRefusal = error instanceof DiscordAPIError && typeof error.code === 'number' && error.status < 500;
    // The store can be lost while a request waits.
    if (isRefusal || error instanceof DiscordjsError || error instanceof StoreError) throw error;
    throw new DiscordUnreachable('Discord cannot be reached.', { cause: error });
  }
}
