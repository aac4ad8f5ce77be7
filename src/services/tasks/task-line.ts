import { z } from 'zod';
import { titleOf } from './follow-ups.ts';
import { isClosed, type Task, type TaskKind, type TaskState, taskStates } from './task.ts';

export const taskLine = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.enum(taskStates),
  requesterId: z.string(),
  guildId: z.string().optional(),
  isPrivate: z.boolean(),
  /** The start of its prompt or title. */
  summary: z.string(),
  createdAt: z.number(),
  /** Until this is set, the task itself may be newer. */
  settledAt: z.number().optional(),
});
export type TaskLine = z.output<typeof taskLine> & { kind: TaskKind };

const LONGEST_SUMMARY = 120;

function nameOf(task: Task): string {
  const { request, tracks = [], remoteId = '', answer } = task;
  const known = [titleOf(task), tracks[0]?.title, request.style, answer?.heard, ...talkFacts(task)];
  const name = known.find((one) => one !== undefined && one !== '');
  return name ?? (task.traits.isPart ? remoteId : '');
}

/** A live conversation has no prompt but its instructions. */
const talkFacts = ({ traits, request }: Task): (string | undefined)[] =>
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

export const standings = ['working', 'done', 'waiting', 'failed', 'unknown'] as const;
export type Standing = (typeof standings)[number];

/** An undelivered result is ready and settled. */
export const statesOf: Readonly<Record<Standing, readonly TaskState[]>> = {
  working: ['submitting', 'accepted', 'queued', 'running', 'needs-input'],
  done: ['ready', 'delivered'],
  waiting: ['ready'],
  failed: ['failed', 'cancelled', 'expired'],
  unknown: ['unconfirmed'],
};

export interface Filter {
  whose: 'mine' | 'server';
  kind?: string | undefined;
  standing?: Standing | undefined;
  words?: string | undefined;
  before?: string | undefined;
}
