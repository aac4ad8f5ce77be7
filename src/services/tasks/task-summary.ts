import { z } from 'zod';
import type { TaskKind } from './kind-spec.ts';
import { isClosed, isOfKind, type Task, type TaskState, taskStates } from './task.ts';
import { titleOf } from './task-facts.ts';
import { actionOf, type TaskType, typeOf } from './task-type.ts';

export const taskSummary = z.object({
  id: z.string(),
  kind: z.string(),
  type: z.string(),
  /** The image of a grid that an action is about. */
  index: z.number().optional(),
  state: z.enum(taskStates),
  /** Set if moderators hold or have deleted the result. */
  review: z.enum(['held', 'deleted']).optional(),
  /** Set if the outcome is unknown and its owner has submitted the request again. */
  isTriedAgain: z.literal(true).optional(),
  /** Set if the outcome is unknown and its owner has dismissed it. */
  isDismissed: z.literal(true).optional(),
  /** Set if an answer was stopped after it had begun. */
  isStopped: z.literal(true).optional(),
  requesterId: z.string(),
  guildId: z.string().optional(),
  isPrivate: z.boolean(),
  isOwnInstall: z.literal(true).optional(),
  summary: z.string(),
  createdAt: z.number(),
  /** Until this is set, the stored task may be newer than this summary. */
  settledAt: z.number().optional(),
});
export type TaskSummary = z.output<typeof taskSummary> & { kind: TaskKind; type: TaskType };

const MAX_SUMMARY_LENGTH = 120;

function nameOf(task: Task): string {
  const { request, tracks = [], remoteId = '', answer } = task;
  const candidates = [titleOf(task), tracks[0]?.title, request.style, answer?.heard, ...talkFacts(task)];
  const name = candidates.find((one) => one !== undefined && one !== '');
  return name ?? (task.traits.isPart ? remoteId : '');
}

/** A live conversation has only its instructions instead of a prompt. */
const talkFacts = ({ traits, request }: Task): (string | undefined)[] =>
  traits.isTalk ? [request.instructions, request.model] : [];

export function summaryOf(task: Task): TaskSummary {
  const { id, kind, state, review, failure, successorId, requesterId, guildId, route, times } = task;
  return {
    id,
    kind,
    type: typeOf(task),
    index: actionOf(task)?.index,
    // A batch has no result of its own.
    state: (isOfKind('batch', task) && task.request.end) || state,
    review: review?.outcome === 'held' || review?.outcome === 'deleted' ? review.outcome : undefined,
    isTriedAgain: (state === 'unconfirmed' && successorId !== undefined) || undefined,
    isDismissed: failure?.cause === 'dismissed' || undefined,
    isStopped: failure?.cause === 'stopped' || undefined,
    requesterId,
    guildId,
    isPrivate: isClosed(task),
    isOwnInstall: (route.install === 'user' && !route.mayPost) || undefined,
    summary: nameOf(task).replace(/\s+/g, ' ').trim().slice(0, MAX_SUMMARY_LENGTH),
    createdAt: times.created,
    settledAt: times.settled,
  };
}

export const statusFilters = ['working', 'done', 'waiting', 'failed', 'unknown'] as const;
export type StatusFilter = (typeof statusFilters)[number];

/** A result is undelivered if it is ready and settled. */
export const statesByFilter: Readonly<Record<StatusFilter, readonly TaskState[]>> = {
  working: ['waiting', 'submitting', 'accepted', 'queued', 'running', 'needs-input'],
  done: ['ready', 'delivered'],
  waiting: ['ready'],
  failed: ['failed', 'cancelled', 'expired'],
  unknown: ['unconfirmed'],
};

export interface TaskFilter {
  whose: 'mine' | 'server';
  kind?: string | undefined;
  status?: StatusFilter | undefined;
  words?: string | undefined;
  before?: string | undefined;
}
