import { z } from 'zod';
import { isRecord } from '../is-record.ts';
import type { Source } from '../job-details.ts';
import { integerOrTextSeconds, listOf, nonEmptyText, pixelSize, seconds, seed, source } from './fields.ts';

const MAX_IMAGES = 7;
const MAX_VIDEOS = 3;

/** The field names for reference videos and audio. */
const videoNames = [
  'reference_video_urls',
  'video_urls',
  'videos',
  'reference_videos',
  'referenceVideos',
  'extra_videos',
  'video_url',
] as const;
const audioNames = [
  'reference_audio_urls',
  'audio_urls',
  'audios',
  'reference_audios',
  'referenceAudios',
  'extra_audios',
  'audio_url',
] as const;

const references = listOf(source).optional();
const referenceFields = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, references])) as Record<Name, typeof references>;

const metadata = z
  .union([z.record(z.string(), z.unknown()), z.string().transform((text, context) => parseMetadata(text, context))])
  .optional();

const knownFields = {
  model: nonEmptyText,
  prompt: nonEmptyText,
  mode: z.string().min(1).optional(),
  size: pixelSize.optional(),
  duration: integerOrTextSeconds.optional(),
  seconds: integerOrTextSeconds.optional(),
  image: source.optional(),
  images: z.array(source).max(MAX_IMAGES, `must have at most ${MAX_IMAGES} items`).optional(),
  input_reference: source.optional(),
  metadata,
  ...referenceFields(videoNames),
  ...referenceFields(audioNames),
};

export interface VideoRequest {
  readonly model: string;
  readonly prompt: string;
  readonly mode: string | undefined;
  readonly size: { width: number; height: number } | undefined;
  readonly seconds: number | undefined;
  readonly aspect: number | undefined;
  readonly shortSide: number | undefined;
  readonly seed: number | undefined;
  readonly sources: readonly Source[];
  readonly metadata: Record<string, unknown>;
}

/** An unknown top-level field is merged into `metadata`, where an explicit key wins (specification, 4.4). */
export const videoRequest = z
  .looseObject(knownFields)
  .superRefine((body, context) => {
    for (const name of videoNames) {
      if ((body[name]?.length ?? 0) <= MAX_VIDEOS) continue;
      context.addIssue({ code: 'custom', path: [name], message: `must have at most ${MAX_VIDEOS} items` });
    }
  })
  .transform((body, context): VideoRequest => {
    const extensions = Object.entries(body).filter(([name]) => !Object.hasOwn(knownFields, name));
    const mergedMetadata = { ...Object.fromEntries(extensions), ...body.metadata };
    const parsedMetadata = effectiveMetadata.safeParse(mergedMetadata);
    for (const issue of parsedMetadata.error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...issue.path], message: issue.message });
    const metadataFields = parsedMetadata.data ?? {};
    const [width, height] = [metadataFields.width, metadataFields.height];
    return {
      model: body.model,
      prompt: body.prompt,
      mode: body.mode ?? metadataFields.mode,
      size:
        body.size ??
        metadataFields.size ??
        (width && height ? { width, height } : undefined) ??
        sizeOfResolution(metadataFields.resolution),
      seconds: body.duration ?? body.seconds ?? metadataFields.duration ?? metadataFields.seconds,
      aspect: metadataFields.aspect_ratio,
      shortSide: typeof metadataFields.resolution === 'number' ? metadataFields.resolution : undefined,
      seed: metadataFields.seed,
      sources: [body.image, body.input_reference, ...(body.images ?? []), metadataFields.image_tail].filter(
        (one) => one !== undefined,
      ),
      metadata: mergedMetadata,
    };
  });

const sideLength = z.coerce.number().int('must be a whole number').min(16).max(8_192);

/** The known fields, which take effect at the top level and in `metadata`; fields that only the vendor knows are passed on unchanged. */
const effectiveMetadata = z.object({
  duration: seconds.optional(),
  seconds: seconds.optional(),
  size: pixelSize.optional(),
  width: sideLength.optional(),
  height: sideLength.optional(),
  aspect_ratio: z
    .string()
    .regex(/^\d{1,4}(\.\d+)?[:/x]\d{1,4}(\.\d+)?$/, 'must have the form <width>:<height>')
    .transform((text) => {
      const [width = 1, height = 1] = text.split(/[:/x]/).map(Number);
      return width / height;
    })
    .refine((aspect) => aspect >= 1 / 8 && aspect <= 8, 'must be from 1:8 to 8:1')
    .optional(),
  resolution: z
    .union([
      pixelSize,
      z
        .string()
        .regex(/^\d{3,4}[pP]$/, 'must have the form 720p or <width>x<height>')
        .transform((text) => Number.parseInt(text, 10)),
    ])
    .optional(),
  seed: seed.optional(),
  mode: z.string().optional(),
  image_tail: source.optional(),
});

const sizeOfResolution = (resolution: { width: number; height: number } | number | undefined) =>
  typeof resolution === 'object' ? resolution : undefined;

function parseMetadata(text: string, context: z.RefinementCtx): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (error) {
    context.addIssue(`is not JSON: ${error instanceof Error ? error.message : error}`);
    return z.NEVER;
  }
  context.addIssue('must be an object');
  return z.NEVER;
}

/** A request at the vendor path (specification, 4.2), which also accepts the vendor's own field names. */
export const imageToVideoRequest = z.preprocess((body) => {
  if (!isRecord(body)) return body;
  const { model_name, duration, ...rest } = body;
  // At this path, the duration is any number.
  return { ...rest, model: rest.model ?? model_name, ...(duration !== undefined && { duration: String(duration) }) };
}, videoRequest);
