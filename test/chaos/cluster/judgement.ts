import type { Evidence } from '../evidence.ts';
import { brokenToMembers, type Judged, judged } from '../judgement.ts';
import type { PartitionState } from './partitions.ts';

export interface ClusterEnd {
  shards: number;
  partitions: readonly PartitionState[];
  /** Requests to Discord that the cluster wrote with nothing left to do. */
  writes: number;
  codes: readonly (number | null)[];
  misfortunes: readonly string[];
  money: readonly string[];
}

/** Every interruption is told to its member, however long after the acknowledgement it came; what is not is counted below. */
export const judgedCluster = (evidence: Evidence): Judged => judged(evidence, Number.POSITIVE_INFINITY);

/** Acknowledged, and the member sees a spinner for ever, although the bot could have told. */
export function forgotten({ cases, outcomes, sides }: Judged): string[] {
  return cases.flatMap(({ order }, at) => {
    const isTokenDead = sides.tokensExpiredAt.some((expired) => expired >= order.at);
    const isUntold = outcomes[at] === 'not stored' || outcomes[at] === 'not told';
    return isUntold && !isTokenDead ? [order.prompt] : [];
  });
}

/** Sessions that Discord did not resume. */
export const lostSessions = ({ sides }: Judged, shards: number): number =>
  Math.max(0, sides.discord.gateway.identifies - shards);

/** Every broken promise, in one sentence each. */
export function brokenByCluster(all: Judged, end: ClusterEnd): string[] {
  const spinners = forgotten(all);
  const mayForget = lostSessions(all, end.shards);
  return [
    ...brokenToMembers(all),
    ...end.misfortunes,
    ...end.money,
    ...(spinners.length > mayForget
      ? spinners.map((prompt) => `${prompt}: it was acknowledged and then forgotten (${mayForget} sessions were lost)`)
      : []),
    ...end.codes.flatMap((code) => (code === 0 ? [] : [`a process did not end well when told to, but with ${code}`])),
    ...(end.writes > 0 ? [`with nothing left to do, the cluster wrote to Discord ${end.writes} times`] : []),
    ...end.partitions.flatMap(({ partition, live, findings }) => [
      ...live.map((task) => `partition ${partition} has a live task after the calm: ${task}`),
      ...findings.map((found) => `partition ${partition} is not sound: ${found}`),
    ]),
  ];
}
