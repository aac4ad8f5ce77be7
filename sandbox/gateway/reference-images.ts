import type { Job } from './job.ts';
import type { ReferenceFetcher } from './reference-fetcher.ts';
import { describeImages } from './studio/index.ts';

/** The reference images of jobs, loaded when a job starts and shared with its follow-ups. */
export class ReferenceImages {
  readonly #fetcher: ReferenceFetcher;
  readonly #images = new Map<string, readonly Buffer[]>();

  constructor(fetcher: ReferenceFetcher) {
    this.#fetcher = fetcher;
  }

  imagesFor(job: Job): readonly Buffer[] {
    const ownImages = this.#images.get(job.id);
    if (ownImages) return ownImages;
    const parentId = job.details.family === 'imgx' ? job.details.referencesFrom : undefined;
    return (parentId && this.#images.get(parentId)) || [];
  }

  /** Returns undefined if there is nothing to load, so that the job ends exactly when it is due. */
  load(job: Job): Promise<Partial<Job> | undefined> | undefined {
    const isDescribe = job.kind === 'describe';
    if (job.details.sources.length > 0 || isDescribe) return this.#loadSources(job, isDescribe);
    this.#images.set(job.id, this.imagesFor(job));
    return undefined;
  }

  delete(job: Job): void {
    this.#images.delete(job.id);
  }

  async #loadSources(job: Job, isDescribe: boolean): Promise<Partial<Job>> {
    const ownImages = await this.#fetcher.images(job.details.sources);
    const images = ownImages.length > 0 ? ownImages : this.imagesFor(job);
    this.#images.set(job.id, images);
    // Drops the original bytes, so only the scaled-down copies stay in memory.
    const details = { ...job.details, sources: [] };
    if (!isDescribe || details.family !== 'imgx') return { details };
    if (images.length === 0) throw new Error('There is no image to describe.');
    return { details: { ...details, lines: await describeImages([...images]) } };
  }
}
