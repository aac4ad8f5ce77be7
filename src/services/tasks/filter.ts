import type { TaskKind, TaskState } from './task.ts';

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
  kind?: TaskKind | undefined;
  standing?: Standing | undefined;
  words?: string | undefined;
  /** Only tasks older than this one. */
  before?: string | undefined;
}
