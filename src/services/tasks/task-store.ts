import type { Task, TaskKind, TaskState } from './task.ts';
import type { TaskLine } from './task-line.ts';

/** Where tasks are kept. Every method throws where the store cannot do it: nothing is ever lost in silence. */
export interface TaskStore {
  /** Everything that something is left to do for, oldest first. */
  live(): Promise<Task[]>;
  get(id: string): Promise<Task | undefined>;
  /** Live tasks and settled ones lie apart; the task itself says where it belongs. */
  put(task: Task): Promise<void>;
  /** As if it had never been: an order that was refused leaves nothing behind. */
  remove(task: Task): Promise<void>;
  /** Newest first. */
  page(question: PageQuestion): Promise<TaskPage>;
  addDuration(key: string, duration: Duration): Promise<void>;
  /** The latest ones, oldest first. */
  durations(key: string): Promise<Duration[]>;
  /** The gateway is asked about tasks now. */
  noteAsking(at: number): Promise<void>;
  /** When that was noted last. */
  askingUntil(): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface PageQuestion {
  of: { memberId: string } | { guildId: string };
  most: number;
  /** Only tasks older than this one. */
  before?: string | undefined;
  kind?: TaskKind | undefined;
  states?: readonly TaskState[] | undefined;
  /** All of these words stand in the line, in any order. */
  words?: string | undefined;
  /** A server's managers see no private tasks. */
  withoutPrivate?: boolean | undefined;
}

export interface TaskPage {
  lines: TaskLine[];
  /** Where the next page begins; undefined on the last. */
  next: string | undefined;
}

/** How long a job took, between the last answer that said "not yet" and the first that said "done". */
export interface Duration {
  atLeastMs: number;
  atMostMs: number;
  at: number;
  /** How much of that its run had not begun, where the gateway tells. */
  waitedMs?: number | undefined;
}

/** The latest of each key. More would say nothing new: what took long a month ago says little of today. */
export const KEPT_DURATIONS = 200;
