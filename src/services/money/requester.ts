import type { OrderFacts } from '../tasks/transitions.ts';

/** Who makes a request and where, which decides the limits that it counts towards. */
export interface Requester {
  memberId?: string | undefined;
  guildId?: string | undefined;
  isDirect?: true | undefined;
  roleIds?: readonly string[] | undefined;
}

export const requesterOf = ({ requesterId, guildId, route, roleIds }: OrderFacts): Requester => ({
  memberId: requesterId,
  guildId,
  isDirect: route.install === 'user' ? true : undefined,
  roleIds,
});

/** How many tasks wait in all, for the same server and of the same member. */
export type WaitingCounts = Readonly<Record<'all' | 'server' | 'member', () => number>>;
