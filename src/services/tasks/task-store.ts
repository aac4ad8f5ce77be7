import type { MessageAddress, Task, TaskState } from './task.ts';
import type { TaskLine } from './task-line.ts';

/** Where tasks are kept. Every method throws where the store cannot do it: nothing is ever lost in silence. */
export interface TaskStore {
  /** Everything that something is left to do for, oldest first. */
  live(): Promise<Task[]>;
  get(id: string): Promise<Task | undefined>;
  /** Live tasks and settled ones lie apart; the task itself says where it belongs. */
  put(task: Task): Promise<void>;
  /** The task that the gateway knows by this id; of music only. */
  knownAs(remoteId: string): Promise<Task | undefined>;
  /** As if it had never been: an order that was refused leaves nothing behind. */
  remove(task: Task): Promise<void>;
  /** Newest first. */
  page(question: PageQuestion): Promise<TaskPage>;
  /** Keeps an order as it is about to be sent, beside its task, for as long as it may be sent again. It is in no task, list or export. */
  keepSent(id: string, sent: SentBody): Promise<void>;
  sentOf(id: string): Promise<SentBody | undefined>;
  addDuration(key: string, duration: Duration): Promise<void>;
  /** The latest ones, oldest first. */
  durations(key: string): Promise<Duration[]>;
  /** Members whose wish to be forgotten is not carried out whole. */
  forgettings(): Promise<ForgettingMark[]>;
  putForgetting(mark: ForgettingMark): Promise<void>;
  removeForgetting(memberId: string): Promise<void>;
  /** Takes away what a crash has left of a member's tasks that are gone: their lines. */
  clearLines(memberId: string): Promise<void>;
  /** The gateway is asked about tasks now. */
  noteAsking(at: number): Promise<void>;
  /** When that was noted last. */
  askingUntil(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** An order to the last byte, and the key that makes one job of it however often it is sent. */
export interface SentBody {
  idempotencyKey: string;
  body: string;
}

/** A member wants everything forgotten that was ordered until then. */
export interface ForgettingMark {
  memberId: string;
  until: number;
  /** Makes of a task's id the one that its entry in the ledger has afterwards; it goes with the mark, and with it the way back. */
  secret: string;
  /** How far it has come, so that a restart in between can still say what could not be deleted. */
  tasks: number;
  messages: number;
  /** How many messages are left, and where the first of them are. */
  stays: number;
  left: MessageAddress[];
  /** Of how many of those its member knows; undefined: they have been told nothing. */
  told?: number | undefined;
}

export interface PageQuestion {
  of: { memberId: string } | { guildId: string };
  most: number;
  /** Only tasks older than this one. */
  before?: string | undefined;
  kind?: string | undefined;
  states?: readonly TaskState[] | undefined;
  /** All of these words stand in the line, in any order. */
  words?: string | undefined;
  /** What an album or a live conversation brings together already is left out. */
  withoutParts?: boolean | undefined;
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
