import { Refusal } from '../../lib/refusal.ts';
import { type ActionMeaning, meaningOfAction } from './actions.ts';
import { lineAt } from './lines.ts';
import type { Region, sides } from './materials.ts';
import { isClosed, type Task, type TaskKind } from './task.ts';
import type { Order } from './transitions.ts';

/** What a follow-up of a task asks for; who asks, and from where, comes with the press. */
export type FollowUp = Pick<Order, 'kind' | 'request' | 'parent'>;

/** Words, and the part of the picture they are for. */
export interface WrittenWords {
  words: string;
  region?: Region | undefined;
}

/** Presses one of the buttons that the gateway gave with the result, by its stored custom action ID. */
export function actionOn(parent: Task, place: number, written?: WrittenWords): FollowUp {
  const action = parent.actions[place];
  if (!action) throw new Refusal('refusals.unknownButton');
  needsResult(parent);
  const { customId, label } = action;
  return { kind: 'action', parent, request: { ...about(parent, written), customId, label } };
}

/** What can be asked of a grid of four by a short word: U1 to U4, V1 to V4, and R. */
export const shortChanges = ['U1', 'U2', 'U3', 'U4', 'R', 'V1', 'V2', 'V3', 'V4'] as const;
export type ShortChange = (typeof shortChanges)[number];

const CHANGES = { U: 'UPSCALE', V: 'VARIATION', R: 'REROLL' } as const;

/** The same for a result that came without buttons. */
export function changeOn(parent: Task, short: ShortChange): FollowUp {
  needsResult(parent);
  if (!isGrid(parent) || parent.media.length === 0) throw new Refusal('refusals.noResult');
  const action = CHANGES[short.charAt(0) as keyof typeof CHANGES];
  const index = Number(short.charAt(1) || 1);
  return { kind: 'change', parent, request: { ...about(parent), action, index, label: short } };
}

/** A button can be forged, and an old one be of a task that went another way. */
export function needsResult(task: Task): void {
  if (!hasResult(task)) throw new Refusal('refusals.noResult');
}

export const hasResult = ({ state }: Task): boolean => state === 'ready' || state === 'delivered';

export function about(parent: Task, written?: WrittenWords): Record<string, unknown> {
  if (parent.remoteId === undefined) throw new Refusal('refusals.unknownButton');
  return {
    of: parent.remoteId,
    prompt: promptOf(parent),
    ...(typeof parent.request.title === 'string' && { title: parent.request.title }),
    ...(isSpoiler(parent) && { spoiler: true }),
    ...(written && { words: written.words }),
    ...(written?.region && { region: written.region }),
  };
}

/** What it was made of: the words that the gateway took for it, else those it began with. */
export function promptOf({ request, times }: Task): string {
  const words = times.wordsTaken === undefined ? undefined : request.words;
  if (typeof words === 'string') return words;
  return typeof request.prompt === 'string' ? request.prompt : '';
}

/** Whether its results are covered until somebody wants to see them. */
export const isSpoiler = ({ request }: Task): boolean => request.spoiler === true;

/** What its member wrote, without what options added to it. */
export function typedIn(task: Task): string {
  return typeof task.request.typed === 'string' ? task.request.typed : promptOf(task);
}

/** What stands for it where it has to be named: of something made without words, what it was made of. */
export const titleOf = (task: Task): string =>
  typeof task.request.title === 'string' ? task.request.title : typedIn(task);

/** Kinds whose prompt is their member's own words, so that it can be ordered with others. */
const OF_OWN_WORDS: ReadonlySet<TaskKind> = new Set([
  ...(['imagine', 'shorten', 'animate', 'image', 'song'] as const),
  ...(['video', 'second-video', 'image-to-video'] as const),
]);

export const hasOwnWords = (task: Task): boolean => OF_OWN_WORDS.has(task.kind) && typedIn(task) !== '';

/** The part of a task's picture that a side stands for. */
export function sideOf(parent: Task, side: (typeof sides)[number]): Region {
  const [picture] = parent.media;
  if (picture?.address === undefined) throw new Refusal('refusals.pictureGone', { name: side });
  const { address, width, height } = picture;
  return { side, of: { address, width, height } };
}

/** Follow-ups whose results are four pictures again. */
const GRIDS: ReadonlySet<ActionMeaning['family']> = new Set([
  'variation',
  'vary',
  'reroll',
  'pan',
  'zoom',
  'custom-zoom',
  'describe-line',
  'shorten-line',
]);

/** Whether the result is a grid of four, of which one can be asked for. */
export function isGrid({ kind, request }: Task): boolean {
  if (kind === 'imagine' || kind === 'blend') return true;
  if (kind === 'change') return request.action !== 'UPSCALE';
  return GRIDS.has(meaningOfAction(String(request.customId ?? '')).family);
}

/** The words that a form for an action starts with. */
export function proposedWords(parent: Task, place: number): string {
  const { family, index } = meaningOfAction(parent.actions[place]?.customId ?? '');
  const prompt = promptOf(parent);
  if (family === 'custom-zoom') return `${prompt} --zoom 2`.trim();
  if (family === 'describe-line' || family === 'shorten-line') return lineAt(parent.text ?? '', index ?? 1) ?? prompt;
  return prompt;
}

/** Whoever sees a public result may go on from it; a private one is its owner's alone. */
export function mayGoOn(task: Task, memberId: string): boolean {
  return !isClosed(task) || task.requesterId === memberId;
}
