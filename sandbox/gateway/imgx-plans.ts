import type { JobKind } from './job.ts';
import type { Four, ImgxAction, ImgxDetails, Result, ResultKind, Source } from './job-details.ts';
import { aspectOf, type Scene, sceneOf, shortenPrompt, sizeOf } from './studio/index.ts';

const GRID_SIDE = 1_536;
export const SINGLE_SIDE = 1_024;
export const VIDEO_SECONDS = 5;
const VIDEO_SIDE = { 480: 640, 720: 1_280 } as const;

/** What an image task will generate, before the task has an id and a price. */
export interface Plan {
  readonly kind: JobKind;
  readonly action: ImgxAction;
  readonly yields: ResultKind;
  readonly prompt: string;
  readonly scenes: readonly Scene[];
  readonly aspect: number;
  readonly results: readonly Result[];
  /** The cost in quarters of a grid. */
  readonly units: number;
  readonly sources?: readonly Source[];
  readonly referencesFrom?: string;
  readonly lines?: readonly string[];
  readonly mask?: Buffer;
}

/** Flags such as `--ar` are part of the prompt (specification, 4.3). */
export const hasAspect = (prompt: string) => /(?:--|—)(?:ar|aspect)\b/i.test(prompt);

/** URLs at the start of a prompt are reference images. */
export function splitPrompt(prompt: string): { urls: readonly string[]; text: string } {
  const urls = /^\s*(?:https?:\/\/\S+\s+)*/i.exec(prompt)?.[0] ?? '';
  return {
    urls: urls.split(/\s+/).filter((url) => URL.canParse(url)),
    text: prompt.slice(urls.length),
  };
}

/** The seed in a flag such as `--seed 42`. */
export function seedIn(prompt: string): number | undefined {
  const digits = /(?:--|—)seed[\s=]+(\d{1,10})/i.exec(prompt)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export const makeFour = <Item>(make: (index: number) => Item): Four<Item> => [make(0), make(1), make(2), make(3)];

export function gridResult(
  scenes: Four<Scene>,
  aspect: number,
): Pick<Plan, 'yields' | 'scenes' | 'aspect' | 'results'> {
  const recipe = { make: 'grid', scenes, ...sizeOf(aspect, GRID_SIDE) } as const;
  return { yields: 'grid', scenes, aspect, results: [{ name: '1.png', recipe }] };
}

export function singleImageResult(
  scene: Scene,
  aspect: number,
  longSide = SINGLE_SIDE,
): Pick<Plan, 'yields' | 'scenes' | 'aspect' | 'results'> {
  const recipe = { make: 'image', scene, ...sizeOf(aspect, longSide), format: 'png' } as const;
  return { yields: 'single', scenes: [scene], aspect, results: [{ name: '1.png', recipe }] };
}

export function videoResults(
  scenes: readonly Scene[],
  aspect: number,
  longSide: number,
  seconds: number,
): Pick<Plan, 'yields' | 'scenes' | 'aspect' | 'results'> {
  const results = scenes.map((scene, index) => ({
    name: `${index + 1}.mp4`,
    recipe: { make: 'video', scene, ...sizeOf(aspect, longSide), seconds } as const,
  }));
  return { yields: 'video', scenes, aspect, results };
}

export function imaginePlan(prompt: string, seed: number, sources: readonly Source[] = []): Plan {
  const { text } = splitPrompt(prompt);
  return {
    kind: 'imagine',
    action: 'IMAGINE',
    prompt,
    ...gridResult(
      makeFour((index) => sceneOf(text, seed + index)),
      aspectOf(prompt),
    ),
    units: 4,
    sources,
  };
}

const ASPECTS = { PORTRAIT: 2 / 3, SQUARE: 1, LANDSCAPE: 3 / 2 } as const;
export type Dimensions = keyof typeof ASPECTS;

export function blendPlan(sources: readonly Source[], dimensions: Dimensions, seed: number): Plan {
  const scenes = makeFour((index) => sceneOf(`blend of ${sources.length} images ${seed}`, seed + index));
  return { kind: 'blend', action: 'BLEND', prompt: '', ...gridResult(scenes, ASPECTS[dimensions]), units: 4, sources };
}

export function describePlan(sources: readonly Source[]): Plan {
  return { ...textResult('lines'), kind: 'describe', action: 'DESCRIBE', prompt: '', units: 1, sources };
}

export function shortenPlan(prompt: string): Plan {
  const { drafts } = shortenPrompt(prompt);
  const lines = drafts.length > 0 ? drafts.slice(0, 5) : [prompt];
  return { ...textResult('drafts'), kind: 'shorten', action: 'SHORTEN', prompt, units: 1, lines };
}

export function editsPlan(prompt: string, image: Source, seed: number): Plan {
  const scenes = makeFour((index) => sceneOf(prompt, seed + index));
  return {
    kind: 'edits',
    action: 'EDITS',
    prompt,
    ...gridResult(scenes, aspectOf(prompt)),
    units: 4,
    sources: [image],
  };
}

export interface VideoRequest {
  readonly prompt: string;
  readonly height: 480 | 720;
  readonly count: number;
}

export function videoPlan({ prompt, height, count }: VideoRequest, seed: number, sources: readonly Source[]): Plan {
  const scenes = Array.from({ length: count }, (_, index) => sceneOf(prompt, seed + index));
  const aspect = hasAspect(prompt) ? aspectOf(prompt) : 16 / 9;
  return {
    kind: 'imgx-video',
    action: 'VIDEO',
    prompt,
    ...videoResults(scenes, aspect, VIDEO_SIDE[height], VIDEO_SECONDS),
    units: 8 * count,
    sources,
  };
}

/** The scene at an index from 1 to 4; a single image has only one scene. */
export const sceneAt = (task: ImgxDetails, index: number): Scene =>
  task.scenes[index - 1] ?? task.scenes[0] ?? sceneOf('', 0);

const textResult = (yields: 'lines' | 'drafts') => ({ yields, scenes: [], aspect: 1, results: [] }) as const;
