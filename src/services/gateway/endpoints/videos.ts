import { FormData } from 'undici';
import { z } from 'zod';
import { isRecord } from '../../../lib/exact-json.ts';
import { GatewayError, mayBeUnknownPath } from '../errors.ts';
import type { CallOptions } from '../http.ts';
import {
  frameSize,
  imageDataUri,
  imageSource,
  modelId,
  nonEmptyText,
  promptText,
  seconds,
  validate,
  webAddress,
} from '../schemas.ts';
import type { GatewaySettings } from '../settings.ts';
import type { Snapshot, Submission } from '../snapshot.ts';
import { TaskResource } from './task-client.ts';

const text = nonEmptyText('this is empty');
const jsonRecord = z.record(z.string(), z.json());

const video = z.strictObject({
  model: modelId,
  prompt: promptText,
  size: frameSize.optional(),
  aspectRatio: text.optional(),
  resolution: text.optional(),
  duration: seconds.optional(),
  image: imageSource.optional(),
  images: z.array(imageSource).min(1, 'the list of images is empty').optional(),
  mode: text.optional(),
  metadata: jsonRecord.optional(),
  referenceVideos: z.array(webAddress).min(1, 'the list of reference videos is empty').optional(),
  referenceAudios: z.array(webAddress).min(1, 'the list of reference audio files is empty').optional(),
  /** Sent only if the settings name the field. */
  faceCheck: z.boolean().optional(),
  /** Extension fields of a model, sent at the top level (4.4, rule 1). */
  extra: jsonRecord.optional(),
  /** Sent only if the settings name the field. */
  callbackUrl: webAddress.optional(),
});

const v1Video = video.pick({
  model: true,
  prompt: true,
  size: true,
  duration: true,
  image: true,
  extra: true,
  callbackUrl: true,
});

/** The generic video task (4.4, 4.7). */
export class Videos extends TaskResource {
  async create(request: z.input<typeof video>, options?: CallOptions): Promise<Submission> {
    const { aspectRatio, image, images, referenceVideos, referenceAudios, faceCheck, extra, callbackUrl, ...rest } =
      validate(video, request);
    const { fields } = this.tasks.settings;
    const regularFields = {
      ...rest,
      aspect_ratio: aspectRatio,
      ...(fields.faceCheck === undefined ? {} : { [fields.faceCheck]: faceCheck }),
      ...callbackField(this.tasks.settings, callbackUrl),
      ...referenceFields(image, [
        ['images', images],
        // According to the specification (4.4), `images` accepts videos, too.
        [fields.referenceVideos ?? 'images', referenceVideos],
        [fields.referenceAudios, referenceAudios],
      ]),
    };
    return this.tasks.submit('video', {
      path: '/v1/video/generations',
      body: withExtra(regularFields, extra),
      ...options,
    });
  }

  async get(id: string, options?: CallOptions): Promise<Snapshot> {
    const response = await this.tasks.fetchRecord('/v1/video/generations/{id}', id, options);
    const snapshot = this.tasks.readTask('video', response, id);
    // Some channels respond in the format of the other video endpoint, whose videos are fetched by id.
    const isV1Format = isRecord(response) && response.object === 'video' && snapshot.word === 'completed';
    return isV1Format ? withContent(snapshot, id, this.tasks.http.baseUrl) : snapshot;
  }
}

/** `/v1/videos` (4.4). The specification does not describe the format, so these are the field names of existing gateways. */
export class V1Videos extends TaskResource {
  async create(request: z.input<typeof v1Video>, options?: CallOptions): Promise<Submission> {
    const { duration, image, extra, callbackUrl, ...rest } = validate(v1Video, request);
    // This endpoint expects the duration as a string.
    const seconds = duration === undefined ? undefined : String(duration);
    const regularFields = {
      ...rest,
      seconds,
      input_reference: image,
      ...callbackField(this.tasks.settings, callbackUrl),
    };
    const body = withExtra(regularFields, extra);
    const isForm = this.tasks.settings.videosBody === 'form';
    return this.tasks.submit('video', { path: '/v1/videos', body: isForm ? formOf(body) : body, ...options });
  }

  async get(id: string, options?: CallOptions): Promise<Snapshot> {
    const snapshot = await this.tasks.get('video', '/v1/videos/{id}', id, options);
    return withContent(snapshot, id, this.tasks.http.baseUrl);
  }
}

function callbackField({ callbackFields }: GatewaySettings, url: string | undefined): Record<string, string> {
  const field = callbackFields?.video;
  return field === undefined || url === undefined ? {} : { [field]: url };
}

/** Builds a form: data URIs become files, lists repeat their name, and objects become JSON text. */
function formOf(body: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  const append = (name: string, value: unknown): void => {
    if (value === undefined) return;
    if (Array.isArray(value)) for (const item of value) append(`${name}[]`, item);
    else if (typeof value !== 'string') form.append(name, JSON.stringify(value));
    else if (imageDataUri.safeParse(value).success) form.append(name, fileOf(value), 'image');
    else form.append(name, value);
  };
  for (const [name, value] of Object.entries(body)) append(name, value);
  return form;
}

function fileOf(dataUri: string): Blob {
  const comma = dataUri.indexOf(',');
  const type = dataUri.slice('data:'.length, dataUri.indexOf(';'));
  return new Blob([Buffer.from(dataUri.slice(comma + 1), 'base64')], { type });
}

/** Joins lists that have the same name, so that no reference is lost. A single image keeps its own field. */
function referenceFields(
  image: string | undefined,
  lists: readonly (readonly [string, readonly string[] | undefined])[],
) {
  const fields: Record<string, string | string[]> = {};
  for (const [name, items = []] of lists)
    if (items.length > 0) fields[name] = [...[fields[name] ?? []].flat(), ...items];
  if (image === undefined) return fields;
  return fields.images === undefined ? { ...fields, image } : { ...fields, images: [image, ...fields.images] };
}

/** Extra fields must not override regular ones. */
function withExtra(
  regularFields: Record<string, unknown>,
  extra: Record<string, unknown> = {},
): Record<string, unknown> {
  const extraName = z.string().refine((name) => !Object.hasOwn(regularFields, name), {
    error: ({ input }) => `${String(input)} is a regular field and cannot be set as an extra one`,
  });
  validate(z.array(extraName), Object.keys(extra));
  return { ...regularFields, ...extra };
}

/** A finished video without a URL is fetched by its id, with the API key. */
function withContent(snapshot: Snapshot, id: string, baseUrl: URL): Snapshot {
  if (!snapshot.isEmpty) return snapshot;
  const prefix = baseUrl.pathname.replace(/\/$/, '');
  const url = new URL(`${prefix}/v1/videos/${encodeURIComponent(id)}/content`, baseUrl).href;
  return { ...snapshot, media: [{ kind: 'video', address: url }], isEmpty: false };
}

/** The reference image must be a public URL (specification, 4.2). */
const imageToVideo = z.strictObject({
  model: modelId,
  prompt: promptText,
  image: webAddress,
  /** The last frame, if the model accepts one (4.2). The name of the field comes from the vendor. */
  imageTail: webAddress.optional(),
  duration: z.number('this is not a duration: write seconds as a number, for example 5').positive().optional(),
  mode: nonEmptyText('this is empty').optional(),
  callbackUrl: webAddress.optional(),
});

/** Image-to-video on the vendor path. */
export class ImageToVideo extends TaskResource {
  readonly #path = `${this.tasks.settings.paths.videoa}/v1/videos/image2video`;
  /** The specification does not give the path for polling these tasks, so several are tried, the most likely one first. */
  #pollPaths: readonly string[] = [this.#path, '/v1/video/generations', '/v1/videos'];

  async create(request: z.input<typeof imageToVideo>, options?: CallOptions): Promise<Submission> {
    const { imageTail: image_tail, callbackUrl, ...rest } = validate(imageToVideo, request);
    const body = { ...rest, image_tail, ...callbackField(this.tasks.settings, callbackUrl) };
    return this.tasks.submit('video', { path: this.#path, body, ...options });
  }

  async get(id: string, options?: CallOptions): Promise<Snapshot> {
    let firstError: GatewayError | undefined;
    for (const pollPath of this.#pollPaths) {
      try {
        const snapshot = await this.tasks.get('video', `${pollPath}/{id}`, id, options);
        this.#pollPaths = [pollPath, ...this.#pollPaths.filter((other) => other !== pollPath)];
        return snapshot;
      } catch (error) {
        const isMissing = error instanceof GatewayError && (error.kind === 'not-found' || mayBeUnknownPath(error));
        if (!isMissing) throw error;
        // A page may also stand in for any response for a while, so the task counts as missing only without one.
        if (firstError === undefined || error.kind === 'malformed') firstError = error;
      }
    }
    throw firstError;
  }
}
