import { z } from 'zod';
import type { StoredRows } from '../../lib/stored-rows.ts';
import type { SentOrder } from '../tasks/kind.ts';
import type { MessageAddress, Task, TaskState } from '../tasks/task.ts';
import type { TaskSummary } from '../tasks/task-summary.ts';

export interface TaskLists {
  /** Returns a page of a list, newest first. */
  page(query: PageQuery): Promise<TaskPage>;
}

export interface TaskReader extends TaskLists {
  get(id: string): Promise<Task | undefined>;
}

export interface BookStore {
  /** Returns the live tasks, oldest first. */
  live(): Promise<Task[]>;
  get(id: string): Promise<Task | undefined>;
  /** Stores a task among the live or the finished ones, depending on its state. `isRepeatable`: a power cut may undo it, unless something else was written after it. */
  put(task: Task, isRepeatable?: boolean): Promise<void>;
  /** Removes a task without a trace, for example if its request was refused. */
  remove(task: Task): Promise<void>;
}

export interface DurationStore {
  addDuration(key: string, duration: Duration): Promise<void>;
  /** The latest durations, oldest first. */
  durations(key: string): Promise<Duration[]>;
}

export interface PollStore {
  readonly polling: { read(): Promise<{ at: number } | undefined>; write(mark: { at: number }): Promise<void> };
}

/** Stores tasks. Every method throws if the store fails, so that nothing is lost silently. */
export interface TaskStore extends TaskReader, BookStore, DurationStore, PollStore {
  /** Finds a task by its remote id. This works only for music. */
  findByRemoteId(remoteId: string): Promise<Task | undefined>;
  /** Stores the exact request in addition to its task while it may be sent again. No list or export shows it. */
  readonly sentOrders: {
    put(id: string, sent: SentOrder): Promise<void>;
    read(id: string): Promise<SentOrder | undefined>;
  };
  readonly erasures: ErasureStore;
  /** Removes list entries that a crash has left behind for erased tasks. */
  removeStaleSummaries(memberId: string): Promise<void>;
  close(): Promise<void>;
}

const erasureProgress = {
  tasks: z.number(),
  messages: z.number(),
  /** The number of messages that could not be deleted, and the addresses of the first of them. */
  stays: z.number(),
  left: z.array(z.object({ guildId: z.string().optional(), channelId: z.string(), id: z.string() })),
};

/** `running` is the number of jobs that are still running. They are not shown, and are erased when they end. */
export const erasureOutcome = z.object({ ...erasureProgress, running: z.number() });
export type ErasureOutcome = z.output<typeof erasureOutcome>;

export interface MessageRemoval {
  removed: number;
  left: readonly MessageAddress[];
  needsRetry: boolean;
}

/** Another partition that was asked to erase the same member. */
const askedPartition = z.object({
  ...erasureOutcome.shape,
  partition: z.number(),
  /** `reported`: its messages are deleted. `done`: everything is deleted. */
  state: z.enum(['asked', 'reported', 'done']),
});
export type AskedPartition = z.output<typeof askedPartition>;

/** A member's request to erase everything that the member requested until then. */
export const erasureMark = z.object({
  memberId: z.string(),
  until: z.number(),
  /** Used to replace task ids in the ledger. It is deleted together with the mark, so the ids cannot be restored. */
  secret: z.string(),
  /** The progress, so that what could not be deleted can still be reported after a restart. */
  ...erasureProgress,
  /** The number of undeletable messages about which the member was notified. Undefined before the first notification. */
  told: z.number().optional(),
  /** Set only in the partition where the member asked, if there are others. */
  asked: z.array(askedPartition).optional(),
  askedBy: z.array(z.number()).optional(),
});
export type ErasureMark = z.output<typeof erasureMark>;
export type ErasureStore = StoredRows<ErasureMark, { memberId: string }>;

export interface PageQuery {
  of: { memberId: string } | { guildId: string };
  max: number;
  before?: string | undefined;
  kinds?: readonly string[] | undefined;
  states?: readonly TaskState[] | undefined;
  /** The summary contains all of these words, in any order. */
  words?: string | undefined;
  /** Leaves out tasks that an album or a live conversation shows. */
  withoutParts?: boolean | undefined;
  /** Leaves out private tasks, which a server's admins must not see. */
  withoutPrivate?: boolean | undefined;
}

export interface TaskPage {
  summaries: TaskSummary[];
  /** Where the next page begins. Undefined on the last page. */
  next: string | undefined;
}

/** The duration of a job. Its end is between the last response that said "not yet" and the first that said "done". */
export const durationShape = z.object({
  atLeastMs: z.number(),
  atMostMs: z.number(),
  at: z.number(),
  /** The part of that time before the job started to run, if the gateway reports it. */
  waitedMs: z.number().optional(),
  /** What the gateway's percentage predicted while the job ran, if it reported one. */
  predictedMs: z.number().optional(),
});
export type Duration = z.output<typeof durationShape>;

/** The number of durations that are kept per key. Older durations say little about current ones. */
export const MAX_DURATIONS_PER_KEY = 200;
