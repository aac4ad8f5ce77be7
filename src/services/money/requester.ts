import type { Task } from '../tasks/task.ts';
import type { LedgerEntry } from './entry.ts';

/** Who makes a request and where, which decides the limits that it counts towards. */
export interface Requester extends Pick<LedgerEntry, 'memberId' | 'guildId' | 'isDirect'> {
  roleIds?: readonly string[] | undefined;
}

export const requesterOf = ({
  requesterId,
  guildId,
  route,
  roleIds,
}: Pick<Task, 'requesterId' | 'guildId' | 'route'> & { roleIds?: readonly string[] | undefined }): Requester => ({
  memberId: requesterId,
  guildId,
  isDirect: route.install === 'user' ? true : undefined,
  roleIds,
});

/** How many tasks wait in all, for the same server and of the same member. */
export type WaitingCounts = Readonly<Record<'all' | 'server' | 'member', () => number>>;
