import type { FollowUp } from './custom-ids.ts';
import {
  describe,
  fourOf,
  grid,
  hasAspect,
  imagine,
  type Plan,
  SINGLE_SIDE,
  sceneAt,
  single,
  VIDEO_SECONDS,
  videos,
} from './imgx-plans.ts';
import type { Job } from './job.ts';
import type { ImgxDetails } from './job-details.ts';
import { aspectOf, panned, relative, type Scene, sceneOf, zoomedOut } from './studio/index.ts';

export type ImgxJob = Job & { readonly details: ImgxDetails };
export const isImgx = (job: Job): job is ImgxJob => job.details.family === 'imgx';

/** The input of the modal that a follow-up opened. */
export interface ModalInput {
  readonly prompt: string;
  readonly mask?: Buffer;
}

/** Some follow-ups always require a prompt, others only while remix is on. */
export function needsInput(followUp: FollowUp, remix: boolean): boolean {
  switch (followUp.do) {
    case 'custom-zoom':
    case 'inpaint':
    case 'read-image':
    case 'analyzed':
    case 'extend':
      return true;
    case 'variation':
    case 'vary':
    case 'reroll':
    case 'pan':
    case 'animate':
      return remix;
    default:
      return false;
  }
}

/** The initial prompt of the modal. */
export function initialModalPrompt(parent: ImgxJob, followUp: FollowUp): string {
  switch (followUp.do) {
    case 'read-image':
    case 'analyzed':
      return parent.details.lines?.[followUp.line - 1] ?? parent.prompt;
    case 'custom-zoom':
      return `${parent.prompt} --zoom 2`.trim();
    default:
      return parent.prompt;
  }
}

export function planFollowUp(parent: ImgxJob, followUp: FollowUp, seed: number, modalInput?: ModalInput): Plan {
  const task = parent.details;
  const prompt = modalInput?.prompt ?? parent.prompt;
  const isPromptChanged = prompt !== parent.prompt;
  const aspect = hasAspect(prompt) ? aspectOf(prompt) : task.aspect;
  const shared = { prompt, referencesFrom: parent.id, units: 4 };
  const first = sceneAt(task, 1);
  const outpaint = (action: 'ZOOM' | 'PAN' | 'CUSTOM_ZOOM', view: Scene, shape = aspect): Plan => ({
    ...shared,
    kind: action === 'PAN' ? 'pan' : 'zoom',
    action,
    // The first result is the original scene seen from further away; the other three vary it.
    ...grid(
      fourOf((at) => (at === 0 ? view : relative(view, seed + at, 'subtle'))),
      shape,
    ),
  });
  const variations = (scene: Scene, strength: 'subtle' | 'strong'): Plan => ({
    ...shared,
    kind: 'vary',
    action: 'VARIATION',
    ...grid(
      fourOf((at) => (isPromptChanged ? sceneOf(prompt, seed + at) : relative(scene, seed + at, strength))),
      aspect,
    ),
  });
  switch (followUp.do) {
    case 'upscale':
      return {
        ...shared,
        kind: 'upscale',
        action: 'UPSCALE',
        ...single(sceneAt(task, followUp.index), aspect),
        units: 1,
      };
    case 'upscale-more': {
      const scene = followUp.manner === 'subtle' ? first : relative(first, seed, 'subtle');
      return { ...shared, kind: 'upscale', action: 'UPSCALE', ...single(scene, aspect, SINGLE_SIDE * 2), units: 2 };
    }
    case 'variation':
      return variations(sceneAt(task, followUp.index), 'subtle');
    case 'vary':
      return variations(first, followUp.strength);
    case 'reroll':
      return {
        ...shared,
        kind: 'reroll',
        action: 'REROLL',
        ...grid(
          fourOf((at) => sceneOf(prompt, seed + at)),
          aspect,
        ),
      };
    case 'pan':
      return outpaint('PAN', panned(first, followUp.direction));
    case 'zoom':
      return outpaint('ZOOM', zoomedOut(first, followUp.factor));
    case 'square':
      return outpaint('ZOOM', first, 1);
    case 'custom-zoom':
      return outpaint('CUSTOM_ZOOM', zoomedOut(first, zoomFactorIn(prompt)));
    case 'inpaint':
      return inpaintPlan(parent, shared, seed, modalInput);
    case 'read-image':
    case 'analyzed':
      return imagine(prompt, seed);
    case 'read-all': {
      const lines = task.lines ?? [];
      const scenes = fourOf((at) => sceneOf(lines[at] ?? '', seed + at));
      return { ...shared, prompt: lines.join('\n'), kind: 'imagine', action: 'IMAGINE', ...grid(scenes, 1) };
    }
    case 'describe-again':
      return { ...describe([]), referencesFrom: parent.id };
    case 'animate':
      return {
        ...shared,
        kind: 'imgx-video',
        action: 'VIDEO',
        ...videos([first], aspect, 640, VIDEO_SECONDS),
        units: 8,
      };
    case 'extend': {
      const scene = sceneAt(task, followUp.index);
      const longer = secondsOf(task) + 4;
      return { ...shared, kind: 'imgx-video', action: 'VIDEO', ...videos([scene], aspect, 640, longer), units: 8 };
    }
    case 'upscale-video': {
      const seconds = secondsOf(task);
      return {
        ...shared,
        kind: 'upscale',
        action: 'UPSCALE',
        ...videos([sceneAt(task, followUp.index)], aspect, 1_280, seconds),
      };
    }
  }
}

function inpaintPlan(
  parent: ImgxJob,
  shared: Pick<Plan, 'prompt' | 'referencesFrom' | 'units'>,
  seed: number,
  modalInput?: ModalInput,
): Plan {
  const { aspect, scenes } = parent.details;
  const before = scenes[0] ?? sceneOf(parent.prompt, seed);
  const after = shared.prompt === parent.prompt ? relative(before, seed, 'strong') : sceneOf(shared.prompt, seed);
  const original = single(before, aspect);
  const [result] = original.results;
  if (!modalInput?.mask || result?.recipe.make !== 'image') {
    return { ...shared, kind: 'inpaint', action: 'INPAINT', ...single(after, aspect) };
  }
  const { width, height } = result.recipe;
  const recipe = { make: 'edit', before, after, width, height } as const;
  return {
    ...shared,
    kind: 'inpaint',
    action: 'INPAINT',
    ...original,
    results: [{ name: '1.png', recipe }],
    mask: modalInput.mask,
  };
}

const zoomFactorIn = (prompt: string) =>
  Math.min(2, Math.max(1, Number(/(?:--|—)zoom[\s=]+(\d(?:\.\d+)?)/i.exec(prompt)?.[1] ?? 2)));

function secondsOf(task: ImgxDetails): number {
  const recipe = task.results[0]?.recipe;
  return recipe?.make === 'video' ? recipe.seconds : VIDEO_SECONDS;
}
