import type { Task } from '../tasks/task.ts';
import type { PageQuestion } from '../tasks/task-store.ts';

const member = (id: string): string => `member:${id}`;
const server = (id: string): string => `server:${id}`;

/** Whose lists a task stands in, members before servers: locks are taken in this order. */
export function ownersOf({ requesterId, guildId }: Pick<Task, 'requesterId' | 'guildId'>): string[] {
  return guildId === undefined ? [member(requesterId)] : [member(requesterId), server(guildId)];
}

export function ownerAskedFor(of: PageQuestion['of']): string {
  return 'memberId' in of ? member(of.memberId) : server(of.guildId);
}
