import { meaningOfAction, meaningOfChange } from './actions.ts';
import { about, type FollowUp, hasResult } from './follow-ups.ts';
import type { GivenPicture } from './materials.ts';
import type { Task } from './task.ts';

/** The gateway's own door to films of the image-prompt family. Like a button, it may be refused. */
export const FILM_DOOR = 'submit/video';

export const motions = ['low', 'high'] as const;
type Motion = (typeof motions)[number];

/** What can be made through it: a film of one picture, or a longer one of one film. */
export function filmOf(task: Task): 'animate' | 'extend' | undefined {
  if (!hasResult(task) || task.remoteId === undefined) return undefined;
  const { kind, request, media } = task;
  const { family } = kind === 'change' ? meaningOfChange(request) : meaningOfAction(String(request.customId ?? ''));
  const isFilm = kind === 'animate' || (kind === 'action' && (family === 'animate' || family === 'extend'));
  if (isFilm) return media.length > 0 && media.every((medium) => medium.kind === 'video') ? 'extend' : undefined;
  const isEnlarged = (kind === 'action' || kind === 'change') && (family === 'upscale' || family === 'upscale-more');
  return isEnlarged && media.length === 1 && media[0]?.kind === 'image' ? 'animate' : undefined;
}

interface FilmWishes {
  words: string;
  motion: Motion;
  loop?: boolean | undefined;
}

export function animationOf(parent: Task, wishes: FilmWishes, pictures: GivenPicture[]): FollowUp {
  return { kind: 'animate', parent, request: { ...wanted(parent, wishes), pictures } };
}

/** Which of the films is counted from 1. */
export function extensionOf(parent: Task, wishes: FilmWishes, index: number): FollowUp {
  const { of: taskId } = about(parent);
  return { kind: 'animate', parent, request: { ...wanted(parent, wishes), extend: { taskId, index } } };
}

function wanted(parent: Task, { words, motion, loop }: FilmWishes): Record<string, unknown> {
  const { prompt, title = prompt, spoiler } = about(parent);
  return {
    prompt: words,
    // Some gateways ask for them all the same.
    ...(words !== '' && { words }),
    motion,
    ...(loop !== undefined && { loop }),
    ...(words === '' && { title }),
    ...(spoiler === true && { spoiler }),
  };
}
