import { type Draw, logNormal, mixed } from './laws.ts';
import type { Scenario, Sort, Stream } from './run.ts';

/** The settings' defaults: GATEWAY_POLLS_PER_SECOND, and the part of GATEWAY_CONNECTIONS that polls may use. */
const DEFAULT_BUDGET = { perSecond: 100, inFlight: 24 };
const JOBS = 4_000;
/** So few jobs that the assumed durations still count. */
const FIRST_JOBS = 150;
/** A few jobs are not conclusive, so such scenarios are run several times. */
const RUNS = 5;
const COLD_JOBS = 100;
const SIGMAS = [0.3, 0.4, 0.5, 0.6, 0.8] as const;
const SIGMA = 0.4;

const sorts = {
  image: { name: 'images', median: 20, every: 0.5 },
  video: { name: 'videos', median: 120, every: 1.5 },
} as const satisfies Partial<Record<Sort, object>>;

export interface Named extends Scenario {
  name: string;
  /** The number of runs, each with its own random numbers. */
  runs?: number;
}

function alone(name: string, stream: Stream, counted = JOBS): Named {
  return { name, streams: [stream], counted, ...DEFAULT_BUDGET };
}

/** Plenty of room, and nothing in the store: everything is learned during the run. */
export function unhurried(): Named[] {
  return (['image', 'video'] as const).flatMap((sort) => {
    const { name, median, every } = sorts[sort];
    const coming = { every };
    return [
      ...SIGMAS.map((sigma) => alone(`${name}, sigma ${sigma}`, { sort, coming, draw: logNormal(median, sigma) })),
      alone(`${name}, 60 % of them four times as quick as the rest`, { sort, coming, draw: twoHumps(median) }),
    ];
  });
}

/** A new bot, and a bot that has been running for a while. */
export function coldAndWarm(): Named[] {
  const draw = logNormal(sorts.image.median, SIGMA);
  const stream: Stream = { sort: 'image', coming: { every: sorts.image.every }, draw };
  return [
    { ...alone(`images, nothing known: the first ${COLD_JOBS}`, stream, COLD_JOBS), runs: RUNS },
    alone('images, durations known', { ...stream, believed: draw }),
  ];
}

/** The same jobs without callback URLs, and with URLs of which none, half and all are called back. */
export function calledBack(): { name: string; ways: readonly Named[] }[] {
  return (['image', 'video'] as const).flatMap((sort) => {
    const { name, median, every } = sorts[sort];
    return (
      [
        [`${name}, sigma ${SIGMA}`, logNormal(median, SIGMA)],
        [`${name}, 60 % of them four times as quick as the rest`, twoHumps(median)],
      ] as const
    ).map(([title, draw]) => {
      const base = alone(title, { sort, coming: { every }, draw });
      return { name: title, ways: [base, ...[0, 0.5, 1].map((share) => ({ ...base, calledBack: share }))] };
    });
  });
}

/** The store has the durations of 200 jobs that followed another law. */
export function wronglyBelieved(): Named[] {
  return (['image', 'video'] as const).flatMap((sort) => {
    const { name, median, every } = sorts[sort];
    const draw = logNormal(median, SIGMA);
    return (
      [
        ['half', 0.5],
        ['double', 2],
      ] as const
    ).flatMap(([word, factor]) => {
      const stream = { sort, coming: { every }, draw, believed: logNormal(factor * median, SIGMA) };
      const what = `${name}, their median thought ${word}`;
      return [alone(`${what}: the first ${FIRST_JOBS}`, stream, FIRST_JOBS), alone(`${what}: all`, stream)];
    });
  });
}

/** More polls are wanted than there is room for. */
export function crowded(): Named[] {
  const stream = (sort: Sort, live: number, median: number): Stream => ({
    sort,
    coming: { live },
    draw: logNormal(median, SIGMA),
  });
  const burst: Stream = { sort: 'image', coming: { atOnce: 1_000 }, draw: logNormal(20, SIGMA) };
  return [
    { ...alone('1,000 images at once, nothing known, 100 polls a second', burst, 1_000), runs: RUNS },
    { ...alone('the same, durations known', { ...burst, believed: burst.draw }, 1_000), runs: RUNS },
    {
      name: '5,000 live tasks, 1,000 polls a second',
      streams: [stream('image', 3_500, 20), stream('video', 1_250, 120), stream('music', 250, 90)],
      perSecond: 1_000,
      inFlight: 192,
      before: 15_000,
      counted: 20_000,
    },
  ];
}

function twoHumps(median: number): Draw {
  return mixed(0.6, logNormal(median / 2, 0.2), logNormal(2 * median, 0.2));
}
