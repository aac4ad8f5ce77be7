import { Refusal } from '../../lib/refusal.ts';
import type { Reference } from '../../services/tasks/materials.ts';
import type { Order } from '../../services/tasks/transitions.ts';
import { extraIn } from './extra.ts';
import { type FilmReferences, filmsAndSounds, picturesFor } from './references.ts';
import { cameraWish, durationWish, sizeWish } from './wishes.ts';

/** The ways to a film: the generic task and `/v1/videos` (specification, 4.4), and the vendor path (4.2). */
export const endpoints = ['generic', 'image-to-video', 'videos'] as const;

export interface FilmValues extends FilmReferences {
  prompt: string;
  size?: string | undefined;
  duration?: string | undefined;
  mode?: string | undefined;
  negative?: string | undefined;
  seed?: number | undefined;
  camera?: string | undefined;
  face_check?: boolean | undefined;
  extra?: string | undefined;
  endpoint?: string | undefined;
}

/** How this gateway spells what the specification leaves open. */
export interface FilmFields {
  referenceVideos: string;
  referenceAudios: string;
  /** Without a name it is not sent. */
  faceCheck?: string | undefined;
}

/** What is to be known of films before they are ordered. */
export interface Films {
  fields: FilmFields;
  /** Where the length of reference films can be known, they may not be too long together. */
  refuseTooLong(request: Order['request'], memberId: string): Promise<void>;
}

/** What the gateway is asked for. Whatever of it makes no sense, or has no place at the endpoint, is a refusal that says so. */
export function filmOrder(values: FilmValues, model: string, fields?: FilmFields): Pick<Order, 'kind' | 'request'> {
  if (!/[^\s\p{Cf}]/u.test(values.prompt)) throw new Refusal('refusals.optionPromptEmpty');
  switch (values.endpoint ?? 'generic') {
    case 'image-to-video':
      return { kind: 'image-to-video', request: vendorRequest(values, model) };
    case 'videos':
      return { kind: 'second-video', request: secondRequest(values, model) };
    case 'generic':
      return { kind: 'video', request: genericRequest(values, model, fields) };
    default:
      throw new Refusal('refusals.unknownCommand');
  }
}

/** Why it cannot be ordered like this, as far as that can be told without looking elsewhere. */
export function objectionTo(values: FilmValues): Refusal | undefined {
  try {
    filmOrder(values, '');
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function genericRequest(values: FilmValues, model: string, fields?: FilmFields): Order['request'] {
  const { face_check } = values;
  const { faceCheck } = fields ?? {};
  const taken = {
    ...(fields && { [fields.referenceVideos]: 'reference_video', [fields.referenceAudios]: 'reference_audio' }),
    ...(faceCheck !== undefined && { [faceCheck]: 'face_check' }),
  };
  const references = [...picturesFor(values, 'address or data'), ...filmsAndSounds(values)];
  return {
    ...common(values, model, taken),
    ...withReferences(references),
    ...(face_check !== undefined &&
      (faceCheck === undefined ? { notSent: ['face_check'] } : { faceCheck: face_check })),
  };
}

function secondRequest(values: FilmValues, model: string): Order['request'] {
  refuseOthers(values, ['reference_video', 'reference_audio', 'face_check']);
  const taken = { seconds: 'duration' };
  return { ...common(values, model, taken), ...withReferences(onePicture(values, 'address or data')) };
}

function vendorRequest(values: FilmValues, model: string): Order['request'] {
  refuseOthers(values, ['size', 'negative', 'seed', 'camera', 'extra']);
  refuseOthers(values, ['reference_video', 'reference_audio', 'face_check']);
  const pictures = onePicture(values, 'address');
  if (pictures.length === 0) throw new Refusal('refusals.filmNeedsPicture');
  const { prompt, duration, mode } = base(values, model);
  return {
    ...{ prompt, model },
    // Here seconds are a number, and nothing else.
    ...(duration !== undefined && { duration: Number(duration) }),
    ...(mode !== undefined && { mode }),
    ...withReferences(pictures),
  };
}

function common(values: FilmValues, model: string, taken: Readonly<Record<string, string>>): Order['request'] {
  const { negative, seed } = values;
  const camera = cameraWish(values.camera);
  const { metadata, topLevel } = extraIn(values.extra, taken);
  const told = {
    ...(negative !== undefined && negative.trim() !== '' && { negative_prompt: negative.trim() }),
    ...(seed !== undefined && { seed }),
    ...(camera !== undefined && { camera_control: camera }),
    ...metadata,
  };
  return {
    ...base(values, model),
    ...sizeWish(values.size),
    ...(Object.keys(told).length > 0 && { metadata: told }),
    ...(Object.keys(topLevel).length > 0 && { extra: topLevel }),
  };
}

function base({ prompt, ...values }: FilmValues, model: string) {
  const duration = durationWish(values.duration);
  const mode = values.mode?.trim();
  return {
    ...{ prompt: prompt.trim(), model },
    ...(duration !== undefined && { duration }),
    ...(mode !== undefined && mode !== '' && { mode }),
  };
}

function onePicture(values: FilmValues, takes: Reference['takes']): Reference[] {
  const pictures = picturesFor(values, takes);
  if (pictures.length > 1) throw new Refusal('refusals.filmTakesOne', { count: String(pictures.length) });
  return pictures;
}

const withReferences = (references: Reference[]): { references?: Reference[] } =>
  references.length > 0 ? { references } : {};

function refuseOthers(values: FilmValues, options: readonly (keyof FilmValues)[]): void {
  const option = options.find((one) => values[one] !== undefined && values[one] !== '');
  if (option !== undefined) throw new Refusal('refusals.filmOptionElsewhere', { option });
}
