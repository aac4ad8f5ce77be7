import { customId } from '../../discord/custom-id.ts';
import { type TaskKind, type TaskState, taskKinds } from '../../services/tasks/task.ts';
import { isTaskId } from '../../services/tasks/task-id.ts';

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

const short = (standing: string): string => standing.slice(0, 2);

/** Which tasks a list shows: small enough to travel in a custom id. */
export interface Filter {
  whose: 'mine' | 'server';
  kind?: TaskKind | undefined;
  standing?: Standing | undefined;
  words?: string | undefined;
  /** Only tasks older than this one. */
  before?: string | undefined;
}

/** With everything else as long as it gets, this many bytes of words fit into a custom id. */
const MOST_WORD_BYTES = 30;

export const fitsPointer = (words = ''): boolean => Buffer.byteLength(words) <= MOST_WORD_BYTES;

export function filterId(verb: string, version: number, { whose, kind, standing, words, before }: Filter): string {
  return customId(verb, version, whose.charAt(0), kind ?? '', short(standing ?? ''), before ?? '', words ?? '');
}

/** undefined: forged, or of a bot that knew other kinds. */
export function filterFrom([whose, kind, standing, before = '', words = '']: readonly string[]): Filter | undefined {
  const knownKind = taskKinds.find((one) => one === kind);
  const knownStanding = standings.find((one) => short(one) === standing);
  if ((whose !== 'm' && whose !== 's') || (kind !== '' && !knownKind) || (standing !== '' && !knownStanding))
    return undefined;
  if ((before !== '' && !isTaskId(before)) || !fitsPointer(words)) return undefined;
  return {
    whose: whose === 'm' ? 'mine' : 'server',
    kind: knownKind,
    standing: knownStanding,
    before: before || undefined,
    words: words || undefined,
  };
}
