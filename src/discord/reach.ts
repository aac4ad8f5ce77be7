import { DiscordAPIError, DiscordjsError } from 'discord.js';
import { StoreError } from '../services/store/index.ts';

/** Discord, or the network on the way to it, does not respond at the start. */
export class DiscordUnreachable extends Error {
  override readonly name = 'DiscordUnreachable';
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
