import { z } from 'zod';
import { repeat } from '../../lib/repeat.ts';
import { type Findings, findings, noticeRow } from '../store/notice.ts';
import type { SharedFacts } from '../store/shared-facts.ts';
import { failureReason } from '../tasks/task.ts';
import type { ClusterContext } from './claim.ts';
import type { Cluster } from './open-cluster.ts';
import { WORKER_CLAIM } from './shares.ts';

const WRITE_INTERVAL_MS = 5_000;

const shape = z.object({
  liveTasks: z.number(),
  troubles: z.array(
    z.object({
      lane: z.string(),
      kind: z.enum(['busy', 'refused', 'unreachable']),
      since: z.number(),
      reason: failureReason,
    }),
  ),
  findings,
  /** The notices of the whole bot that have not ended, if this is partition 0. */
  notices: z.array(noticeRow),
});
const storedShape = shape.extend({ holder: z.string() });

/** What other partitions know about a partition, for `/about` and for the notices to the operator. */
export type PartitionHealth = z.output<typeof shape>;

const nameOf = (partition: number): string => `health:${partition}`;

/** Publishes the health of this worker's partitions to the other workers whenever it changes. The returned function ends this. */
export function publishHealth(
  { clock, facts, holder, log }: ClusterContext,
  ownHealth: () => ReadonlyMap<number, PartitionHealth>,
): () => Promise<void> {
  const claimReference = { claim: WORKER_CLAIM + holder, holder };
  let lastWritten: ReadonlyMap<number, string> = new Map();
  return repeat(clock, async () => {
    try {
      const serialized = new Map(
        [...ownHealth()].map(([partition, health]) => [partition, JSON.stringify({ ...health, holder })]),
      );
      for (const [partition, text] of serialized) {
        const isUnchanged = lastWritten.get(partition) === text;
        if (!isUnchanged && !(await facts.write(nameOf(partition), text, claimReference))) serialized.delete(partition);
      }
      lastWritten = serialized;
    } catch (error) {
      log.debug({ err: error }, 'The health of this worker’s partitions could not be written.');
    }
    return WRITE_INTERVAL_MS;
  });
}

/** The health of a partition, as its latest owner, `holder`, last wrote it. */
export async function readHealth(facts: SharedFacts, partition: number) {
  const text = await facts.read(nameOf(partition));
  return text === undefined ? undefined : storedShape.safeParse(JSON.parse(text)).data;
}

/** What the bots of all partitions but 0 know. Undefined for one that has no owner, or whose owner has not said it yet. */
export async function findingsElsewhere(
  { facts, partitions }: Cluster,
  ownHealth: ReadonlyMap<number, PartitionHealth>,
): Promise<(Findings | undefined)[]> {
  const owners = await partitions.owners();
  const others = Array.from({ length: partitions.count - 1 }, (_, index) => index + 1);
  return Promise.all(
    others.map(async (partition) => {
      const own = ownHealth.get(partition);
      if (own) return own.findings;
      const health = await readHealth(facts, partition);
      return health && health.holder === owners.get(partition) ? health.findings : undefined;
    }),
  );
}
