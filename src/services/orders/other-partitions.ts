import { z } from 'zod';
import type { StoredRows } from '../../lib/stored-rows.ts';
import type { BudgetStore } from '../money/budgets.ts';
import type { EntryStore } from '../money/entry.ts';
import type { ReportStore } from '../safety/reports.ts';
import type { RuleStore } from '../safety/rules.ts';
import { bucketOf, isAtHome, type Partition, partitionOf } from '../tasks/homes.ts';
import type { DraftStore } from './form-drafts.ts';
import type { PreferenceStore } from './preference-set.ts';
import type { PresetStore } from './preset.ts';
import type { ProposalStore } from './proposals.ts';
import { type ErasureStore, erasureOutcome, type TaskReader } from './task-store.ts';

/** Members' data in a partition that another process owns, read-only. */
export interface PartitionRows extends TaskReader {
  readonly entries: EntryStore;
  readonly budgets: BudgetStore;
  readonly rules: RuleStore;
  readonly reports: ReportStore;
  readonly proposals: ProposalStore;
  readonly drafts: DraftStore;
  readonly preferences: PreferenceStore;
  readonly presets: PresetStore;
  readonly pseudonyms: StoredRows<{ memberId: string; pseudonym: string }, { memberId: string }>;
  existingHashSecret(): Promise<string | undefined>;
  readonly erasures: ErasureStore;
}

export async function isErasingIn(partitions: readonly Pick<PartitionRows, 'erasures'>[], memberId: string) {
  const marks = await Promise.all(partitions.map(({ erasures }) => erasures.get({ memberId })));
  return marks.some((mark) => mark !== undefined);
}

/** The other partitions, in which the same members may have tasks too. */
export interface OtherPartitions {
  readonly ownNumber: number;
  readonly numbers: readonly number[];
  /** Members' data as its owner last wrote it, read-only. Undefined if it is this worker's own partition, or has no rows. */
  find(partition: number): Promise<PartitionRows | undefined>;
  /** The partitions that have rows. */
  all(): Promise<readonly PartitionRows[]>;
  /** Resolves once the message is stored, so that it survives a crash. */
  send(partition: number, message: PartitionMessage): Promise<void>;
}

/** The rows of this partition, and how those of the others are found. */
export interface RowSources {
  store: PartitionRows;
  partition: Partition;
  /** Undefined if this partition has all tasks. */
  others?: OtherPartitions | undefined;
}

/** The rows of the partition to which a server or a member belongs; undefined if it has none. */
export async function rowsAtHome(home: string, { store, partition, others }: RowSources) {
  return isAtHome(home, partition) ? store : others?.find(partitionOf(bucketOf(home), partition.count));
}

const commonFields = { from: z.number(), memberId: z.string(), until: z.number() };

/** `erase`: the other partition requests an erasure. `erased`: it reports the progress of an erasure that this partition requested. */
const erasureMessage = z.discriminatedUnion('do', [
  z.object({ ...commonFields, do: z.literal('erase') }),
  z.object({ ...commonFields, do: z.literal('erased'), isDone: z.boolean(), outcome: erasureOutcome }),
]);

/** A message between partitions, by which a member is erased everywhere. It may arrive more than once. */
export type ErasureMessage = z.output<typeof erasureMessage>;
/** A preset of this partition was used in another one. */
const presetUse = z.object({
  do: z.literal('use-preset'),
  id: z.string(),
  memberId: z.string(),
  guildId: z.string().optional(),
});
/** Rows of this partition could not be read, of which partition 0 notifies the operator. */
const unreadableRows = z.object({ do: z.literal('unreadable'), count: z.number() });
export const partitionMessage = z.union([erasureMessage, presetUse, unreadableRows]);
type PartitionMessage = z.output<typeof partitionMessage>;
export type ErasureReport = Extract<ErasureMessage, { do: 'erased' }>;
