import type { Evidence } from '../evidence.ts';
import { type Assessment, assess, brokenMemberPromises } from '../judgement.ts';
import type { PartitionState } from './partitions.ts';

export interface ClusterEnd {
  shards: number;
  partitions: readonly PartitionState[];
  /** Write requests to Discord that the cluster sent when nothing was left to do. */
  writes: number;
  codes: readonly (number | null)[];
  eventProblems: readonly string[];
  money: readonly string[];
}

/** Members are notified of every interruption, however long after the acknowledgement it happened. `forgottenOrders` counts the exceptions. */
export const assessCluster = (evidence: Evidence): Assessment =>
  assess(evidence, { stepMs: Number.POSITIVE_INFINITY, repeatsRefused: true });

/** A packet whose worker was killed goes to another one after a lease, and only then is the member notified. */
export const NOTIFY_LIMIT_MS = 20_000;

/** Orders that were acknowledged but left with an endless spinner, although the bot had time to notify the member before the token expired. */
export function forgottenOrders({ cases, outcomes, servers }: Assessment): string[] {
  return cases.flatMap(({ order }, index) => {
    const isExpiredTooSoon = servers.tokensExpiredAt.some(
      (expired) => expired >= order.at && expired < order.at + NOTIFY_LIMIT_MS,
    );
    const wasNotNotified = outcomes[index] === 'not stored' || outcomes[index] === 'not notified';
    return wasNotNotified && !isExpiredTooSoon
      ? [`${order.prompt} (${order.kind}, interaction ${order.interactionId}, ${new Date(order.at).toISOString()})`]
      : [];
  });
}

/** Sessions that Discord did not resume. */
export const lostSessions = ({ servers }: Assessment, shards: number): number =>
  Math.max(0, servers.discord.gateway.identifies - shards);

/** One sentence for each broken promise. */
export function brokenClusterPromises(assessment: Assessment, end: ClusterEnd): string[] {
  const forgotten = forgottenOrders(assessment);
  const maxForgotten = lostSessions(assessment, end.shards);
  return [
    ...brokenMemberPromises(assessment),
    ...end.eventProblems,
    ...end.money,
    ...(forgotten.length > maxForgotten
      ? forgotten.map(
          (order) => `${order}: it was acknowledged and then forgotten (${maxForgotten} sessions were lost)`,
        )
      : []),
    ...end.codes.flatMap((code) => (code === 0 ? [] : [`a process exited with ${code} when it was told to stop`])),
    ...(end.writes > 0 ? [`with nothing left to do, the cluster wrote to Discord ${end.writes} times`] : []),
    ...end.partitions.flatMap(({ partition, live, findings }) => [
      ...live.map((task) => `partition ${partition} has a live task at the end: ${task}`),
      ...findings.map((found) => `partition ${partition} has a problem: ${found}`),
    ]),
  ];
}
