import { ChannelType, type REST, Routes } from 'discord.js';

/** A thread stays one, so this is asked once a channel; of so many it is remembered. */
const MOST_REMEMBERED = 5_000;

const THREADS: ReadonlySet<unknown> = new Set([
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
]);

/** Whether a channel is a thread. A message does not say it, and the servers' channels are not kept in memory. */
export function threadsBy(rest: REST): (channelId: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (channelId) => {
    const asked = known.get(channelId) ?? askedFor(channelId, rest);
    known.set(channelId, asked);
    // What could not be asked just now may be known later.
    asked.catch(() => known.delete(channelId));
    const [oldest] = known.keys();
    if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
    return asked;
  };
}

async function askedFor(channelId: string, rest: REST): Promise<boolean> {
  const channel = await rest.get(Routes.channel(channelId));
  return THREADS.has((channel as { type?: unknown }).type);
}
