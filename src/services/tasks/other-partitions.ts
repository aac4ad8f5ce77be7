import type { EntryStore } from '../ledger/entry.ts';
import type { ServerRules } from '../rules/server-rules.ts';
import type { AboutMember } from './own-data/about-member.ts';
import type { ErasureMessage } from './own-data/erasure-messages.ts';
import type { TaskStore } from './task-store.ts';

/** What members have in a partition of another bot, only to be read. */
export interface PartitionRows extends Pick<TaskStore, 'page' | 'get'> {
  readonly entries: Pick<EntryStore, 'between'>;
  about(memberId: string): Promise<AboutMember>;
  isErasing(memberId: string): Promise<boolean>;
  rulesOf(guildId: string): Promise<ServerRules | undefined>;
}

/** All other partitions, where the same members have tasks too. */
export interface OtherPartitions {
  readonly own: number;
  readonly numbers: readonly number[];
  /** Undefined: it is one's own, or has no rows. */
  of(partition: number): Promise<PartitionRows | undefined>;
  /** Those that have rows. */
  all(): Promise<readonly PartitionRows[]>;
  /** The message survives a crash once this resolves. */
  send(partition: number, message: ErasureMessage): Promise<void>;
}
