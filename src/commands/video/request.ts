import { z } from 'zod';
import type { Values } from '../../discord/options.ts';
import { fileNameIn } from '../../discord/target-message.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import { Mistakes } from '../../lib/mistakes.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { referenceLimits } from '../../services/gateway/reference-limits.ts';
import { webAddress } from '../../services/gateway/schemas.ts';
import type { GatewaySettings } from '../../services/gateway/settings.ts';
import { defineRequest, type KindSpecs, type TaskRequests } from '../../services/tasks/kind-spec.ts';
import type { Reference } from '../../services/tasks/materials.ts';
import type { OrderedRequest } from '../../services/tasks/transitions.ts';
import {
  emptyPromptRefusal,
  givenLinks,
  linksOption,
  modelOption,
  promptOption,
  type References,
  readFiles,
  readImages,
} from '../options.ts';
import { fields, readCamera, readDuration, readExtra, readSize, refuseReservedField } from './typed-options.ts';

/** The references stay in this order: images (for some models a first and a last frame), videos, audio files. */
const videoShape = defineRequest({
  prompt: z.string(),
  model: z.string(),
  size: z.string().optional(),
  duration: z.union([z.number(), z.string()]).optional(),
  aspectRatio: z.string().optional(),
  resolution: z.string().optional(),
  mode: z.string().optional(),
  metadata: fields.optional(),
  /** Extension fields, sent at the top level. */
  extra: fields.optional(),
  /** Options that this gateway has no name for. */
  notSent: z.array(z.string()).optional(),
});
const genericShape = videoShape.extend({ faceCheck: z.boolean().optional() });
/** This endpoint accepts seconds only as a number. */
const vendorShape = videoShape.extend({ duration: z.number().optional() });

export type VideoRequest = z.output<typeof videoShape>;

declare module '../../services/tasks/kind-spec.ts' {
  interface TaskRequests {
    video: z.output<typeof genericShape>;
    'second-video': VideoRequest;
    'image-to-video': z.output<typeof vendorShape>;
  }
}

const traits = { isPaid: true, isVisual: true, hasOwnPrompt: true, modelKind: 'video' } as const;
export const videoSpecs = {
  video: { request: genericShape.loose(), traits },
  'second-video': { request: videoShape.loose(), traits },
  'image-to-video': { request: vendorShape.loose(), traits },
} satisfies Partial<KindSpecs>;

/** The endpoints for videos: the generic task and `/v1/videos` (specification, 4.4), and the vendor path (4.2). */
export const endpoints = ['generic', 'image-to-video', 'videos'] as const;

const MAX_TEXT_LENGTH = 500;
const MAX_EXTRA_LENGTH = 3_000;
/** The largest seed that every gateway accepts. */
const MAX_SEED = 4_294_967_295;

/** Any medium; the content of the files tells them apart. */
const fileOption = { type: 'attachment', accept: ['image', 'video', 'audio'] } as const;
const shortText = { type: 'text', max: 30 } as const;

export const videoOptions = {
  prompt: promptOption,
  model: modelOption,
  image: fileOption,
  image2: fileOption,
  image3: fileOption,
  image4: fileOption,
  image5: fileOption,
  image6: fileOption,
  image7: fileOption,
  links: linksOption,
  size: shortText,
  duration: shortText,
  mode: { type: 'text', max: 100 },
  negative: { type: 'text', max: MAX_TEXT_LENGTH },
  seed: { type: 'number', isInteger: true, min: 0, max: MAX_SEED },
  camera: { type: 'text', max: MAX_TEXT_LENGTH },
  reference_video: linksOption,
  reference_audio: linksOption,
  face_check: { type: 'switch' },
  extra: { type: 'text', max: MAX_EXTRA_LENGTH },
} as const;

export type VideoValues = Partial<Values<typeof videoOptions>> & { prompt: string; endpoint?: string | undefined };

/** This gateway's names for fields that the specification leaves open. */
type VideoFields = Pick<GatewaySettings['fields'], 'referenceVideos' | 'referenceAudios' | 'faceCheck'>;

type VideoKind = keyof typeof videoSpecs;
type Request<K extends VideoKind> = Omit<TaskRequests[K], 'model'>;
export type VideoDraft = { [One in VideoKind]: { kind: One; request: Request<One> } }[VideoKind];

/** The endpoint, and the request without its model, which has to be looked up; or a refusal that follows from the options alone. */
export function videoRequest(values: VideoValues): VideoDraft | Refusal {
  try {
    return draftFrom(values);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function draftFrom(values: VideoValues): VideoDraft {
  throwIfRefusal(emptyPromptRefusal(values));
  switch (values.endpoint ?? 'generic') {
    case 'image-to-video':
      return { kind: 'image-to-video', request: vendorRequest(values) };
    case 'videos':
      return { kind: 'second-video', request: secondRequest(values) };
    case 'generic':
      return { kind: 'video', request: genericRequest(values) };
    default:
      throw new Refusal('refusals.unknownCommand');
  }
}

interface OrderFacts {
  model: string;
  fields: VideoFields;
  /** Videos made from images behind a spoiler are hidden behind one too. */
  spoiler?: VideoRequest['spoiler'];
  /** What settings replace and add. */
  preferred?: Pick<VideoRequest, 'prompt' | 'typed' | 'spoiler' | 'sources'>;
}

/** The complete request, including what depends on the model and the gateway. */
export function videoOrder(
  draft: VideoDraft,
  { model, fields, spoiler, preferred }: OrderFacts,
): OrderedRequest<VideoKind> {
  const orderFields = { model, ...(spoiler && { spoiler }), ...preferred };
  const { lastFrame } = referenceLimits(model);
  switch (draft.kind) {
    case 'video':
      return { kind: 'video', request: { ...withGatewayNames(draft.request, fields), ...orderFields } };
    case 'second-video':
      checkFrameCount(draft.request, lastFrame !== undefined);
      return { kind: 'second-video', request: { ...draft.request, ...orderFields } };
    case 'image-to-video':
      checkFrameCount(draft.request, lastFrame === 'image_tail');
      return { kind: 'image-to-video', request: { ...draft.request, ...orderFields } };
  }
}

/** Only some models accept a last frame on this endpoint. */
function checkFrameCount({ references = [] }: Pick<VideoRequest, 'references'>, readsLastFrame: boolean): void {
  const count = String(references.length);
  if (references.length > 1 && !readsLastFrame) throw new Refusal('refusals.endpointTakesOneImage', { count });
}

/** Refuses an `extra` that sets a field in which this gateway expects another option. */
function withGatewayNames({ faceCheck, ...request }: Request<'video'>, fields: VideoFields): Request<'video'> {
  const reservedFields = {
    ...(fields.referenceVideos !== undefined && { [fields.referenceVideos]: 'reference_video' }),
    [fields.referenceAudios]: 'reference_audio',
    ...(fields.faceCheck !== undefined && { [fields.faceCheck]: 'face_check' }),
  };
  for (const name of Object.keys(request.extra ?? {})) refuseReservedField(`!${name}`, reservedFields);
  if (faceCheck === undefined) return request;
  return { ...request, ...(fields.faceCheck === undefined ? { notSent: ['face_check'] } : { faceCheck }) };
}

function genericRequest(values: VideoValues): Request<'video'> {
  const files = throwIfRefusal(readFiles(values, { max: MAX_FILES, media: ['image', 'video', 'audio'] }));
  const attachedReferences = files.map((one): Reference => ({ ...one, medium: 'any', takes: 'address or data' }));
  const references = [
    ...attachedReferences,
    ...linkedReferences(values, 'video'),
    ...linkedReferences(values, 'audio'),
  ];
  return {
    ...commonFields(values),
    ...withReferences(references),
    ...withoutUndefined({ faceCheck: values.face_check }),
  };
}

function secondRequest(values: VideoValues): Request<'second-video'> {
  refuseOptions(values, ['reference_video', 'reference_audio', 'face_check']);
  const reservedFields = { seconds: 'duration', image_tail: 'image2' };
  return { ...commonFields(values, reservedFields), ...withReferences(frameReferences(values, 'address or data')) };
}

function vendorRequest(values: VideoValues): Request<'image-to-video'> {
  const unsupportedOptions = ['reference_video', 'reference_audio', 'face_check'] as const;
  refuseOptions(values, ['size', 'negative', 'seed', 'camera', 'extra', ...unsupportedOptions]);
  const references = frameReferences(values, 'address');
  if (references.length === 0) throw new Refusal('refusals.imageRequired');
  const { prompt, duration, mode } = baseFields(values);
  return {
    prompt,
    ...(duration !== undefined && { duration: Number(duration) }),
    ...(mode !== undefined && { mode }),
    references,
  };
}

function commonFields(values: VideoValues, reservedFields?: Readonly<Record<string, string>>): Request<'second-video'> {
  const mistakes = new Mistakes();
  const base = mistakes.collect({ prompt: '' }, () => baseFields(values));
  const size = mistakes.collect({}, () => readSize(values.size));
  const camera_control = mistakes.collect(undefined, () => readCamera(values.camera));
  const { metadata, topLevel } = mistakes.collect({ metadata: {}, topLevel: {} }, () =>
    readExtra(values.extra, reservedFields),
  );
  mistakes.throwIfAny();
  const { negative, seed } = values;
  const metadataFields = {
    ...withoutUndefined({ negative_prompt: negative?.trim() || undefined, seed, camera_control }),
    ...metadata,
  };
  return {
    ...base,
    ...size,
    ...(Object.keys(metadataFields).length > 0 && { metadata: metadataFields }),
    ...(Object.keys(topLevel).length > 0 && { extra: topLevel }),
  };
}

const baseFields = ({ prompt, duration, mode }: VideoValues) => ({
  prompt: prompt.trim(),
  ...withoutUndefined({ duration: readDuration(duration), mode: mode?.trim() || undefined }),
});

/** The first frame, and an optional last one. */
function frameReferences(values: References, takes: Reference['takes']): Reference[] {
  const images = imagesOf(values, takes);
  if (images.length > 2) throw new Refusal('refusals.endpointTakesTwoImages', { count: String(images.length) });
  return images;
}

const withReferences = (references: Reference[]): { references?: Reference[] } =>
  references.length > 0 ? { references } : {};

function refuseOptions(values: VideoValues, options: readonly (keyof VideoValues)[]): void {
  const option = options.find((one) => values[one] !== undefined && values[one] !== '');
  if (option !== undefined) throw new Refusal('refusals.optionNotSupported', { option });
}

/** The most references of one request, because each is fetched before it is sent. Models accept fewer; Discord allows seven files in addition to the links. */
const MAX_FILES = 20;

const imagesOf = (values: References, takes: Reference['takes']): Reference[] =>
  throwIfRefusal(readImages(values, MAX_FILES)).map((one) => ({ ...one, medium: 'image', takes }));

function linkedReferences(values: VideoValues, medium: 'video' | 'audio'): Reference[] {
  const option = `reference_${medium}` as const;
  const urls = givenLinks({ links: values[option] });
  if (urls.length > MAX_FILES) throw new Refusal('refusals.tooManyUrls', { option, max: String(MAX_FILES) });
  return urls.map((address) => {
    if (!webAddress.safeParse(address).success)
      throw new Refusal('refusals.urlInvalid', { option, link: address.slice(0, MAX_SHOWN_LINK_LENGTH) });
    return { address, name: fileNameIn(address).slice(0, MAX_SHOWN_LINK_LENGTH), medium, takes: 'address' };
  });
}

const MAX_SHOWN_LINK_LENGTH = 100;
