import type { Evidence } from '../evidence.ts';
import { brokenToMembers, type Judged, judged } from '../judgement.ts';
import type { PartitionState } from './partitions.ts';

export interface ClusterEnd {
  shards: number;
  partitions: readonly PartitionState[];
  /** Write requests to Discord that the cluster sent when nothing was left to do. */
  writes: number;
  codes: readonly (number | null)[];
  misfortunes: readonly string[];
  money: readonly string[];
}

/** Members are told of every interruption, however long after the acknowledgement it happened; those who were not are counted below. */
export const judgedCluster = (evidence: Evidence): Judged => judged(evidence, Number.POSITIVE_INFINITY);

/** Acknowledged, but the member sees a spinner forever, although the bot could have told them. */
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

/** One sentence for each broken promise. */
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
