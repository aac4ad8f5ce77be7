/** Models that only read text, from the vendors' documentation. Of other models, references are assumed to work. */
const TEXT_ONLY =
  /dall-?e-?3|imagen|t2i|text2img|text-to-image|sdxl|stable-?diffusion|flux-?1?[.-]?1?-?(?:dev|schnell|pro)\b|recraft|seedream-?3|cogview|hidream|nova-canvas|t2v|text-?(?:to|2)-?video/;
/** Models of the image-prompt family (`/imagine`), which no other endpoint accepts. */
const PROMPT_FAMILY = /(?:^|[/:_-])(?:imgx|mj|midjourney|niji)(?![a-z])/;

export const isOfPromptFamily = (modelId: string): boolean => PROMPT_FAMILY.test(modelId.toLowerCase());

export const takesReferenceImages = (modelId: string): boolean =>
  !TEXT_ONLY.test(modelId.toLowerCase()) && !isOfPromptFamily(modelId);

/** How many references the models of a family usually accept. The gateway and the model decide; these limits only cause warnings. */
export interface ReferenceLimits {
  images: number;
  videos: number;
  /** The limit for all reference videos together. */
  videoSeconds: number;
  audioFiles: number;
  /** How endpoints for a single image accept a last frame: in a separate field, or as the second item of a list. */
  lastFrame?: 'image_tail' | 'images';
}

/** The specification (4.4, part 8) gives the limits for images and videos, for "some models". It gives none for audio; 3 is an assumption. */
const DEFAULT_LIMITS: ReferenceLimits = { images: 7, videos: 3, videoSeconds: 15, audioFiles: 3 };

/** The limits of each family of model ids, from the vendors' documentation. */
const FAMILIES: readonly (readonly [RegExp, Partial<ReferenceLimits>])[] = [
  [/kling/, { images: 4, lastFrame: 'image_tail' }],
  [/sora/, { images: 1 }],
  [/veo\b|veo-?\d/, { images: 3, lastFrame: 'images' }],
  [/vidu/, { images: 7, lastFrame: 'images' }],
  [/seedance/, { images: 9, lastFrame: 'images' }],
  [/hailuo|minimax/, { images: 2, lastFrame: 'images' }],
  [/pixverse|luma|(?:^|[/:-])ray-?\d/, { images: 2, lastFrame: 'images' }],
];

export function referenceLimits(modelId: string): ReferenceLimits {
  const id = modelId.toLowerCase();
  return { ...DEFAULT_LIMITS, ...FAMILIES.find(([pattern]) => pattern.test(id))?.[1] };
}
