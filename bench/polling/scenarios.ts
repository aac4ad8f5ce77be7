import { type Draw, logNormal, mixtureOf } from './laws.ts';
import type { JobType, Scenario, Stream } from './run.ts';

/** The settings' defaults: GATEWAY_POLLS_PER_SECOND, and the part of GATEWAY_CONNECTIONS that polls may use. */
const DEFAULT_BUDGET = { perSecond: 100, inFlight: 24 };
const JOBS = 4_000;
/** Few enough jobs that the assumed durations still affect the schedule. */
const FIRST_JOBS = 150;
/** A few jobs are not conclusive, so such scenarios are run several times. */
const RUNS = 5;
const COLD_JOBS = 100;
const SIGMAS = [0.3, 0.4, 0.5, 0.6, 0.8] as const;
const SIGMA = 0.4;

const jobTypes = {
  image: { name: 'images', median: 20, every: 0.5 },
  video: { name: 'videos', median: 120, every: 1.5 },
} as const satisfies Partial<Record<JobType, object>>;

export interface NamedScenario extends Scenario {
  name: string;
  /** The number of runs, each with its own random numbers. */
  runs?: number;
}

function singleStream(name: string, stream: Stream, countedJobs = JOBS): NamedScenario {
  return { name, streams: [stream], countedJobs, ...DEFAULT_BUDGET };
}

/** Ample capacity, and an empty store: everything is learned during the run. */
export function ampleCapacityScenarios(): NamedScenario[] {
  return (['image', 'video'] as const).flatMap((jobType) => {
    const { name, median, every } = jobTypes[jobType];
    const arrival = { every };
    return [
      ...SIGMAS.map((sigma) =>
        singleStream(`${name}, sigma ${sigma}`, { jobType, arrival, draw: logNormal(median, sigma) }),
      ),
      singleStream(`${name}, 60% of them four times as quick as the rest`, { jobType, arrival, draw: bimodal(median) }),
    ];
  });
}

/** The gateway reports a percentage: in nine even steps, as the square of the time, or quickly up to 99, where it stays. */
export function percentageScenarios(): NamedScenario[] {
  const laws = {
    'in nine steps': (share: number) => Math.floor(share * 9) * 11,
    'slow at first': (share: number) => 100 * share ** 2,
    'stays at 99': (share: number) => Math.min(99, 250 * share),
  };
  return (['image', 'video'] as const).flatMap((jobType) => {
    const { name, median, every } = jobTypes[jobType];
    const stream = { jobType, arrival: { every }, draw: logNormal(median, SIGMA) };
    return Object.entries(laws).flatMap(([law, percentAt]) => [
      { ...singleStream(`${name}, ${law}: the first ${COLD_JOBS}`, { ...stream, percentAt }, COLD_JOBS), runs: RUNS },
      singleStream(`${name}, ${law}`, { ...stream, percentAt }),
    ]);
  });
}

/** A new bot, and a bot that has been running for a while. */
export function coldAndWarmScenarios(): NamedScenario[] {
  const draw = logNormal(jobTypes.image.median, SIGMA);
  const stream: Stream = { jobType: 'image', arrival: { every: jobTypes.image.every }, draw };
  return [
    { ...singleStream(`images, nothing known: the first ${COLD_JOBS}`, stream, COLD_JOBS), runs: RUNS },
    singleStream('images, durations known', { ...stream, assumed: draw }),
  ];
}

/** The same jobs without callback URLs, and with URLs of which none, half and all are called back. */
export function callbackScenarios(): { name: string; variants: readonly NamedScenario[] }[] {
  return (['image', 'video'] as const).flatMap((jobType) => {
    const { name, median, every } = jobTypes[jobType];
    return (
      [
        [`${name}, sigma ${SIGMA}`, logNormal(median, SIGMA)],
        [`${name}, 60% of them four times as quick as the rest`, bimodal(median)],
      ] as const
    ).map(([title, draw]) => {
      const base = singleStream(title, { jobType, arrival: { every }, draw });
      return { name: title, variants: [base, ...[0, 0.5, 1].map((share) => ({ ...base, callbackShare: share }))] };
    });
  });
}

/** The store has the durations of 200 jobs that followed another distribution. */
export function wrongAssumptionScenarios(): NamedScenario[] {
  return (['image', 'video'] as const).flatMap((jobType) => {
    const { name, median, every } = jobTypes[jobType];
    const draw = logNormal(median, SIGMA);
    return (
      [
        ['half', 0.5],
        ['double', 2],
      ] as const
    ).flatMap(([label, factor]) => {
      const stream = { jobType, arrival: { every }, draw, assumed: logNormal(factor * median, SIGMA) };
      const title = `${name}, assumed median ${label} the real one`;
      return [
        singleStream(`${title}: the first ${FIRST_JOBS}`, stream, FIRST_JOBS),
        singleStream(`${title}: all`, stream),
      ];
    });
  });
}

/** More polls are due than the limits allow. */
export function overloadScenarios(): NamedScenario[] {
  const stream = (jobType: JobType, live: number, median: number): Stream => ({
    jobType,
    arrival: { live },
    draw: logNormal(median, SIGMA),
  });
  const burst: Stream = { jobType: 'image', arrival: { atOnce: 1_000 }, draw: logNormal(20, SIGMA) };
  return [
    { ...singleStream('1,000 images at once, nothing known, 100 polls a second', burst, 1_000), runs: RUNS },
    { ...singleStream('the same, durations known', { ...burst, assumed: burst.draw }, 1_000), runs: RUNS },
    {
      name: '5,000 live tasks, 1,000 polls a second',
      streams: [stream('image', 3_500, 20), stream('video', 1_250, 120), stream('music', 250, 90)],
      perSecond: 1_000,
      inFlight: 192,
      warmUpJobs: 15_000,
      countedJobs: 20_000,
    },
  ];
}

function bimodal(median: number): Draw {
  return mixtureOf(0.6, logNormal(median / 2, 0.2), logNormal(2 * median, 0.2));
}
