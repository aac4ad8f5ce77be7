import type { Snapshot, Submission } from '../../src/services/gateway/snapshot.ts';
import type { Source } from '../../src/services/tasks/kind.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How long a request takes to reach the gateway, and a response to come back. */
const ONE_WAY_MS = 20;
/** The shares of a job's duration after which a callback reports its progress. */
const CALLBACK_SHARES = [0.25, 0.5, 0.75];

export interface Job {
  /** How long the job takes, from the moment the gateway has received it. */
  ms: number;
  endsAt: number;
  polls: number;
}

/** A simulated gateway in the same process, which knows when its jobs end and is never late. */
export class SimulatedGateway {
  readonly #clock: VirtualClock;
  readonly jobs = new Map<string, Job>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** `callBack` is called when the job changes, delayed by the time that a request takes. */
  async submit(ms: number, callBack?: (event: 'progress' | 'end') => void): Promise<Submission> {
    await this.#clock.wait(ONE_WAY_MS);
    const remoteId = `${this.jobs.size + 1}`;
    this.jobs.set(remoteId, { ms, endsAt: this.#clock.now() + ms, polls: 0 });
    if (callBack) {
      for (const share of CALLBACK_SHARES) this.#clock.after(share * ms + ONE_WAY_MS, () => callBack('progress'));
      this.#clock.after(ms + ONE_WAY_MS, () => callBack('end'));
    }
    await this.#clock.wait(ONE_WAY_MS);
    return { remoteId, needsInput: false, finalPrompt: undefined, queuedBehind: undefined };
  }

  /** `percentAt`: what the gateway reports after this share of a job's duration. */
  source(name: string, percentAt: (share: number) => number | undefined = () => undefined): Source {
    return {
      name,
      endpoint: {
        get: async (remoteId) => {
          await this.#clock.wait(ONE_WAY_MS);
          const job = this.jobs.get(remoteId);
          if (!job) throw new Error(`There is no job ${remoteId}.`);
          job.polls += 1;
          const now = this.#clock.now();
          await this.#clock.wait(ONE_WAY_MS);
          if (now >= job.endsAt) return { ...RUNNING, remoteId, state: 'succeeded' };
          return { ...RUNNING, remoteId, progress: percentAt(1 - (job.endsAt - now) / job.ms) };
        },
      },
    };
  }
}

const RUNNING: Snapshot = {
  remoteId: undefined,
  state: 'running',
  word: '',
  progress: undefined,
  action: undefined,
  media: [],
  preview: undefined,
  tracks: [],
  text: undefined,
  actions: [],
  seed: undefined,
  failure: undefined,
  cost: undefined,
  isEmpty: false,
  submittedAt: undefined,
  startedAt: undefined,
  finishedAt: undefined,
};
