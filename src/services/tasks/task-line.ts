import { titleOf } from './follow-ups.ts';
import { isClosed, type Task, type TaskKind, type TaskState } from './task.ts';

/** A task in one line, for lists: enough to recognise it by, and to find it with words. */
export interface TaskLine {
  id: string;
  kind: TaskKind;
  state: TaskState;
  requesterId: string;
  guildId?: string | undefined;
  isPrivate: boolean;
  /** The beginning of what was asked. */
  summary: string;
  createdAt: number;
  /** Set as soon as nothing is left to do for it: until then its line may be older than the task. */
  settledAt?: number | undefined;
}

const LONGEST_SUMMARY = 120;

/** What it is found by: its words, else what is known of it instead. */
function nameOf(task: Task): string {
  const { request, tracks = [], remoteId = '', answer } = task;
  const known = [titleOf(task), tracks[0]?.title, request.style, answer?.heard, ...aboutTalk(task)];
  const name = known.find((one) => one !== undefined && one !== '');
  return name ?? (task.traits.isPart ? remoteId : '');
}

/** A live conversation has no words of its own but how the model is to be. */
const aboutTalk = ({ traits, request }: Task): (string | undefined)[] =>
  traits.isConversation ? [request.instructions, request.model] : [];

export function lineOf(task: Task): TaskLine {
  const { id, kind, state, requesterId, guildId, times } = task;
  return {
    id,
    kind,
    state,
    requesterId,
    guildId,
    isPrivate: isClosed(task),
    summary: nameOf(task).replace(/\s+/g, ' ').trim().slice(0, LONGEST_SUMMARY),
    createdAt: times.created,
    settledAt: times.settled,
  };
}

/** How things stand with a task, in members' words. */
export const standings = ['working', 'done', 'waiting', 'failed', 'unknown'] as const;
export type Standing = (typeof standings)[number];

/** A result that reached nobody is ready, and settled. */
export const statesOf: Readonly<Record<Standing, readonly TaskState[]>> = {
  working: ['submitting', 'accepted', 'queued', 'running', 'needs-input'],
  done: ['ready', 'delivered'],
  waiting: ['ready'],
  failed: ['failed', 'cancelled', 'expired'],
  unknown: ['unconfirmed'],
};

/** Which tasks a list shows. */
export interface Filter {
  whose: 'mine' | 'server';
  kind?: string | undefined;
  standing?: Standing | undefined;
  words?: string | undefined;
  /** Only tasks older than this one. */
  before?: string | undefined;
}
