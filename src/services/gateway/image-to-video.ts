import { z } from 'zod';
import { GatewayError } from './errors.ts';
import type { CallOptions, GatewayHttp } from './http.ts';
import type { Snapshot } from './read/snapshot.ts';
import { readSubmission, type Submission } from './read/submission.ts';
import { checked, modelId, prompt, taskId, webAddress, words } from './schemas.ts';
import type { GatewaySettings } from './settings.ts';
import type { TaskReader } from './task-reader.ts';

/** The specification, 4.2: the reference picture is a public address. */
const imageToVideo = z.strictObject({
  model: modelId,
  prompt,
  image: webAddress,
  duration: z.number('this is not a duration: write seconds as a number, for example 5').positive().optional(),
  mode: words('this is empty').optional(),
});

type ImageToVideoRequest = z.input<typeof imageToVideo>;

/** Image-to-video on the vendor path. */
export class ImageToVideo {
  readonly #http: GatewayHttp;
  readonly #reader: TaskReader;
  readonly #path: string;
  /** The specification does not show where these tasks are asked for: the likeliest place first. */
  #queries: readonly string[];

  constructor(http: GatewayHttp, reader: TaskReader, settings: GatewaySettings) {
    this.#http = http;
    this.#reader = reader;
    this.#path = `${settings.paths.videoa}/v1/videos/image2video`;
    this.#queries = [this.#path, '/v1/video/generations', '/v1/videos'];
  }

  async create(request: ImageToVideoRequest, options?: CallOptions): Promise<Submission> {
    const body = checked(imageToVideo, request);
    return readSubmission('video', await this.#http.submit({ path: this.#path, body, ...options }));
  }

  async get(id: string, options?: CallOptions): Promise<Snapshot> {
    const name = encodeURIComponent(checked(taskId, id));
    let missing: GatewayError | undefined;
    for (const query of this.#queries) {
      try {
        const answer = await this.#http.read({ path: `${query}/${name}`, missing: 'not-found', ...options });
        const snapshot = this.#reader.read('video', answer);
        this.#queries = [query, ...this.#queries.filter((other) => other !== query)];
        return snapshot;
      } catch (error) {
        if (!isMissing(error)) throw error;
        missing ??= error;
      }
    }
    throw missing;
  }
}

function isMissing(error: unknown): error is GatewayError {
  return error instanceof GatewayError && (error.kind === 'not-found' || error.kind === 'not-offered');
}
