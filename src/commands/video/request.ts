import { z } from 'zod';
import { nameIn } from '../../discord/target.ts';
import { Refusal } from '../../lib/refusal.ts';
import { webAddress } from '../../services/gateway/schemas.ts';
import type { Reference } from '../../services/tasks/materials.ts';
import { type KindSpec, requestShape, type TaskRequests } from '../../services/tasks/task.ts';
import type { OrderedOf } from '../../services/tasks/transitions.ts';
import { emptyPrompt } from '../prompt-option.ts';
import { linksIn, picturesIn, type References, unfitReference } from '../reference-options.ts';
import { extraIn, type Fields, fields, objectIn } from './extra.ts';

/** Its references are in their order: pictures (a first and a last frame where the model reads them so), films, sounds. */
const filmShape = requestShape({
  prompt: z.string(),
  model: z.string(),
  size: z.string().optional(),
  duration: z.union([z.number(), z.string()]).optional(),
  aspectRatio: z.string().optional(),
  resolution: z.string().optional(),
  mode: z.string().optional(),
  metadata: fields.optional(),
  /** Extension fields, at the top level. */
  extra: fields.optional(),
  /** Options that this gateway has no name for. */
  notSent: z.array(z.string()).optional(),
});
const genericShape = filmShape.extend({ faceCheck: z.boolean().optional() });
/** Here seconds are a number, and nothing else. */
const vendorShape = filmShape.extend({ duration: z.number().optional() });

export type FilmRequest = z.output<typeof filmShape>;
type VendorRequest = z.output<typeof vendorShape>;

declare module '../../services/tasks/task.ts' {
  interface TaskRequests {
    video: z.output<typeof genericShape>;
    'second-video': FilmRequest;
    'image-to-video': VendorRequest;
  }
}

const traits = { isPaid: true, hasOwnWords: true };
const generic: KindSpec<'video'> = { request: genericShape.loose(), traits };
const second: KindSpec<'second-video'> = { request: filmShape.loose(), traits };
const vendor: KindSpec<'image-to-video'> = { request: vendorShape.loose(), traits };
export const videoSpecs = { video: generic, 'second-video': second, 'image-to-video': vendor };

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
  refuseTooLong(request: FilmRequest, memberId: string): Promise<void>;
}

/** What is ordered, and at which endpoint. */
export type FilmOrder = OrderedOf<keyof typeof videoSpecs>;

/** What the gateway is asked for. Whatever of it makes no sense, or has no place at the endpoint, is a refusal that says so. */
export function filmOrder(values: FilmValues, model: string, fields?: FilmFields): FilmOrder {
  const objection = emptyPrompt(values);
  if (objection) throw objection;
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

/** Its results are covered like those that it is made of. */
export const withSpoiler = <K extends FilmOrder['kind']>({ kind, request }: OrderedOf<K>): OrderedOf<K> => ({
  kind,
  request: { ...request, spoiler: true },
});

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

function genericRequest(values: FilmValues, model: string, fields?: FilmFields): TaskRequests['video'] {
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

function secondRequest(values: FilmValues, model: string): FilmRequest {
  refuseOthers(values, ['reference_video', 'reference_audio', 'face_check']);
  const taken = { seconds: 'duration' };
  return { ...common(values, model, taken), ...withReferences(onePicture(values, 'address or data')) };
}

function vendorRequest(values: FilmValues, model: string): VendorRequest {
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

function common(values: FilmValues, model: string, taken: Readonly<Record<string, string>>): FilmRequest {
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

/** How large the film should be, under the name by which what was typed is sent (specification, 4.4). */
export interface SizeWish {
  size?: string;
  aspectRatio?: string;
  resolution?: string;
}

export function sizeWish(typed = ''): SizeWish {
  const text = typed.trim();
  if (text === '') return {};
  // Discord's own keyboards write × for x.
  const [, width, height] = /^([1-9]\d{1,4})\s*[x×*]\s*([1-9]\d{1,4})$/i.exec(text) ?? [];
  if (width && height) return { size: `${width}x${height}` };
  const [, across, down] = /^([1-9]\d{0,2}(?:\.\d+)?)\s*:\s*([1-9]\d{0,2}(?:\.\d+)?)$/.exec(text) ?? [];
  if (across && down) return { aspectRatio: `${across}:${down}` };
  if (/^[1-9]\d{2,3}p$/i.test(text)) return { resolution: text.toLowerCase() };
  throw new Refusal('refusals.sizeUnusable', { size: text.slice(0, LONGEST_SHOWN) });
}

/** Seconds, sent as given: a whole number in its plain form as a number, everything else in the letters that were typed. */
export function durationWish(typed = ''): number | string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const seconds = Number(text);
  if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text) || seconds <= 0)
    throw new Refusal('refusals.durationUnusable', { duration: text.slice(0, LONGEST_SHOWN) });
  return Number.isInteger(seconds) && String(seconds) === text ? seconds : text;
}

/** In the model's own words; a model that wants more than words gets the object that was typed. */
export function cameraWish(typed = ''): string | Fields | undefined {
  const text = typed.trim();
  if (!text.startsWith('{')) return text === '' ? undefined : text;
  try {
    return objectIn(text);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal('refusals.cameraUnusable') : error;
  }
}

const LONGEST_SHOWN = 60;

/** What a film goes by: pictures in their order, films, and sounds. */
interface FilmReferences extends References {
  reference_video?: string | undefined;
  reference_audio?: string | undefined;
}

/** The specification, part 8. */
const MOST_PICTURES = 7;
const MOST_FILMS = 3;
/** The specification names no limit for sounds. */
const MOST_SOUNDS = 3;

function picturesFor(given: References, takes: Reference['takes']): Reference[] {
  const unfit = unfitReference(given, MOST_PICTURES);
  if (unfit) throw unfit;
  return picturesIn(given).map((picture) => ({ ...picture, medium: 'image', takes }));
}

/** Films and sounds, which the gateway fetches by their addresses. */
function filmsAndSounds({ reference_video, reference_audio }: FilmReferences): Reference[] {
  return [
    ...named(reference_video, { medium: 'video', option: 'reference_video', most: MOST_FILMS }),
    ...named(reference_audio, { medium: 'audio', option: 'reference_audio', most: MOST_SOUNDS }),
  ];
}

interface Named {
  medium: Reference['medium'];
  option: string;
  most: number;
}

function named(links: string | undefined, { medium, option, most }: Named): Reference[] {
  const addresses = linksIn({ links });
  if (addresses.length > most) throw new Refusal('refusals.filmLinksTooMany', { option, most: String(most) });
  return addresses.map((address) => {
    if (!webAddress.safeParse(address).success)
      throw new Refusal('refusals.filmLinkUnusable', { option, link: address.slice(0, LONGEST_LINK_SHOWN) });
    return { address, name: nameIn(address).slice(0, LONGEST_LINK_SHOWN), medium, takes: 'address' };
  });
}

const LONGEST_LINK_SHOWN = 100;
