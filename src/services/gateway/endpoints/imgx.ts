import { z } from 'zod';
import { type GatewayErrorKind, malformedError } from '../errors.ts';
import type { CallOptions, GatewayRequest } from '../http.ts';
import { listAt, places } from '../places.ts';
import {
  gridIndex,
  imageDataUri,
  imageSource,
  nonEmptyText,
  promptText,
  taskId,
  validate,
  webAddress,
} from '../schemas.ts';
import type { Snapshot, Submission } from '../snapshot.ts';
import { TaskResource } from './task-client.ts';

const images = z.array(imageDataUri).min(1, 'at least one image is needed');

/** Every submit (4.3) may contain a URL for status changes. Many gateways ignore it, so nothing relies on it. */
const callback = { callbackUrl: webAddress.optional() };

const BLEND_SIZE_ERROR = 'a blend needs two to five images';

const requests = {
  imagine: z.strictObject({ prompt: promptText, images: images.optional(), ...callback }),
  describe: z.strictObject({ images, ...callback }),
  shorten: z.strictObject({ prompt: promptText, ...callback }),
  blend: z.strictObject({
    images: z.array(imageDataUri).min(2, BLEND_SIZE_ERROR).max(5, BLEND_SIZE_ERROR),
    shape: z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE']).optional(),
    ...callback,
  }),
  upload: z.strictObject({ images, ...callback }),
  action: z.strictObject({ taskId, customId: nonEmptyText('the action is missing'), ...callback }),
  change: z.discriminatedUnion('action', [
    z.strictObject({ taskId, action: z.enum(['UPSCALE', 'VARIATION']), index: gridIndex, ...callback }),
    z.strictObject({ taskId, action: z.literal('REROLL'), ...callback }),
  ]),
  modal: z.strictObject({ taskId, prompt: z.string().optional(), mask: imageDataUri.optional(), ...callback }),
  video: z.strictObject({
    prompt: z.string().optional(),
    motion: z.enum(['low', 'high']).optional(),
    image: imageSource.optional(),
    endImage: imageSource.optional(),
    loop: z.boolean().optional(),
    /** Extends one of the videos of a finished task; the index starts at 1, as everywhere in this family. */
    extend: z.strictObject({ taskId, index: gridIndex }).optional(),
    ...callback,
  }),
};

type ImgxRequest<Name extends keyof typeof requests> = z.input<(typeof requests)[Name]>;

const singleImage = z.array(imageDataUri).max(1, 'this gateway describes one image at a time: send one');

/** The meaning of this family's numeric codes. */
const CODES: ReadonlyMap<string, GatewayErrorKind> = new Map([
  ['3', 'not-found'],
  ['4', 'invalid'],
  ['5', 'unavailable'],
  ['9', 'invalid'],
  ['23', 'rate-limited'],
  ['24', 'invalid'],
  ['30', 'rate-limited'],
]);

const UPLOADED_URLS = places('result[]', 'data[]', 'result', 'urls[]');

/** Reads only URLs, because some gateways return the id of a task instead. */
const asWebAddress = (value: unknown): string | undefined => webAddress.safeParse(value).data;

/** The image-prompt task family (4.3, 4.7). */
export class Imgx extends TaskResource {
  readonly #settings = this.tasks.settings;

  async imagine(request: ImgxRequest<'imagine'>, options?: CallOptions): Promise<Submission> {
    const { images: base64Array, ...rest } = validate(requests.imagine, request);
    return this.#submit('imagine', { ...rest, base64Array }, options);
  }

  async describe(request: ImgxRequest<'describe'>, options?: CallOptions): Promise<Submission> {
    const { images: list, ...rest } = validate(requests.describe, request);
    const field = this.#settings.fields.describeField;
    // In practice `base64` holds a single image; further images would be lost without an error.
    if (field === 'base64') validate(singleImage, list);
    return this.#submit('describe', { ...rest, [field]: field === 'base64' ? list[0] : list }, options);
  }

  async shorten(request: ImgxRequest<'shorten'>, options?: CallOptions): Promise<Submission> {
    return this.#submit('shorten', validate(requests.shorten, request), options);
  }

  async blend(request: ImgxRequest<'blend'>, options?: CallOptions): Promise<Submission> {
    const { images: base64Array, shape: dimensions, ...rest } = validate(requests.blend, request);
    return this.#submit('blend', { ...rest, base64Array, dimensions }, options);
  }

  async upload(request: ImgxRequest<'upload'>, options?: CallOptions): Promise<string[]> {
    const { images: base64Array, callbackUrl: notifyHook } = validate(requests.upload, request);
    const uploadRequest = this.#buildRequest('upload-discord-images', { base64Array, notifyHook }, options);
    const urls = listAt(await this.tasks.http.submit(uploadRequest), UPLOADED_URLS, asWebAddress);
    if (urls.length === 0)
      throw malformedError('The gateway accepted the images without returning a URL.', {
        mayHaveTakenEffect: true,
      });
    return urls;
  }

  /** Presses a button of a result, by its custom action id. */
  async action(request: ImgxRequest<'action'>, options?: CallOptions): Promise<Submission> {
    return this.#submit('action', validate(requests.action, request), options);
  }

  /** Submits a change as one line of text: an action code and a task id (4.3), in the configured order. */
  async simpleChange(request: ImgxRequest<'change'>, options?: CallOptions): Promise<Submission> {
    const { taskId: id, callbackUrl, ...change } = validate(requests.change, request);
    const code = change.action === 'REROLL' ? 'R' : `${change.action === 'UPSCALE' ? 'U' : 'V'}${change.index}`;
    const content = this.#settings.simpleChangeOrder === 'action-first' ? `${code} ${id}` : `${id} ${code}`;
    return this.#submit('simple-change', { content, callbackUrl }, options);
  }

  /** Submits the prompt of a task that waits for one, with a mask for local edits. */
  async modal(request: ImgxRequest<'modal'>, options?: CallOptions): Promise<Submission> {
    const { mask: maskBase64, ...rest } = validate(requests.modal, request);
    return this.#submit('modal', { ...rest, maskBase64 }, options, rest.taskId);
  }

  async video(request: ImgxRequest<'video'>, options?: CallOptions): Promise<Submission> {
    const { image, endImage, extend, ...rest } = validate(requests.video, request);
    // In requests, the videos of a task are numbered from 0.
    const extendFields = extend ? { action: 'extend', taskId: extend.taskId, index: extend.index - 1 } : {};
    return this.#submit('video', { ...rest, image, endImage, ...extendFields }, options);
  }

  get(id: string, options?: CallOptions): Promise<Snapshot> {
    const path = `${this.#settings.paths.imgx}/task/{id}/fetch`;
    return this.tasks.get('imgx', path, id, { familyCodes: CODES, ...options });
  }

  getMany(ids: readonly string[], options?: CallOptions): Promise<Map<string, Snapshot>> {
    const path = `${this.#settings.paths.imgx}/task/list-by-condition`;
    return this.tasks.getMany('imgx', path, ids, { familyCodes: CODES, ...options });
  }

  #submit(
    name: string,
    { callbackUrl: notifyHook, ...body }: Record<string, unknown> & { callbackUrl?: string | undefined },
    options?: CallOptions,
    continuedTaskId?: string,
  ): Promise<Submission> {
    return this.tasks.submit('imgx', this.#buildRequest(name, { ...body, notifyHook }, options), continuedTaskId);
  }

  #buildRequest(name: string, body: object, options?: CallOptions): GatewayRequest & { body: unknown } {
    return { path: `${this.#settings.paths.imgx}/submit/${name}`, body, familyCodes: CODES, ...options };
  }
}
