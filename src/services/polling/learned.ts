import type { Task } from '../tasks/task.ts';
import type { Experience } from './experience.ts';
import type { Law } from './law.ts';
import { ageOf, type Schedule, slowGap } from './schedule.ts';
import { specSchedule } from './spec.ts';

/** How far from all experience the gateway's own percentage may lead. */
const MOST_STRETCH = 2;

interface LearnedParts {
  experience: Pick<Experience, 'lawFor'>;
  /** How many times as far apart questions are to be as they would be with room for all of them; 1 where there is room. */
  pressure: () => number;
}

/** Asks when jobs of the same kind, model and mode have usually ended; as the specification says until it is known when that is. */
export class LearnedSchedule implements Schedule {
  readonly #parts: LearnedParts;

  constructor(parts: LearnedParts) {
    this.#parts = parts;
  }

  nextAt(task: Task, now: number): number {
    const slow = slowGap(task, now);
    if (slow !== undefined) return now + slow;
    const pressure = Math.max(1, this.#parts.pressure());
    const known = this.#lawFor(task, now);
    if (!known) return now + (specSchedule.nextAt(task, now) - now) * pressure;
    const { law, age } = known;
    const stretch = stretchOf(law, age, task.progress);
    return now + Math.max(0, law.next(age / stretch, pressure) * stretch - age);
  }

  /** A law, and how far along it the task is. A member who is asked for words takes their own time, and no law knows it. */
  #lawFor(task: Task, now: number): { law: Law; age: number } | undefined {
    const { experience } = this.#parts;
    const { started, wordsTaken } = task.times;
    if (task.state === 'needs-input') return undefined;
    const runs = experience.lawFor(task, 'run');
    if (runs && started !== undefined) return { law: runs, age: Math.max(0, now - started) };
    // What waits at the gateway may begin any moment, and not end before its run is over.
    if (runs && task.state === 'queued') return { law: runs, age: 0 };
    const law = experience.lawFor(task, 'all');
    return law && { law, age: Math.max(0, wordsTaken === undefined ? ageOf(task, now) : now - wordsTaken) };
  }
}

/**
 * How many times as long as usual this job seems to take, by the gateway's own percentage. It is believed the more, the further along the
 * job is, for at the beginning it says next to nothing, and never far against experience, for some gateways count to 99 and stay there.
 */
function stretchOf(law: Law, age: number, percent: number | undefined): number {
  const progress = (percent ?? 0) / 100;
  const usual = law.medianFrom(age);
  if (!(progress > 0 && progress < 1 && age > 0 && Number.isFinite(usual))) return 1;
  const told = age / progress;
  return Math.min(MOST_STRETCH, Math.max(1 / MOST_STRETCH, (told / usual) ** progress));
}
