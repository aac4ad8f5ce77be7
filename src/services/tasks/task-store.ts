import { z } from 'zod';
import type { Task, TaskState } from './task.ts';
import type { TaskSummary } from './task-summary.ts';

/** Where tasks are stored. Every method throws if the store fails, so nothing is lost silently. */
export interface TaskStore {
  /** Live tasks, oldest first. */
  live(): Promise<Task[]>;
  get(id: string): Promise<Task | undefined>;
  /** The task itself determines whether it belongs to the live or the finished ones. */
  put(task: Task): Promise<void>;
  /** By its remote id; for music only. */
  findByRemoteId(remoteId: string): Promise<Task | undefined>;
  /** Leaves no trace of a refused request. */
  remove(task: Task): Promise<void>;
  /** Newest first. */
  page(question: PageQuery): Promise<TaskPage>;
  /** Stores the exact request next to its task while it may be sent again. No list or export shows it. */
  putSentOrder(id: string, sent: SentOrder): Promise<void>;
  getSentOrder(id: string): Promise<SentOrder | undefined>;
  addDuration(key: string, durationShape: Duration): Promise<void>;
  /** The latest ones, oldest first. */
  durations(key: string): Promise<Duration[]>;
  openErasures(): Promise<ErasureMark[]>;
  putErasure(mark: ErasureMark): Promise<void>;
  removeErasure(memberId: string): Promise<void>;
  /** Removes list entries that a crash has left behind for erased tasks. */
  removeStaleSummaries(memberId: string): Promise<void>;
  notePolling(at: number): Promise<void>;
  lastPolledAt(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** An exact request, and the key that makes one job of it however often it is sent. */
export const sentOrder = z.object({ idempotencyKey: z.string(), body: z.string() });
export type SentOrder = z.output<typeof sentOrder>;

const count = z.number().default(0);

/** What an erasure has done so far. */
const erased = {
  tasks: count,
  messages: count,
  /** The number of messages that could not be deleted, and the addresses of the first of them. */
  stays: count,
  left: z.array(z.object({ guildId: z.string().optional(), channelId: z.string(), id: z.string() })).default([]),
};

/** `running`: jobs that are still running; they are not shown, and are erased at their end. */
export const erasureOutcome = z.object({ ...erased, running: count });
export type ErasureOutcome = z.output<typeof erasureOutcome>;

/** Another partition that was asked to erase the same member. */
const askedPartition = z.object({
  ...erasureOutcome.shape,
  partition: z.number(),
  /** Its messages are gone; done: everything is. */
  state: z.enum(['asked', 'reported', 'done']),
});
export type AskedPartition = z.output<typeof askedPartition>;

/** A member's request to erase everything requested until then. */
export const erasureMark = z.object({
  memberId: z.string(),
  until: z.number(),
  /** Replaces task ids in the ledger. It is deleted with the mark, so the ids cannot be restored. */
  secret: z.string(),
  /** Progress, so a restart can still report what could not be deleted. */
  ...erased,
  /** How many of those the member was notified about; undefined for no notification yet. */
  told: z.number().optional(),
  /** In the partition where the member asked, and only if there are others. */
  asked: z.array(askedPartition).optional(),
  /** The partitions that asked for it. */
  askedBy: z.array(z.number()).optional(),
});
export type ErasureMark = z.output<typeof erasureMark>;

export interface PageQuery {
  of: { memberId: string } | { guildId: string };
  max: number;
  /** Only tasks older than this one. */
  before?: string | undefined;
  kind?: string | undefined;
  states?: readonly TaskState[] | undefined;
  /** The summary contains all of these words, in any order. */
  words?: string | undefined;
  /** Leaves out tasks that an album or a live conversation shows. */
  withoutParts?: boolean | undefined;
  /** A server's admins see no private tasks. */
  withoutPrivate?: boolean | undefined;
}

export interface TaskPage {
  summaries: TaskSummary[];
  /** Where the next page begins; undefined on the last. */
  next: string | undefined;
}

/** The duration of a job, between the last response that said "not yet" and the first that said "done". */
export const durationShape = z.object({
  atLeastMs: z.number(),
  atMostMs: z.number(),
  at: z.number(),
  /** The part of it before the run began, if the gateway reports it. */
  waitedMs: z.number().optional(),
});
export type Duration = z.output<typeof durationShape>;

/** Durations kept per key. Older ones say little about today. */
export const KEPT_DURATIONS = 200;
