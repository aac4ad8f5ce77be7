import { addressOf } from '../services/tasks/own-data/removal.ts';
import type { MessageAddress, Task } from '../services/tasks/task.ts';

/** Where a task's message stands. */
export function messageLink(task: Task): string | undefined {
  const address = addressOf(task);
  return address && linkTo(address);
}

export const linkTo = ({ guildId = '@me', channelId, id }: MessageAddress): string =>
  `https://discord.com/channels/${guildId}/${channelId}/${id}`;
