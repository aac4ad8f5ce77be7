import { z } from 'zod';
import type { CallOptions, GatewayHttp } from './http.ts';
import type { Snapshot } from './read/snapshot.ts';
import { readSubmission, type Submission } from './read/submission.ts';
import { checked, modelId, prompt, taskId, webAddress } from './schemas.ts';
import type { TaskReader } from './task-reader.ts';

/** The specification, 4.5. References are addresses alone: public, and valid for the whole job. */
const imageJob = z.strictObject({
  model: modelId,
  prompt,
  image: z.union([webAddress, z.array(webAddress).min(1, 'the list of reference pictures is empty')]).optional(),
});

type ImageJobRequest = z.input<typeof imageJob>;

interface ImageJobOptions extends CallOptions {
  /** Made once per order and stored with it: the same key never starts a second job. */
  idempotencyKey: string;
}

const PATH = '/v1/images/generations/jobs';

export class ImageJobs {
  readonly #http: GatewayHttp;
  readonly #reader: TaskReader;

  constructor(http: GatewayHttp, reader: TaskReader) {
    this.#http = http;
    this.#reader = reader;
  }

  async create(request: ImageJobRequest, options: ImageJobOptions): Promise<Submission> {
    return this.send(this.bodyOf(request), options);
  }

  /** What is sent for a request, as text. A key belongs to one body: with another one, gateways refuse it or take no notice. */
  bodyOf(request: ImageJobRequest): string {
    return JSON.stringify(checked(imageJob, request));
  }

  /** Sends a body as it is, for the first time or again. */
  async send(body: string, { idempotencyKey, signal }: ImageJobOptions): Promise<Submission> {
    const headers = { 'idempotency-key': checked(taskId, idempotencyKey) };
    return readSubmission(
      'image',
      await this.#http.submit({ path: PATH, body, isEncoded: true, headers, ...(signal && { signal }) }),
    );
  }

  async get(jobId: string, options?: CallOptions): Promise<Snapshot> {
    const path = `${PATH}/${encodeURIComponent(checked(taskId, jobId))}`;
    return this.#reader.read('image', await this.#http.read({ path, missing: 'not-found', ...options }));
  }
}
