import { z } from 'zod';
import { repeat } from '../../lib/repeat.ts';
import type { SharedFacts } from '../store/shared-facts.ts';
import { failureReason } from '../tasks/task.ts';
import type { ClusterContext } from './claim.ts';
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
});

/** What `/about` shows about a partition if the command is used in another partition. */
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
      const serialized = new Map([...ownHealth()].map(([partition, health]) => [partition, JSON.stringify(health)]));
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

/** The health of a partition, as its owner last wrote it. */
export async function readHealth(facts: SharedFacts, partition: number): Promise<PartitionHealth | undefined> {
  const text = await facts.read(nameOf(partition));
  return text === undefined ? undefined : shape.safeParse(JSON.parse(text)).data;
}
