import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { Exchange } from '../../sandbox/discord/exchange.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';
import type { EmbeddedGateway } from '../../sandbox/gateway/gateway.ts';
import type { Job } from '../../sandbox/gateway/job.ts';
import type { RecordedGatewayRequest } from '../../sandbox/gateway/request-log.ts';
import { createStudio } from '../../sandbox/gateway/studio/index.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { noiseImage, openSides } from '../harness/sides.ts';
import type { JobFigures, JobInput } from './job-orders.ts';

const ACKNOWLEDGE_MS = 3_000;
/** How often the gateway's request log is read, which holds only the last thousand requests. */
const CHECK_INTERVAL_MS = 100;
/** An image of noise, which cannot be compressed, has about one megabyte at this size. */
const IMAGE_SIDE = 600;
const MIN_IMAGE_BYTES = 1_000_000;

interface OrderedJob extends JobInput {
  jobId: string;
  exchange: Exchange;
}

/** Jobs requested by members, as seen from the outside. */
export class JobSimulation {
  readonly settings: Record<string, string>;
  readonly #discord: EmbeddedDiscord;
  readonly #gateway: EmbeddedGateway;
  readonly #orderedJobs: OrderedJob[] = [];
  readonly #seenRequests = new WeakSet<RecordedGatewayRequest>();
  /** When each job was polled. */
  readonly #pollTimes = new Map<string, number[]>();

  private constructor({ discord, gateway, settings }: Awaited<ReturnType<typeof openSides>>) {
    this.#discord = discord;
    this.#gateway = gateway;
    this.settings = settings;
    setInterval(() => this.#readRequestLog(), CHECK_INTERVAL_MS);
  }

  static async start(clock: Clock, clockSpeed: number, gatewaySpeed: number): Promise<JobSimulation> {
    // Drawing is not measured, so every image is the same.
    const image = await noiseImage(IMAGE_SIDE);
    const studio = { ...createStudio(), drawGrid: async () => image };
    const sides = await openSides({
      discord: { clock, limits: { acknowledgeMs: ACKNOWLEDGE_MS * clockSpeed } },
      gateway: { clock, speed: gatewaySpeed, seed: 1, studio },
    });
    return new JobSimulation(sides);
  }

  async order({ ends, times }: JobInput): Promise<void> {
    const { faults, jobs } = this.#gateway;
    faults.add({ do: { type: 'slow', times } });
    if (ends === 'fails') faults.add({ do: 'fail' });
    const { promise: createdJob, resolve } = Promise.withResolvers<Job>();
    const onChange = (job: Job, previous: Job | undefined): void => {
      if (!previous) resolve(job);
    };
    jobs.on('change', onChange);
    const exchange = await this.#discord
      .as('member')
      .slash('imagine', { prompt: `a fox, number ${this.#orderedJobs.length}` });
    const { id } = await createdJob;
    jobs.off('change', onChange);
    this.#orderedJobs.push({ ends, times, jobId: id, exchange });
  }

  get openCount(): number {
    return this.#orderedJobs.filter((one) => !this.#edits(one).some(showsEnd)).length;
  }

  async figures(): Promise<JobFigures[]> {
    this.#readRequestLog();
    const [violation] = this.#discord.violations;
    if (violation) throw new Error(`The embedded Discord reported a violation: ${JSON.stringify(violation)}`);
    return Promise.all(this.#orderedJobs.map((one) => this.#figuresOf(one)));
  }

  async #figuresOf(one: OrderedJob): Promise<JobFigures> {
    const job = this.#gateway.jobs.get(one.jobId);
    const { edited_timestamp: editedAt } = await one.exchange.message();
    const pollTimes = this.#pollTimes.get(one.jobId) ?? [];
    const foundAt = pollTimes.at(-1) ?? Number.NaN;
    const edits = this.#edits(one);
    const endEdits = edits.filter(showsEnd);
    const uploadedBytes = endEdits.reduce(
      (sum, { files }) => sum + files.reduce((bytes, file) => bytes + file.bytes, 0),
      0,
    );
    if (uploadedBytes < (one.ends === 'image' ? MIN_IMAGE_BYTES : 0))
      throw new Error('A result was shown without its image.');
    const shownAt = Date.parse(editedAt ?? '');
    const { createdAt = Number.NaN, finishedAt = Number.NaN } = job ?? {};
    return {
      ends: one.ends,
      durationMs: finishedAt - createdAt,
      delay: shownAt - finishedAt,
      untilFound: foundAt - finishedAt,
      botDelay: shownAt - foundAt,
      polls: pollTimes.length,
      progressEdits: edits.length - endEdits.length,
      endEdits: endEdits.length,
    };
  }

  #edits({ exchange }: OrderedJob): RecordedRequest[] {
    return this.#discord.requests.filter(
      ({ method, path, status }) => method === 'PATCH' && status === 200 && path.includes(exchange.token),
    );
  }

  #readRequestLog(): void {
    for (const request of this.#gateway.requests) {
      const [, jobId] = /^\/imgx\/task\/(\d+)\/fetch$/.exec(request.path) ?? [];
      if (jobId === undefined || this.#seenRequests.has(request)) continue;
      this.#seenRequests.add(request);
      this.#pollTimes.set(jobId, [...(this.#pollTimes.get(jobId) ?? []), request.at]);
    }
  }
}

/** A running task shows a progress bar. */
const showsEnd = ({ body }: RecordedRequest): boolean =>
  !/^[▰▱]+ \d+ ?%$/m.test((body as { content?: string } | undefined)?.content ?? '');
