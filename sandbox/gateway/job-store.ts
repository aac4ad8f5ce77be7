import { EventEmitter } from 'node:events';
import { durationOf } from './durations.ts';
import { isOver, type Job, type JobFaultEffects, type JobState, type NewJob } from './job.ts';
import type { Pace } from './pace.ts';
import type { Random } from './random.ts';

/** Beyond this number, the oldest finished jobs are dropped with their files. */
const MAX_JOBS = 5_000;
const PROGRESS_STEPS = 9;
/** The progress step at which stuck jobs stay, as on real gateways. */
const STUCK_STEP = 7;

/** Loads what a job needs before it can end, such as its references; the result is merged into the job. */
export type Prepare = (job: Job) => Promise<Partial<Job> | undefined> | undefined;

export interface JobEvents {
  change: [job: Job, previous: Job | undefined];
  drop: [job: Job];
}

interface JobRun {
  cancel: () => void;
  /** Checked after every step, because a listener may stop the job during a step. */
  isStopped: boolean;
  preparation: Promise<Partial<Job> | undefined> | undefined;
}

/** All jobs. Each is queued, runs with progress, and then succeeds or fails (specification, part 3). */
export class JobStore extends EventEmitter<JobEvents> {
  readonly #pace: Pace;
  readonly #random: Random;
  readonly #prepare: Prepare;
  readonly #jobs = new Map<string, Job>();
  readonly #runs = new Map<string, JobRun>();

  constructor(pace: Pace, random: Random, prepare: Prepare) {
    super();
    this.#pace = pace;
    this.#random = random;
    this.#prepare = prepare;
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  /** All jobs, oldest first. */
  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  add(draft: NewJob, orders: JobFaultEffects = {}): Job {
    const state = draft.state ?? 'queued';
    const now = this.#pace.now();
    const job: Job = {
      ...draft,
      state,
      progress: state === 'succeeded' ? 100 : 0,
      createdAt: now,
      ...(state === 'succeeded' ? { startedAt: now, finishedAt: now } : {}),
      acceptedAt: this.#pace.elapsed(),
      orders,
      expired: orders.losesFiles ?? false,
    };
    this.#jobs.set(job.id, job);
    this.emit('change', job, undefined);
    if (state === 'queued') this.#run(job);
    this.#dropOldest();
    return job;
  }

  /** Continues a task that waited for its modal. */
  resume(id: string, patch: Partial<Job>): Job | undefined {
    const job = this.#jobs.get(id);
    if (job?.state !== 'needs-input') return undefined;
    const resumed = this.#change(job, { ...patch, state: 'queued' });
    this.#run(resumed);
    return resumed;
  }

  /** Ends the job now, or as soon as its references are loaded. */
  finish(id: string): Job | undefined {
    const job = this.#findLive(id);
    if (!job) return undefined;
    this.#stop(id);
    this.#start(job.id);
    this.#complete(id);
    return this.#jobs.get(id);
  }

  fail(id: string, reason: string): Job | undefined {
    const job = this.#findLive(id);
    return job && this.#end(job, 'failed', { reason });
  }

  /** Leaves the job in its current state forever. */
  freeze(id: string): Job | undefined {
    this.#stop(id);
    return this.#findLive(id);
  }

  expireFiles(id: string): Job | undefined {
    const job = this.#jobs.get(id);
    return job && this.#change(job, { expired: true });
  }

  #stop(id: string): void {
    const jobRun = this.#runs.get(id);
    if (!jobRun) return;
    jobRun.isStopped = true;
    jobRun.cancel();
  }

  #findLive(id: string): Job | undefined {
    const job = this.#jobs.get(id);
    return job && (job.state === 'queued' || job.state === 'running') ? job : undefined;
  }

  #run(job: Job): void {
    const slowdown = job.orders.takesTimes ?? 1;
    const { queued, running } = durationOf(job.kind, job.model, this.#random);
    const jobRun: JobRun = { cancel: () => undefined, isStopped: false, preparation: undefined };
    this.#runs.set(job.id, jobRun);
    const step = (number: number) => {
      if (number === PROGRESS_STEPS) return this.#complete(job.id);
      if (number === 0) this.#start(job.id);
      else this.#progress(job.id, Math.round((number / PROGRESS_STEPS) * 100));
      if (jobRun.isStopped || (job.orders.sticks && number === STUCK_STEP)) return;
      jobRun.cancel = this.#pace.after((running * slowdown) / PROGRESS_STEPS, () => step(number + 1));
    };
    jobRun.cancel = this.#pace.after(queued * slowdown, () => step(0));
  }

  #start(id: string): void {
    const job = this.#findLive(id);
    const jobRun = this.#runs.get(id);
    if (job?.state !== 'queued' || !jobRun) return;
    const running = this.#change(job, { state: 'running', startedAt: this.#pace.now() });
    const preparation = this.#prepare(running);
    jobRun.preparation = preparation;
    // If a reference cannot be loaded, the job fails immediately rather than at its end.
    preparation?.catch((error: unknown) => this.fail(id, messageOf(error)));
  }

  #progress(id: string, progress: number): void {
    const job = this.#findLive(id);
    if (job) this.#change(job, { progress });
  }

  #complete(id: string): void {
    const job = this.#findLive(id);
    const jobRun = this.#runs.get(id);
    if (!job || !jobRun) return;
    if (job.orders.failsWith !== undefined) {
      this.#end(job, 'failed', { reason: job.orders.failsWith });
      return;
    }
    if (!jobRun.preparation) {
      this.#end(job, 'succeeded', {});
      return;
    }
    jobRun.preparation.then(
      (patch) => {
        const current = this.#findLive(id);
        if (current) this.#end(current, 'succeeded', patch ?? {});
      },
      (error: unknown) => this.fail(id, messageOf(error)),
    );
  }

  #end(job: Job, state: JobState, patch: Partial<Job>): Job {
    this.#stop(job.id);
    this.#runs.delete(job.id);
    const progress = state === 'succeeded' ? 100 : job.progress;
    return this.#change(job, { ...patch, state, progress, finishedAt: this.#pace.now() });
  }

  #change(job: Job, patch: Partial<Job>): Job {
    const changedJob: Job = { ...job, ...patch };
    this.#jobs.set(job.id, changedJob);
    this.emit('change', changedJob, job);
    return changedJob;
  }

  #dropOldest(): void {
    if (this.#jobs.size <= MAX_JOBS) return;
    for (const job of this.#jobs.values()) {
      if (!isOver(job.state) && job.state !== 'needs-input') continue;
      this.#jobs.delete(job.id);
      this.emit('drop', job);
      return;
    }
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
