import { titleOf } from './follow-ups.ts';
import type { Task, TaskKind, TaskState } from './task.ts';

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

export function lineOf(task: Task): TaskLine {
  const { id, kind, state, requesterId, guildId, route, times } = task;
  return {
    id,
    kind,
    state,
    requesterId,
    guildId,
    isPrivate: route.isPrivate,
    summary: titleOf(task).replace(/\s+/g, ' ').trim().slice(0, LONGEST_SUMMARY),
    createdAt: times.created,
    settledAt: times.settled,
  };
}
