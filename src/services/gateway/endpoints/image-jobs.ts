import { z } from 'zod';
import type { CallOptions } from '../http.ts';
import { modelId, promptText, taskId, validate, webAddress } from '../schemas.ts';
import type { Snapshot, Submission } from '../snapshot.ts';
import { TaskResource } from './task-client.ts';

/** Image jobs (specification, 4.5). References must be public URLs that stay valid for the whole duration of the job. */
const imageJob = z.strictObject({
  model: modelId,
  prompt: promptText,
  image: z.union([webAddress, z.array(webAddress).min(1, 'the list of reference images is empty')]).optional(),
});

/** The key is created once per request and stored with it. The same key never starts a second job. */
type ImageJobOptions = CallOptions & { idempotencyKey: string };

const PATH = '/v1/images/generations/jobs';

export class ImageJobs extends TaskResource {
  async create(request: z.input<typeof imageJob>, options: ImageJobOptions): Promise<Submission> {
    return this.send(this.bodyOf(request), options);
  }

  /** The request body as text. It is stored, because gateways refuse or ignore a different body with the same key. */
  bodyOf(request: z.input<typeof imageJob>, user?: string): string {
    return JSON.stringify(this.tasks.http.withUser(validate(imageJob, request), user));
  }

  /** Sends a body unchanged, for the first time or again. */
  async send(body: string, { idempotencyKey, signal }: ImageJobOptions): Promise<Submission> {
    const headers = { 'idempotency-key': validate(taskId, idempotencyKey) };
    return this.tasks.submit('image', { path: PATH, body, headers, signal });
  }

  get(jobId: string, options?: CallOptions): Promise<Snapshot> {
    return this.tasks.get('image', `${PATH}/{id}`, jobId, options);
  }
}
