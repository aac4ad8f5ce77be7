import type { Task } from '../services/tasks/task.ts';

/** Where a task's message stands. */
export function messageLink({ message, channelId, guildId }: Task): string | undefined {
  if (!message) return undefined;
  // It may have ended as a direct message, wherever it was asked for.
  const place = message.channelId === channelId ? (guildId ?? '@me') : '@me';
  return `https://discord.com/channels/${place}/${message.channelId}/${message.id}`;
}
