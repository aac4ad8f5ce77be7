import type { Job } from './job.ts';
import type { References } from './references.ts';
import { describePictures } from './studio/index.ts';

/** What jobs are made with: reference pictures, fetched when the job starts and shared with the tasks that follow from it. */
export class Materials {
  readonly #references: References;
  readonly #pictures = new Map<string, readonly Buffer[]>();

  constructor(references: References) {
    this.#references = references;
  }

  picturesFor(job: Job): readonly Buffer[] {
    const own = this.#pictures.get(job.id);
    if (own) return own;
    const inherited = job.details.family === 'imgx' ? job.details.inherits : undefined;
    return (inherited && this.#pictures.get(inherited)) || [];
  }

  /** Nothing to wait for is the usual case, and then a job ends on the very tick it is due. */
  prepare(job: Job): Promise<Partial<Job> | undefined> | undefined {
    const reads = job.kind === 'describe';
    if (job.details.sources.length > 0 || reads) return this.#gather(job, reads);
    this.#pictures.set(job.id, this.picturesFor(job));
    return undefined;
  }

  forget(job: Job): void {
    this.#pictures.delete(job.id);
  }

  async #gather(job: Job, reads: boolean): Promise<Partial<Job>> {
    const own = await this.#references.pictures(job.details.sources);
    const pictures = own.length > 0 ? own : this.picturesFor(job);
    this.#pictures.set(job.id, pictures);
    // The request's own bytes have served: only the small copies stay in memory.
    const details = { ...job.details, sources: [] };
    if (!reads || details.family !== 'imgx') return { details };
    if (pictures.length === 0) throw new Error('There is no picture to describe.');
    return { details: { ...details, lines: await describePictures([...pictures]) } };
  }
}
