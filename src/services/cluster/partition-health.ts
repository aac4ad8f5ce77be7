import { z } from 'zod';
import { repeat } from '../../lib/repeat.ts';
import type { SharedFacts } from '../store/shared-facts.ts';
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
      reason: z.string(),
    }),
  ),
});

/** What `/about` shows about a partition if the command is used in another partition. */
export type PartitionHealth = z.output<typeof shape>;

const nameOf = (partition: number): string => `health:${partition}`;

/** Publishes the health of this worker's partitions to the other workers whenever it changes. */
export class HealthPublisher {
  readonly #cluster: ClusterContext;
  readonly #ownHealth: () => ReadonlyMap<number, PartitionHealth>;
  /** Waits for a write that has begun. */
  readonly stop: () => Promise<void>;
  #lastWritten: ReadonlyMap<number, string> = new Map();

  /** `ownHealth`: the health of the partitions that this worker owns. */
  constructor(cluster: ClusterContext, ownHealth: () => ReadonlyMap<number, PartitionHealth>) {
    this.#cluster = cluster;
    this.#ownHealth = ownHealth;
    this.stop = repeat(cluster.clock, () => this.#tryWrite());
  }

  async #tryWrite(): Promise<number> {
    try {
      await this.#write();
    } catch (error) {
      this.#cluster.log.debug({ err: error }, 'The health of this worker’s partitions could not be written.');
    }
    return WRITE_INTERVAL_MS;
  }

  async #write(): Promise<void> {
    const { facts, holder } = this.#cluster;
    const serialized = new Map(
      [...this.#ownHealth()].map(([partition, health]) => [partition, JSON.stringify(health)]),
    );
    const claimReference = { claim: WORKER_CLAIM + holder, holder };
    for (const [partition, text] of serialized) {
      const isUnchanged = this.#lastWritten.get(partition) === text;
      if (!isUnchanged && !(await facts.write(nameOf(partition), text, claimReference))) serialized.delete(partition);
    }
    this.#lastWritten = serialized;
  }
}

/** The health of a partition, as its owner last wrote it. */
export async function readHealth(facts: SharedFacts, partition: number): Promise<PartitionHealth | undefined> {
  const text = await facts.read(nameOf(partition));
  return text === undefined ? undefined : shape.safeParse(JSON.parse(text)).data;
}
