import { Refusal } from '../../lib/refusal.ts';
import { isClosed, type Task } from './task.ts';

/** What can be asked of a grid of four by a short word: U1 to U4, V1 to V4, and R. */
export const shortChanges = ['U1', 'U2', 'U3', 'U4', 'R', 'V1', 'V2', 'V3', 'V4'] as const;
export type ShortChange = (typeof shortChanges)[number];

/** A button can be forged, and an old one be of a task that went another way. */
export function needsResult(task: Task): void {
  if (!hasResult(task)) throw new Refusal('refusals.noResult');
}

export const hasResult = ({ state }: Task): boolean => state === 'ready' || state === 'delivered';

/** What it was made of: the words that the gateway took for it, else those it began with. */
export function promptOf({ request, times }: Task): string {
  const words = times.wordsTaken === undefined ? undefined : request.words;
  return words ?? request.prompt ?? '';
}

/** Whether its results are covered until somebody wants to see them. */
export const isSpoiler = ({ request }: Task): boolean => request.spoiler === true;

/** What its member wrote, without what options added to it. */
export const typedIn = (task: Task): string => task.request.typed ?? promptOf(task);

/** What stands for it where it has to be named: of something made without words, what it was made of. */
export const titleOf = (task: Task): string => task.request.title ?? typedIn(task);

/** Its prompt is its member's own words, so that it can be ordered with others. */
export const hasOwnWords = (task: Task): boolean => task.traits.hasOwnWords === true && typedIn(task) !== '';

/** Whether the result is a grid of four, of which one can be asked for. */
export const isGrid = ({ traits, request }: Task): boolean => traits.isGrid?.(request) ?? false;

/** Whoever sees a public result may go on from it; a private one is its owner's alone. */
export function mayGoOn(task: Task, memberId: string): boolean {
  return !isClosed(task) || task.requesterId === memberId;
}
