import type { EntryStore } from '../ledger/entry.ts';
import type { ServerRules } from '../rules/server-rules.ts';
import type { MemberFacts } from './own-data/about-member.ts';
import type { ErasureMessage } from './own-data/erasure-messages.ts';
import type { TaskStore } from './task-store.ts';

/** Members' data in a partition that another process owns, read-only. */
export interface PartitionRows extends Pick<TaskStore, 'page' | 'get'> {
  readonly entries: Pick<EntryStore, 'readRange'>;
  factsAbout(memberId: string): Promise<MemberFacts>;
  pseudonymOf(memberId: string): Promise<string | undefined>;
  isErasing(memberId: string): Promise<boolean>;
  rulesOf(guildId: string): Promise<ServerRules | undefined>;
}

/** The other partitions, in which the same members may have tasks too. */
export interface OtherPartitions {
  readonly ownNumber: number;
  readonly numbers: readonly number[];
  /** Undefined if it is this worker's own partition, or has no rows. */
  find(partition: number): Promise<PartitionRows | undefined>;
  /** The partitions that have rows. */
  all(): Promise<readonly PartitionRows[]>;
  /** Resolves once the message is stored, so that it survives a crash. */
  send(partition: number, message: ErasureMessage): Promise<void>;
}
