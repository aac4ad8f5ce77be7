import { addAbortListener } from 'node:events';
import { tmpdir } from 'node:os';
import type { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { currentSubject, runWithoutSubject } from '../../lib/log-subject.ts';
import type { FileContent } from './content.ts';
import { type ChildOptions, MediaChild, type ProcessReport, residentBytes, toError } from './process/child.ts';
import { type Job, type JobClass, JobLost, jobClasses, type LossReason } from './process/jobs.ts';

/** The next request often follows within this time, and starting the process takes a fifth of a second. */
const IDLE_MS = 60_000;
/** The minimum of `MEDIA_MEMORY_MB`: a process with less could decode almost nothing. */
export const MIN_MEDIA_MEMORY_BYTES = 192 * 2 ** 20;
/** How often the memory is measured; a large image takes a few hundred milliseconds to fill its memory. */
const SAMPLE_INTERVAL_MS = 100;
/** A job that was lost this many times is refused. The second time it ran alone, so it was the cause. */
const MAX_LOSSES = 2;
/** How long a job may wait for memory in total; those before it in the process end within their own limits. */
const MAX_MEMORY_WAIT_MS = 5 * 60_000;
/** An image that is encoded again and again to fit claims memory about 20 times. */
const MAX_CLAIMS = 100;

export interface MediaProcessParts {
  readonly clock: Clock;
  readonly log: { warn(facts: object, message: string): void };
  readonly memoryBytes?: number;
  /** The parent of the private files that jobs read and write. */
  readonly temporaryFolder?: string;
  /** Tests run a program that does not keep to the limits. */
  readonly program?: string;
}

interface RunOptions {
  /** A file that is given by its path must be private, and must stay there until the job has ended. */
  readonly input?: FileContent | undefined;
  /** A private file that receives a large result instead of the pipe. */
  readonly into?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Result<Facts> {
  readonly facts: Facts;
  readonly bytes: Buffer<ArrayBuffer>;
}

type Phase = Extract<ProcessReport, { now: unknown }>['now'];

interface Entry extends Pick<RunOptions, 'input' | 'into'> {
  readonly id: number;
  /** The task that the job belongs to, if known. */
  readonly task: string | undefined;
  readonly job: Job;
  readonly jobClass: JobClass;
  losses: number;
  /** Whether the caller no longer waits, although the process may still be working on it. */
  isAbandoned: boolean;
  claims: number;
  /** What is left of its time in each phase. Each phase continues where it was left, so claims do not extend it. */
  remainingMs: Record<Phase, number>;
  /** Stops the clock of the current phase. */
  leavePhase: () => void;
  resolve(result: Result<object>): void;
  reject(error: unknown): void;
}

/** A process that decodes files from outside and runs all codecs. It is started for its first job, ends when it is idle, and is replaced when it dies. */
export class MediaProcess {
  readonly #clock: Clock;
  readonly #log: MediaProcessParts['log'];
  readonly #childOptions: Omit<ChildOptions, 'memoryBytes'>;
  #memoryBytes: number;
  /** The limit with which the current process was started. */
  #childMemoryBytes = 0;
  readonly #waiting: Entry[] = [];
  /** Jobs that were lost once. Each is run alone, so that another loss shows which job is the cause. */
  readonly #suspects: Entry[] = [];
  readonly #running = new Map<number, Entry>();
  #child: MediaChild | undefined;
  readonly #ending = new Set<Promise<void>>();
  #jobCount = 0;
  #holdCount = 0;
  #cancelIdleTimer: () => void = () => undefined;
  #cancelSampling: () => void = () => undefined;
  #isClosed = false;

  constructor({ clock, log, memoryBytes = 512 * 2 ** 20, temporaryFolder = tmpdir(), program }: MediaProcessParts) {
    this.#clock = clock;
    this.#log = log;
    this.#childOptions = { temporaryFolder, program };
    this.#memoryBytes = memoryBytes;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get load(): { running: number; waiting: number } {
    return { running: this.#running.size, waiting: this.#waiting.length + this.#suspects.length };
  }

  /** Returns the memory of the process; 0 if it is not running or the system does not report it. */
  async residentBytes(): Promise<number> {
    const pid = this.#child?.pid;
    return (pid === undefined ? undefined : await residentBytes(pid)) ?? 0;
  }

  /** Applies to the next process. The current one is replaced when it has no job. */
  setMemoryBytes(bytes: number): void {
    this.#memoryBytes = bytes;
    if (this.#running.size === 0) this.#becomeIdle();
  }

  start(): void {
    if (this.#isClosed) return;
    this.#child ??= this.#startProcess();
    if (this.#running.size === 0) this.#becomeIdle();
  }

  /** Keeps the process alive between two jobs if the second one needs the state of the first. */
  keepAlive(): () => void {
    this.#holdCount++;
    return () => void this.#holdCount--;
  }

  /** Throws the job's error, or `JobLost` if the job ended the process. */
  async run<Facts>(job: Job, facts: z.ZodType<Facts>, options: RunOptions = {}): Promise<Result<Facts>> {
    const { input, into, signal } = options;
    signal?.throwIfAborted();
    if (this.#isClosed) throw new JobLost('closed');
    const jobClass = jobClasses[job.do];
    if (this.#waiting.filter((other) => other.jobClass === jobClass).length >= jobClass.maxWaiting)
      throw new JobLost('busy');
    this.#jobCount++;
    const { promise, resolve, reject } = Promise.withResolvers<Result<object>>();
    const entry: Entry = {
      id: this.#jobCount,
      task: currentSubject().task,
      job,
      input,
      into,
      jobClass,
      losses: 0,
      isAbandoned: false,
      claims: 0,
      remainingMs: { waiting: 0, working: 0 },
      leavePhase: () => undefined,
      resolve,
      reject,
    };
    using _listener = signal && addAbortListener(signal, () => this.#cancel(entry, signal.reason));
    this.#waiting.push(entry);
    this.#startNextJobs();
    const result = await promise;
    return { facts: facts.parse(result.facts), bytes: result.bytes };
  }

  /** Ends the process and waits for its end. Running and waiting jobs fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelIdleTimer();
    const allEntries = [...this.#running.values(), ...this.#suspects, ...this.#waiting];
    for (const entry of allEntries) this.#fail(entry, new JobLost('closed'));
    this.#waiting.length = 0;
    this.#suspects.length = 0;
    this.#end();
    await Promise.all(this.#ending);
  }

  #startNextJobs(): void {
    if (this.#isClosed) return;
    for (const entry of this.#jobsToStart()) this.#send(entry);
    if (this.#running.size === 0) this.#becomeIdle();
  }

  #jobsToStart(): Entry[] {
    const untrusted = [...this.#running.values()].filter(({ jobClass }) => !jobClass.isTrusted);
    const isSuspectRunning = untrusted.some(({ losses }) => losses > 0);
    const [suspect] = this.#suspects;
    if (!isSuspectRunning && !suspect) return this.#takeWaiting(() => true);
    const trusted = this.#takeWaiting(({ jobClass }) => jobClass.isTrusted);
    if (untrusted.length > 0 || !suspect) return trusted;
    this.#suspects.shift();
    return [suspect, ...trusted];
  }

  #takeWaiting(isEligible: (entry: Entry) => boolean): Entry[] {
    const running = [...this.#running.values()];
    const selected: Entry[] = [];
    const fullClasses = new Set<JobClass>();
    for (const entry of [...this.#waiting]) {
      const { jobClass } = entry;
      if (!isEligible(entry) || fullClasses.has(jobClass)) continue;
      const sameClass = [...running, ...selected].filter((other) => other.jobClass === jobClass);
      const bytes = sameClass.reduce((sum, { input }) => sum + (input?.size ?? 0), entry.input?.size ?? 0);
      // First come, first served: nothing overtakes an entry for which there is no room yet.
      if (sameClass.length >= jobClass.maxConcurrent || (sameClass.length > 0 && bytes > jobClass.maxBytes))
        fullClasses.add(jobClass);
      else {
        selected.push(entry);
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
      }
    }
    return selected;
  }

  #send(entry: Entry): void {
    const { id, job, jobClass, input, into } = entry;
    this.#cancelIdleTimer();
    this.#child ??= this.#startProcess();
    this.#child.markBusy();
    this.#running.set(id, entry);
    entry.claims = 0;
    entry.remainingMs = { waiting: MAX_MEMORY_WAIT_MS, working: jobClass.limitMs(job) };
    this.#enterPhase(entry, 'working');
    const command = { id, job, ...(into !== undefined && { into }) };
    if (input?.path === undefined) this.#child.send(command, input?.bytes);
    else this.#child.send({ ...command, path: input.path });
    if (this.#running.size === 1) this.#sampleLater();
  }

  #startProcess(): MediaChild {
    this.#childMemoryBytes = this.#memoryBytes;
    const child: MediaChild = new MediaChild(
      { ...this.#childOptions, memoryBytes: this.#memoryBytes },
      {
        onReport: (report, body) => {
          if (this.#child === child) this.#receive(report, body);
        },
        onEnd: (reason) => {
          if (this.#child !== child) return;
          this.#warn(
            { how: reason, jobs: this.#running.size, tasks: this.#runningTasks },
            'The media process ended unexpectedly.',
          );
          this.#loseProcess('died');
        },
      },
    );
    const ended = child.ended.then(() => void this.#ending.delete(ended));
    this.#ending.add(ended);
    return child;
  }

  #receive(report: ProcessReport, body: Buffer<ArrayBuffer>): void {
    if ('residentBytes' in report) {
      this.#checkMemory(report.residentBytes);
      return;
    }
    const entry = this.#running.get(report.id);
    if (!entry) return;
    if ('now' in report) {
      if (report.now === 'waiting') entry.claims++;
      if (entry.claims > MAX_CLAIMS) this.#timeOut(entry);
      else this.#enterPhase(entry, report.now);
      return;
    }
    if ('facts' in report) entry.resolve({ facts: report.facts, bytes: body });
    else entry.reject(toError(report.failure));
    this.#remove(entry);
    this.#startNextJobs();
  }

  #enterPhase(entry: Entry, phase: Phase): void {
    entry.leavePhase();
    const enteredAt = this.#clock.now();
    const cancel = this.#clock.after(entry.remainingMs[phase], () => this.#timeOut(entry));
    entry.leavePhase = () => {
      cancel();
      entry.remainingMs[phase] -= this.#clock.now() - enteredAt;
      entry.leavePhase = () => undefined;
    };
  }

  #timeOut(entry: Entry): void {
    const logFields = { job: entry.job.do, ...(entry.task !== undefined && { task: entry.task }) };
    this.#warn(logFields, 'A media job took too long; replacing the media process.');
    this.#fail(entry, new JobLost('time'));
    // The other jobs were not the cause.
    const otherEntries = [...this.#running.values()].filter(({ isAbandoned }) => !isAbandoned);
    this.#end();
    this.#suspects.unshift(...otherEntries.filter(({ losses }) => losses > 0));
    this.#waiting.unshift(...otherEntries.filter(({ losses }) => losses === 0));
    this.#startNextJobs();
  }

  #sampleLater(): void {
    this.#cancelSampling();
    this.#cancelSampling = this.#clock.after(SAMPLE_INTERVAL_MS, () => void this.#sample());
  }

  async #sample(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || this.#running.size === 0) return;
    const bytes = await residentBytes(child.pid);
    if (child !== this.#child || this.#running.size === 0) return;
    if (bytes !== undefined) this.#checkMemory(bytes);
    if (this.#running.size > 0) this.#sampleLater();
  }

  #checkMemory(bytes: number): void {
    if (bytes <= this.#childMemoryBytes || this.#running.size === 0) return;
    const megabytes = Math.round(bytes / 2 ** 20);
    this.#warn({ megabytes, tasks: this.#runningTasks }, 'The media process used too much memory; replacing it.');
    this.#loseProcess('memory');
  }

  get #runningTasks(): string[] {
    return [...new Set([...this.#running.values()].flatMap(({ task }) => task ?? []))];
  }

  /** The process works for many tasks, so its warnings do not belong to the task that started it. */
  #warn(facts: object, message: string): void {
    runWithoutSubject(() => this.#log.warn(facts, message));
  }

  /** One of the running jobs has ended the process, or makes it necessary to end it. Running each of them alone will show which one. */
  #loseProcess(reason: LossReason): void {
    const running = [...this.#running.values()];
    this.#end();
    for (const entry of running) {
      if (entry.isAbandoned) continue;
      entry.losses++;
      if (entry.losses >= MAX_LOSSES) this.#fail(entry, new JobLost(reason));
      else if (entry.jobClass.isTrusted) this.#waiting.unshift(entry);
      else this.#suspects.push(entry);
    }
    this.#startNextJobs();
  }

  /** Ends the process; its jobs are left to the caller. */
  #end(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#cancelSampling();
    for (const entry of this.#running.values()) entry.leavePhase();
    this.#running.clear();
    child?.kill();
  }

  #becomeIdle(): void {
    this.#cancelIdleTimer();
    this.#child?.markIdle();
    if (!this.#child || this.#isClosed) return;
    const isOutdated = this.#childMemoryBytes !== this.#memoryBytes;
    if (isOutdated && this.#holdCount === 0) this.#end();
    else
      this.#cancelIdleTimer = this.#clock.after(IDLE_MS, () =>
        this.#holdCount > 0 ? this.#becomeIdle() : this.#end(),
      );
  }

  #cancel(entry: Entry, reason: unknown): void {
    if (this.#running.has(entry.id)) {
      entry.isAbandoned = true;
      this.#child?.send({ id: entry.id, cancelled: true });
    } else this.#remove(entry);
    entry.reject(reason);
    this.#startNextJobs();
  }

  #fail(entry: Entry, error: unknown): void {
    this.#remove(entry);
    entry.reject(error);
  }

  #remove(entry: Entry): void {
    entry.leavePhase();
    this.#running.delete(entry.id);
    for (const queue of [this.#waiting, this.#suspects]) {
      const index = queue.indexOf(entry);
      if (index >= 0) queue.splice(index, 1);
    }
  }
}
