import type { FollowUp } from './custom-ids.ts';
import {
  describePlan,
  gridResult,
  hasAspect,
  imaginePlan,
  makeFour,
  type Plan,
  SINGLE_SIDE,
  sceneAt,
  singleImageResult,
  VIDEO_SECONDS,
  videoResults,
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
export function needsInput(followUp: FollowUp, isRemixOn: boolean): boolean {
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
      return isRemixOn;
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
  const commonFields = { prompt, referencesFrom: parent.id, units: 4 };
  const first = sceneAt(task, 1);
  const outpaint = (action: 'ZOOM' | 'PAN' | 'CUSTOM_ZOOM', view: Scene, viewAspect = aspect): Plan => ({
    ...commonFields,
    kind: action === 'PAN' ? 'pan' : 'zoom',
    action,
    // The first result is the original scene seen from further away; the other three vary it.
    ...gridResult(
      makeFour((index) => (index === 0 ? view : relative(view, seed + index, 'subtle'))),
      viewAspect,
    ),
  });
  const variations = (scene: Scene, strength: 'subtle' | 'strong'): Plan => ({
    ...commonFields,
    kind: 'vary',
    action: 'VARIATION',
    ...gridResult(
      makeFour((index) => (isPromptChanged ? sceneOf(prompt, seed + index) : relative(scene, seed + index, strength))),
      aspect,
    ),
  });
  switch (followUp.do) {
    case 'upscale':
      return {
        ...commonFields,
        kind: 'upscale',
        action: 'UPSCALE',
        ...singleImageResult(sceneAt(task, followUp.index), aspect),
        units: 1,
      };
    case 'upscale-more': {
      const scene = followUp.manner === 'subtle' ? first : relative(first, seed, 'subtle');
      return {
        ...commonFields,
        kind: 'upscale',
        action: 'UPSCALE',
        ...singleImageResult(scene, aspect, SINGLE_SIDE * 2),
        units: 1,
      };
    }
    case 'variation':
      return variations(sceneAt(task, followUp.index), 'subtle');
    case 'vary':
      return variations(first, followUp.strength);
    case 'reroll':
      return {
        ...commonFields,
        kind: 'reroll',
        action: 'REROLL',
        ...gridResult(
          makeFour((index) => sceneOf(prompt, seed + index)),
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
      return inpaintPlan(parent, commonFields, seed, modalInput);
    case 'read-image':
    case 'analyzed':
      return imaginePlan(prompt, seed);
    case 'read-all': {
      const lines = task.lines ?? [];
      const scenes = makeFour((index) => sceneOf(lines[index] ?? '', seed + index));
      return {
        ...commonFields,
        prompt: lines.join('\n'),
        kind: 'imagine',
        action: 'IMAGINE',
        ...gridResult(scenes, 1),
      };
    }
    case 'describe-again':
      return { ...describePlan([]), referencesFrom: parent.id };
    case 'animate':
      return {
        ...commonFields,
        kind: 'imgx-video',
        action: 'VIDEO',
        ...videoResults([first], aspect, 640, VIDEO_SECONDS),
        units: 8,
      };
    case 'extend': {
      const scene = sceneAt(task, followUp.index);
      const extendedSeconds = secondsOf(task) + 4;
      return {
        ...commonFields,
        kind: 'imgx-video',
        action: 'VIDEO',
        ...videoResults([scene], aspect, 640, extendedSeconds),
        units: 8,
      };
    }
    case 'upscale-video': {
      const seconds = secondsOf(task);
      return {
        ...commonFields,
        kind: 'upscale',
        action: 'UPSCALE',
        ...videoResults([sceneAt(task, followUp.index)], aspect, 1_280, seconds),
      };
    }
  }
}

function inpaintPlan(
  parent: ImgxJob,
  commonFields: Pick<Plan, 'prompt' | 'referencesFrom' | 'units'>,
  seed: number,
  modalInput?: ModalInput,
): Plan {
  const { aspect, scenes } = parent.details;
  const originalScene = scenes[0] ?? sceneOf(parent.prompt, seed);
  const editedScene =
    commonFields.prompt === parent.prompt
      ? relative(originalScene, seed, 'strong')
      : sceneOf(commonFields.prompt, seed);
  const original = singleImageResult(originalScene, aspect);
  const [result] = original.results;
  if (!modalInput?.mask || result?.recipe.make !== 'image') {
    return { ...commonFields, kind: 'inpaint', action: 'INPAINT', ...singleImageResult(editedScene, aspect) };
  }
  const { width, height } = result.recipe;
  const recipe = { make: 'edit', before: originalScene, after: editedScene, width, height } as const;
  return {
    ...commonFields,
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
