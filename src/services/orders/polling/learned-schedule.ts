import { HOUR_MS } from '../../../lib/clock.ts';
import { RecentMap } from '../../../lib/recent-map.ts';
import type { WaitLimit } from '../../tasks/kind.ts';
import type { Task } from '../../tasks/task.ts';
import type { TasksLog } from '../book.ts';
import { type Duration, type DurationStore, MAX_DURATIONS_PER_KEY } from '../task-store.ts';
import { DurationModel, POLLING_PROFILES } from './duration-model.ts';
import { fitHistogram, type Observation, weightOf } from './histogram.ts';
import { overdueGap, type Schedule, specSchedule, taskAge } from './schedule.ts';

/** A job counts half once this many newer ones are known, because queues and models change. */
const HALF_WEIGHT_AFTER_JOBS = 100;
/** If nothing is assumed, fewer jobs than this are less informative than the specification. */
const MIN_JOBS = 20;
/** A kind's durations, or assumed ones, count as this many jobs of one of its models, and less and less as that model has its own. */
const OTHER_JOBS_WEIGHT = 10;
const OTHER_JOBS_WEIGHT_UNTIL = 60;
/** A distribution is computed again after this share of new jobs. */
const RECOMPUTE_SHARE = 0.05;

const LATEST_JOBS = 10;
const LATEST_MS = 6 * HOUR_MS;
const MIN_LATEST_JOBS = 3;

/** A job from its acceptance to its end, or from the start of its run, or its end as a share of the predicted one, times the profile's unit. */
type Span = 'all' | 'run' | 'share';

/** The ends of fewer jobs do not show how good a gateway's percentages are. */
const MIN_PREDICTED_JOBS = 10;
/** Of the specification's polls. More of them would hardly find a predicted end sooner. */
const PREDICTED_POLL_SHARE = 0.53;
const MAX_PREDICTIONS = 10_000;

/** Jobs that end together are alike. Only one per interval is recorded, because otherwise a busy gateway would replace all durations within a second. */
const MIN_INTERVAL_MS = 500;

interface KnownDurations {
  durations: Duration[];
  models: Partial<Record<Span, { model: DurationModel | undefined; at: number }>>;
  count: number;
}

export class DurationHistory {
  readonly #store: DurationStore;
  readonly #waitLimitOf: (task: Task) => WaitLimit;
  readonly #log: TasksLog;
  readonly #durationsByKey = new Map<string, KnownDurations | Promise<KnownDurations>>();
  /** By task: the prediction of the percentage that was closest to a half. Early ones say little, and late ones differ little from the end. */
  readonly #predictions = new RecentMap<string, { percent: number; ms: number }>(MAX_PREDICTIONS);

  constructor(store: DurationStore, waitLimitOf: (task: Task) => WaitLimit, log: TasksLog) {
    this.#store = store;
    this.#waitLimitOf = waitLimitOf;
    this.#log = log;
  }

  /** Undefined while too little is known or assumed, or durations are still being read. */
  modelFor(task: Task, span: Span): DurationModel | undefined {
    const [modelDurations, kindDurations] = keysOf(task).map((key) => this.#cached(key));
    if (!modelDurations || (!kindDurations && hasKindKey(task))) return undefined;
    const cachedModel = modelDurations.models[span];
    if (
      cachedModel &&
      modelDurations.count - cachedModel.at <
        Math.max(1, RECOMPUTE_SHARE * Math.min(modelDurations.count, modelDurations.durations.length))
    )
      return cachedModel.model;
    const profile = {
      ...POLLING_PROFILES[this.#waitLimitOf(task)],
      ...(span === 'share' && { pollShare: PREDICTED_POLL_SHARE }),
    };
    const observations = withOthers(
      observationsOf(modelDurations, span, profile.unitMs),
      kindDurations ? observationsOf(kindDurations, span, profile.unitMs) : [],
    );
    const assumed = span === 'all' ? profile.assumed : [];
    const minJobs = span === 'share' ? MIN_PREDICTED_JOBS : MIN_JOBS;
    const isEnough = assumed.length > 0 || weightOf(observations) >= minJobs;
    const model = isEnough ? new DurationModel(fitHistogram(withOthers(observations, assumed)), profile) : undefined;
    modelDurations.models[span] = { model, at: modelDurations.count };
    return model;
  }

  unitMsOf(task: Task): number {
    return POLLING_PROFILES[this.#waitLimitOf(task)].unitMs;
  }

  notePrediction(task: Task, now: number): void {
    const { id, progress: percent = 0 } = task;
    const ms = predictedMs(task, now);
    const known = this.#predictions.get(id);
    if (ms !== undefined && (!known || Math.abs(percent - 50) < Math.abs(known.percent - 50)))
      this.#predictions.set(id, { percent, ms });
  }

  /** The median duration of the latest jobs; undefined if too few of them are recent, or they are still being read. */
  typicalMs(key: string, now: number): number | undefined {
    const latest = this.#cached(key)?.durations.slice(-LATEST_JOBS) ?? [];
    const times = latest.filter(({ at }) => now - at < LATEST_MS).map(({ atMostMs }) => atMostMs);
    return times.length < MIN_LATEST_JOBS ? undefined : times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
  }

  /** Never fails, because losing a duration must not affect the job. */
  async learn(task: Task, observed: Duration): Promise<void> {
    const prediction = this.#predictions.get(task.id);
    this.#predictions.delete(task.id);
    const duration = { ...observed, ...(prediction && { predictedMs: prediction.ms }) };
    for (const key of keysOf(task)) {
      try {
        const known = await this.#read(key);
        const since = duration.at - (known.durations.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
        if (since >= 0 && since < MIN_INTERVAL_MS) continue;
        known.durations = [...known.durations, duration].slice(-MAX_DURATIONS_PER_KEY);
        known.count += 1;
        await this.#store.addDuration(key, duration);
      } catch (error) {
        this.#log.warn({ err: error }, 'A duration could not be stored.');
      }
    }
  }

  #cached(key: string): KnownDurations | undefined {
    const known = this.#durationsByKey.get(key);
    if (known) return known instanceof Promise ? undefined : known;
    this.#read(key).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'Durations could not be read.');
    });
    return undefined;
  }

  /** A failed read is retried by the next caller. */
  async #read(key: string): Promise<KnownDurations> {
    const known = this.#durationsByKey.get(key);
    if (known) return known;
    try {
      const reading = this.#store
        .durations(key)
        .then((durations) => ({ durations, models: {}, count: durations.length }));
      this.#durationsByKey.set(key, reading);
      const entry = await reading;
      this.#durationsByKey.set(key, entry);
      return entry;
    } catch (error) {
      this.#durationsByKey.delete(key);
      throw error;
    }
  }
}

const hasKindKey = ({ kind, durationKey }: Task): boolean => durationKey !== kind;

const keysOf = (task: Task): string[] =>
  hasKindKey(task) ? [task.durationKey, `all of ${task.kind}`] : [task.durationKey];

function observationsOf({ durations }: KnownDurations, span: Span, unitMs: number): Observation[] {
  return durations.flatMap(({ atLeastMs, atMostMs, waitedMs, predictedMs }, index) => {
    const needed = { all: atMostMs, run: waitedMs, share: predictedMs }[span];
    if (needed === undefined) return [];
    const waitMs = span === 'run' ? needed : 0;
    const scale = span === 'share' ? unitMs / needed : 1;
    const weight = 0.5 ** ((durations.length - 1 - index) / HALF_WEIGHT_AFTER_JOBS);
    return [{ atLeastMs: (atLeastMs - waitMs) * scale, atMostMs: (atMostMs - waitMs) * scale, weight }];
  });
}

/** Shrinks towards the durations of other jobs: those of the whole kind, or assumed ones. */
function withOthers(ownObservations: readonly Observation[], otherObservations: readonly Observation[]): Observation[] {
  const othersWeight = OTHER_JOBS_WEIGHT * Math.max(0, 1 - weightOf(ownObservations) / OTHER_JOBS_WEIGHT_UNTIL);
  const scale = Math.min(1, othersWeight / weightOf(otherObservations));
  return scale > 0
    ? [...ownObservations, ...otherObservations.map((one) => ({ ...one, weight: one.weight * scale }))]
    : [...ownObservations];
}

/** How far the gateway's percentage can override the learned durations. */
const MAX_STRETCH = 2;

/**
 * Polls when jobs of the same kind, model and mode have usually ended. Until that is
 * known, image jobs are polled by assumed durations, and all others as the specification says.
 * `pressure`: the factor by which gaps grow because polls are scarce; 1 if there is enough capacity.
 */
export const learnedSchedule =
  (history: DurationHistory, pressure: () => number, missedShare: MissedShare = () => 1): Schedule =>
  (task, now) => {
    const overdueGapMs = overdueGap(task, now);
    if (overdueGapMs !== undefined) return now + overdueGapMs;
    const factor = Math.max(1, pressure());
    const modelAndAge = modelFor(task, now, history);
    const missed = missedShare(task);
    if (!modelAndAge) return now + sparseGap(specSchedule(task, now) - now, missed) * factor;
    const share = sparseShare(missed);
    const { model, age, stretch = stretchOf(model, age, task.progress) } = modelAndAge;
    const gap = model.nextAge(age / stretch, factor, share) * stretch - age;
    return now + Math.min(model.longestGapMs(factor, share), Math.max(0, gap));
  };

/** A distribution of durations, and the task's age in it. The wait for a prompt is the member's time, for which there is no distribution. */
function modelFor(task: Task, now: number, history: DurationHistory): ModelAndAge | undefined {
  const { started, wordsTaken } = task.times;
  if (task.state === 'needs-input') return undefined;
  const stretch = (predictedMs(task, now) ?? 0) / history.unitMsOf(task);
  const isUsual = stretch < MAX_SHARE_STRETCH && 1 / stretch < MAX_SHARE_STRETCH;
  const shareModel = isUsual ? history.modelFor(task, 'share') : undefined;
  if (shareModel) return { model: shareModel, age: now - durationStart(task), stretch };
  const runModel = history.modelFor(task, 'run');
  if (runModel && started !== undefined) return { model: runModel, age: Math.max(0, now - started) };
  // A queued task may start at any moment, and cannot end before its run is over.
  if (runModel && task.state === 'queued') return { model: runModel, age: 0 };
  const model = history.modelFor(task, 'all');
  return model && { model, age: Math.max(0, wordsTaken === undefined ? taskAge(task, now) : now - wordsTaken) };
}

interface ModelAndAge {
  model: DurationModel;
  age: number;
  /** How many times as long as in the model this job takes, if the model contains predictions. */
  stretch?: number;
}

const durationStart = ({ times: { accepted, created, wordsTaken } }: Task): number => wordsTaken ?? accepted ?? created;

/** How far a prediction can be from the profile's unit. Gaps are as many times as long or short as the unit's. */
const MAX_SHARE_STRETCH = 3;
/** Some gateways count to 99 and stay there. */
const MAX_PERCENT = 95;

/** The duration of a job that continues as evenly as the percentage says. */
function predictedMs(task: Task, now: number): number | undefined {
  const { progress: percent = 0, state, times } = task;
  const since = durationStart(task);
  const start = Math.max(since, times.started ?? since);
  if (state !== 'running' || !(percent > 0 && percent < MAX_PERCENT && now > start)) return undefined;
  return start - since + ((now - start) * 100) / percent;
}

/**
 * How many times as long as usual this job takes, by the gateway's percentage, which counts more the further the job is, since it says little
 * at the start, and never overrides the learned durations by much, since some gateways count to 99 and stay there.
 */
function stretchOf(model: DurationModel, age: number, percent: number | undefined): number {
  const progress = (percent ?? 0) / 100;
  const medianAge = model.medianFrom(age);
  if (!(progress > 0 && progress < MAX_PERCENT / 100 && age > 0 && Number.isFinite(medianAge))) return 1;
  const predictedDuration = age / progress;
  return Math.min(MAX_STRETCH, Math.max(1 / MAX_STRETCH, (predictedDuration / medianAge) ** progress));
}

/** The share of tasks whose end is not called back, from 0 to 1; without callbacks it is 1. */
export type MissedShare = (task: Task) => number;

/** Few steps, since each model calculates a density for each of them. */
const SHARE_STEPS = 8;

/**
 * The share of a task's polls that is still worth making: a poll that a callback makes unnecessary is worth nothing, and the
 * best density of polls follows the square root of their worth.
 */
const sparseShare = (missed: number): number => Math.round(SHARE_STEPS * Math.sqrt(missed)) / SHARE_STEPS;

/** However reliable callbacks are, some polls remain: a gap grows at most by this factor and to this length. */
const MAX_GAP_FACTOR = 8;
const MAX_GAP_MS = 60_000;

/** A gap of a schedule that does not know how long jobs take. */
const sparseGap = (gapMs: number, missed: number): number =>
  Math.max(gapMs, Math.min(MAX_GAP_MS, gapMs / Math.max(1 / MAX_GAP_FACTOR, sparseShare(missed))));

export const sparseSchedule =
  (schedule: Schedule, missedShare: MissedShare): Schedule =>
  (task, now) =>
    now + sparseGap(schedule(task, now) - now, missedShare(task));
