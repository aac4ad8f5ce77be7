import { z } from 'zod';
import type { Task, TaskState } from './task.ts';
import type { TaskLine } from './task-line.ts';

/** Where tasks are stored. Every method throws where the store fails, so that nothing is lost silently. */
export interface TaskStore {
  /** Live tasks, oldest first. */
  live(): Promise<Task[]>;
  get(id: string): Promise<Task | undefined>;
  /** The task itself says whether it belongs to the live or the finished ones. */
  put(task: Task): Promise<void>;
  /** By its remote id; for music only. */
  knownAs(remoteId: string): Promise<Task | undefined>;
  /** Leaves no trace of a refused order. */
  remove(task: Task): Promise<void>;
  /** Newest first. */
  page(question: PageQuestion): Promise<TaskPage>;
  /** Stores the exact order beside its task while it may be sent again. No list or export shows it. */
  keepSent(id: string, sent: SentBody): Promise<void>;
  sentOf(id: string): Promise<SentBody | undefined>;
  addDuration(key: string, duration: Duration): Promise<void>;
  /** The latest ones, oldest first. */
  durations(key: string): Promise<Duration[]>;
  forgettings(): Promise<ForgettingMark[]>;
  putForgetting(mark: ForgettingMark): Promise<void>;
  removeForgetting(memberId: string): Promise<void>;
  /** Removes list entries that a crash has left behind for erased tasks. */
  clearLines(memberId: string): Promise<void>;
  noteAsking(at: number): Promise<void>;
  askingUntil(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** An exact order, and the key that makes one job of it however often it is sent. */
export const sentBody = z.object({ idempotencyKey: z.string(), body: z.string() });
export type SentBody = z.output<typeof sentBody>;

const count = z.number().default(0);

/** A member's request to erase everything ordered until then. */
export const forgettingMark = z.object({
  memberId: z.string(),
  until: z.number(),
  /** Replaces task ids in the ledger; it is deleted with the mark, so that the way back is lost. */
  secret: z.string(),
  /** Progress, so that a restart can still report what could not be deleted. */
  tasks: count,
  messages: count,
  /** How many messages could not be deleted, and the addresses of the first of them. */
  stays: count,
  left: z.array(z.object({ guildId: z.string().optional(), channelId: z.string(), id: z.string() })).default([]),
  /** How many of those the member knows of; undefined: they have been told nothing. */
  told: z.number().optional(),
});
export type ForgettingMark = z.output<typeof forgettingMark>;

export interface PageQuestion {
  of: { memberId: string } | { guildId: string };
  most: number;
  /** Only tasks older than this one. */
  before?: string | undefined;
  kind?: string | undefined;
  states?: readonly TaskState[] | undefined;
  /** The summary contains all of these words, in any order. */
  words?: string | undefined;
  /** Leaves out what an album or a live conversation shows. */
  withoutParts?: boolean | undefined;
  /** A server's admins see no private tasks. */
  withoutPrivate?: boolean | undefined;
}

export interface TaskPage {
  lines: TaskLine[];
  /** Where the next page begins; undefined on the last. */
  next: string | undefined;
}

/** How long a job took, between the last response that said "not yet" and the first that said "done". */
export const duration = z.object({
  atLeastMs: z.number(),
  atMostMs: z.number(),
  at: z.number(),
  /** The part of it before the run began, where the gateway reports it. */
  waitedMs: z.number().optional(),
});
export type Duration = z.output<typeof duration>;

/** Durations kept per key. Older ones say little about today. */
export const KEPT_DURATIONS = 200;
