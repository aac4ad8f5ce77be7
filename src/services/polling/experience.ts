import type { TasksLog } from '../tasks/book.ts';
import type { Task } from '../tasks/task.ts';
import { type Duration, KEPT_DURATIONS, type TaskStore } from '../tasks/task-store.ts';
import { fitted, type Observation } from './fit.ts';
import { Law } from './law.ts';

/** So many jobs later, one counts half: queues and models change. */
const HALF_LIFE = 100;
/** Fewer jobs tell less than the specification does. */
const ENOUGH = 20;
/** What is known of a kind counts as so many jobs of one of its models, and less and less as that one has jobs of its own. */
const KIN = 10;
const KIN_UNTIL = 60;
/** A law is made anew once it could be so much better. */
const NEWS = 0.05;

/** A job from its taking to its end, or from the beginning of its run. */
export type Stretch = 'all' | 'run';

/** Jobs that end together are alike, and a busy gateway would have ended all that is kept within a second: one in so long a time speaks for all. */
const APART_MS = 500;

interface Known {
  durations: Duration[];
  laws: Partial<Record<Stretch, { law: Law | undefined; at: number }>>;
  /** How many have been learned in all. */
  count: number;
}

interface ExperienceParts {
  store: Pick<TaskStore, 'addDuration' | 'durations'>;
  log: TasksLog;
}

/** How long jobs have taken: kept in the store, and at hand as laws. */
export class Experience {
  readonly #parts: ExperienceParts;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<Duration[]>>();

  constructor(parts: ExperienceParts) {
    this.#parts = parts;
  }

  /** The law for a task; undefined as long as too little is known, or is still being read. */
  lawFor(task: Task, stretch: Stretch): Law | undefined {
    const [own, kin] = keysOf(task).map((key) => this.#atHand(key));
    if (!own || (!kin && hasKin(task))) return undefined;
    const made = own.laws[stretch];
    if (made && own.count - made.at < Math.max(1, NEWS * Math.min(own.count, own.durations.length))) return made.law;
    const observations = withKin(observed(own, stretch), kin ? observed(kin, stretch) : []);
    const law = weightOf(observations) < ENOUGH ? undefined : new Law(fitted(observations));
    own.laws[stretch] = { law, at: own.count };
    return law;
  }

  /** Never fails: how long a job took is worth less than the job. */
  async learn(task: Task, duration: Duration): Promise<void> {
    for (const key of keysOf(task)) {
      try {
        const known = await this.#read(key);
        const since = duration.at - (known.durations.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
        if (since >= 0 && since < APART_MS) continue;
        known.durations = [...known.durations, duration].slice(-KEPT_DURATIONS);
        known.count += 1;
        await this.#parts.store.addDuration(key, duration);
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'How long a job took could not be stored.');
      }
    }
  }

  #atHand(key: string): Known | undefined {
    const known = this.#known.get(key);
    if (known || this.#reading.has(key)) return known;
    this.#read(key).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'How long jobs take could not be read.');
    });
    return undefined;
  }

  /** Whoever asks after a failure tries again. */
  async #read(key: string): Promise<Known> {
    const known = this.#known.get(key);
    if (known) return known;
    const reading = this.#reading.get(key) ?? this.#parts.store.durations(key);
    this.#reading.set(key, reading);
    try {
      const durations = await reading;
      const read = this.#known.get(key) ?? { durations, laws: {}, count: durations.length };
      this.#known.set(key, read);
      return read;
    } finally {
      this.#reading.delete(key);
    }
  }
}

const hasKin = ({ kind, durationKey }: Task): boolean => durationKey !== kind;

/** Its own key, and that of its kind where that is another. */
function keysOf(task: Task): string[] {
  return hasKin(task) ? [task.durationKey, `all of ${task.kind}`] : [task.durationKey];
}

/** The latest says most. */
function observed({ durations }: Known, stretch: Stretch): Observation[] {
  return durations.flatMap(({ atLeastMs, atMostMs, waitedMs }, place) => {
    if (stretch === 'run' && waitedMs === undefined) return [];
    const waited = stretch === 'run' ? (waitedMs ?? 0) : 0;
    const weight = 0.5 ** ((durations.length - 1 - place) / HALF_LIFE);
    return [{ atLeastMs: atLeastMs - waited, atMostMs: atMostMs - waited, weight }];
  });
}

/** Shrunk towards what is known of the whole kind. */
function withKin(own: readonly Observation[], kin: readonly Observation[]): Observation[] {
  const part = KIN * Math.max(0, 1 - weightOf(own) / KIN_UNTIL);
  const scale = Math.min(1, part / weightOf(kin));
  return scale > 0 ? [...own, ...kin.map((one) => ({ ...one, weight: one.weight * scale }))] : [...own];
}

function weightOf(observations: readonly Observation[]): number {
  return observations.reduce((sum, { weight }) => sum + weight, 0);
}
