import { type ActionFamily, meaningOfAction, meaningOfChange } from '../../services/tasks/actions.ts';
import { hasResult } from '../../services/tasks/follow-ups.ts';
import type { GivenPicture } from '../../services/tasks/materials.ts';
import type { Task } from '../../services/tasks/task.ts';
import { about, type FollowUp } from './follow-ups.ts';
import type { Motion } from './request.ts';

/** The gateway's own door to films of the image-prompt family. Like a button, it may be refused. */
export const FILM_DOOR = 'submit/video';

/** What can be made through it: a film of one picture, or a longer one of one film. */
export function filmOf(task: Task): 'animate' | 'extend' | undefined {
  if (!hasResult(task) || task.remoteId === undefined) return undefined;
  const { media } = task;
  const family = familyOf(task);
  if (family === 'animate' || family === 'extend')
    return media.length > 0 && media.every((medium) => medium.kind === 'video') ? 'extend' : undefined;
  const isEnlarged = family === 'upscale' || family === 'upscale-more';
  return isEnlarged && media.length === 1 && media[0]?.kind === 'image' ? 'animate' : undefined;
}

function familyOf(task: Task): ActionFamily | undefined {
  switch (task.kind) {
    case 'action':
      return meaningOfAction(task.request.customId).family;
    case 'change':
      return meaningOfChange(task.request).family;
    case 'animate':
      return 'animate';
    default:
      return undefined;
  }
}

interface FilmWishes {
  words: string;
  motion: Motion;
  loop?: boolean | undefined;
}

export function animationOf(parent: Task, wishes: FilmWishes, pictures: GivenPicture[]): FollowUp<'animate'> {
  return { kind: 'animate', parent, request: { ...wanted(parent, wishes), pictures } };
}

/** Which of the films is counted from 1. */
export function extensionOf(parent: Task, wishes: FilmWishes, index: number): FollowUp<'animate'> {
  const { of: taskId } = about(parent);
  return { kind: 'animate', parent, request: { ...wanted(parent, wishes), extend: { taskId, index } } };
}

function wanted(parent: Task, { words, motion, loop }: FilmWishes) {
  const { prompt, title = prompt, spoiler } = about(parent);
  return {
    prompt: words,
    // Some gateways ask for them all the same.
    ...(words !== '' && { words }),
    motion,
    ...(loop !== undefined && { loop }),
    ...(words === '' && { title }),
    ...(spoiler && { spoiler }),
  };
}
