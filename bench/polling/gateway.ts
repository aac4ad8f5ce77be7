import type { Snapshot } from '../../src/services/gateway/index.ts';
import type { Submission } from '../../src/services/gateway/read/snapshot.ts';
import type { Source } from '../../src/services/tasks/kind.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The round trip to the gateway. */
const ONE_WAY_MS = 20;
/** The shares of a job's duration at which its progress is called back. */
const CALLBACK_SHARES = [0.25, 0.5, 0.75];

export interface Job {
  /** How long the job takes, from the moment the gateway has received it. */
  ms: number;
  endsAt: number;
  questions: number;
}

/** A simulated gateway in the same process, which knows when its jobs end and is never late. */
export class SimulatedGateway {
  readonly #clock: VirtualClock;
  readonly jobs = new Map<string, Job>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** `callBack` is called when the job changes, after the time that a request takes. */
  async submit(ms: number, callBack?: (said: 'progress' | 'end') => void): Promise<Submission> {
    await this.#clock.wait(ONE_WAY_MS);
    const remoteId = `${this.jobs.size + 1}`;
    this.jobs.set(remoteId, { ms, endsAt: this.#clock.now() + ms, questions: 0 });
    if (callBack) {
      for (const share of CALLBACK_SHARES) this.#clock.after(share * ms + ONE_WAY_MS, () => callBack('progress'));
      this.#clock.after(ms + ONE_WAY_MS, () => callBack('end'));
    }
    await this.#clock.wait(ONE_WAY_MS);
    return { remoteId, needsInput: false, finalPrompt: undefined, queuedBehind: undefined };
  }

  source(name: string): Source {
    return {
      name,
      pollOne: async (remoteId) => {
        await this.#clock.wait(ONE_WAY_MS);
        const job = this.jobs.get(remoteId);
        if (!job) throw new Error(`There is no job ${remoteId}.`);
        job.questions += 1;
        const hasEnded = this.#clock.now() >= job.endsAt;
        await this.#clock.wait(ONE_WAY_MS);
        return hasEnded ? { ...RUNNING, remoteId, state: 'succeeded' } : { ...RUNNING, remoteId };
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
