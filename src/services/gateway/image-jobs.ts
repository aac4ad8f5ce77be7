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

export type ImageJobRequest = z.input<typeof imageJob>;

export interface ImageJobOptions extends CallOptions {
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

  async create(request: ImageJobRequest, { idempotencyKey, signal }: ImageJobOptions): Promise<Submission> {
    const body = checked(imageJob, request);
    const headers = { 'idempotency-key': checked(taskId, idempotencyKey) };
    return readSubmission('image', await this.#http.submit({ path: PATH, body, headers, signal }));
  }

  async get(jobId: string, options?: CallOptions): Promise<Snapshot> {
    const path = `${PATH}/${encodeURIComponent(checked(taskId, jobId))}`;
    return this.#reader.read('image', await this.#http.read({ path, missing: 'not-found', ...options }));
  }
}
