import type { Job } from './job.ts';
import type { References } from './references.ts';
import { describeImages } from './studio/index.ts';

/** What jobs are made with: reference images, fetched when the job starts and shared with the tasks that follow from it. */
export class Materials {
  readonly #references: References;
  readonly #images = new Map<string, readonly Buffer[]>();

  constructor(references: References) {
    this.#references = references;
  }

  imagesFor(job: Job): readonly Buffer[] {
    const own = this.#images.get(job.id);
    if (own) return own;
    const inherited = job.details.family === 'imgx' ? job.details.inherits : undefined;
    return (inherited && this.#images.get(inherited)) || [];
  }

  /** Nothing to wait for is the usual case, and then a job ends on the very tick it is due. */
  prepare(job: Job): Promise<Partial<Job> | undefined> | undefined {
    const reads = job.kind === 'describe';
    if (job.details.sources.length > 0 || reads) return this.#gather(job, reads);
    this.#images.set(job.id, this.imagesFor(job));
    return undefined;
  }

  forget(job: Job): void {
    this.#images.delete(job.id);
  }

  async #gather(job: Job, reads: boolean): Promise<Partial<Job>> {
    const own = await this.#references.images(job.details.sources);
    const images = own.length > 0 ? own : this.imagesFor(job);
    this.#images.set(job.id, images);
    // The request's own bytes have served: only the small copies stay in memory.
    const details = { ...job.details, sources: [] };
    if (!reads || details.family !== 'imgx') return { details };
    if (images.length === 0) throw new Error('There is no image to describe.');
    return { details: { ...details, lines: await describeImages([...images]) } };
  }
}
