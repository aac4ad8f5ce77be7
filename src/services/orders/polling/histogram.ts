/** Each bin is this many times as long as the one before, so the grid is as fine at seconds as at minutes. */
const BIN_RATIO = 1.08;
const FIRST_EDGE_MS = 1_000;
/** A little more than two hours; longer jobs are polled slowly. */
const BIN_COUNT = 118;

const LOG_STEP = Math.log(BIN_RATIO);
/** The edges of the bins. The first bin contains everything below one second. */
export const BIN_EDGES: Float64Array = Float64Array.from({ length: BIN_COUNT + 1 }, (_, edge) =>
  edge === 0 ? 0 : FIRST_EDGE_MS * BIN_RATIO ** (edge - 1),
);

export const emptyBins = (): Float64Array => new Float64Array(BIN_COUNT);

const edge = (index: number): number => BIN_EDGES[index] ?? 0;

export const binWidth = (bin: number): number => edge(bin + 1) - edge(bin);

/** Ages beyond the grid are in the last bin. */
function binOf(age: number): number {
  if (!(age >= FIRST_EDGE_MS)) return 0;
  const bin = Math.min(BIN_COUNT - 1, 1 + Math.floor(Math.log(age / FIRST_EDGE_MS) / LOG_STEP));
  // The logarithm of an edge may fall on either side of it.
  return age < edge(bin) ? bin - 1 : bin;
}

export function valueAt(values: Float64Array, age: number): number {
  const bin = binOf(age);
  const share = Math.min(1, Math.max(0, (age - edge(bin)) / binWidth(bin)));
  const lower = values[bin] ?? 0;
  return lower + share * ((values[bin + 1] ?? 0) - lower);
}

/** The age at which rising values reach `target`; infinity if they do not. */
export function ageAt(values: Float64Array, target: number): number {
  let low = 0;
  let high = BIN_COUNT;
  if (!(target < (values[high] ?? 0))) return Number.POSITIVE_INFINITY;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) <= target) low = middle;
    else high = middle;
  }
  const lower = values[low] ?? 0;
  const rise = (values[high] ?? 0) - lower;
  return edge(low) + (rise > 0 ? Math.max(0, target - lower) / rise : 1) * binWidth(low);
}

/** When a job ended: somewhere between these ages, because polls cannot tell exactly when. */
export interface Observation {
  atLeastMs: number;
  atMostMs: number;
  weight: number;
}

export const weightOf = (observations: readonly Observation[]): number =>
  observations.reduce((sum, { weight }) => sum + weight, 0);

/** Rounds of distributing every observation over the ages at which the others make its end likely. */
const FIT_ROUNDS = 2;
/** The weight, in jobs, of the assumption that anything may happen. */
const PRIOR_WEIGHT = 2;
/** The shape of that assumption, log-logistic: its middle half is between 0.58 and 1.7 times the median. */
const PRIOR_SHAPE = 0.5;
/** The least blur, in natural logarithms, because queues make the jobs of an hour alike. */
const MIN_BLUR = 0.04;
const BLUR_FACTOR = 0.9;

/**
 * How likely a job is to end in each bin, from earlier jobs: a histogram of the observations, smoothed as much as their number requires, so it may
 * have several humps. An observation is an interval; where in it the end was is estimated from the histogram itself, in a few rounds
 * (expectation, maximisation, smoothing).
 */
export function fitHistogram(observations: readonly Observation[]): Float64Array {
  const uniform = emptyBins().map((_, bin) => binWidth(bin));
  const initial = distribute(observations, uniform);
  const blur = blurWith(kernelOf(initial, effectiveCount(observations)));
  let masses = initial;
  for (let round = 0; round < FIT_ROUNDS; round += 1) masses = distribute(observations, blur(masses));
  return withPrior(blur(masses), effectiveCount(observations));
}

/** Spreads each observation over the bins of its interval in proportion to these masses. */
function distribute(observations: readonly Observation[], masses: Float64Array): Float64Array {
  const total = weightOf(observations);
  const result = emptyBins();
  for (const { atLeastMs, atMostMs, weight } of observations) {
    const start = Math.max(0, Math.min(atLeastMs, atMostMs));
    const end = Math.max(start + 1, atMostMs);
    const [firstBin, lastBin] = [binOf(start), binOf(end)];
    const likelihood = (bin: number): number =>
      ((masses[bin] ?? 0) / binWidth(bin)) * Math.max(0, Math.min(end, edge(bin + 1)) - Math.max(start, edge(bin)));
    let sum = 0;
    for (let bin = firstBin; bin <= lastBin; bin += 1) sum += likelihood(bin);
    for (let bin = firstBin; bin <= lastBin; bin += 1) {
      const share = sum > 0 ? likelihood(bin) / sum : 1 / (lastBin - firstBin + 1);
      result[bin] = (result[bin] ?? 0) + (weight / total) * share;
    }
  }
  return result;
}

/** The effective sample size: the number of observations of equal weight that would be as informative. */
const effectiveCount = (observations: readonly Observation[]): number =>
  weightOf(observations) ** 2 / observations.reduce((all, { weight }) => all + weight ** 2, 0);

/** A bell curve over neighbouring bins, as wide as Silverman's rule requires for this number of observations. */
function kernelOf(masses: Float64Array, count: number): Float64Array {
  const blur = Math.max(MIN_BLUR, (BLUR_FACTOR * spreadOf(masses)) / count ** 0.2) / LOG_STEP;
  const radius = Math.ceil(3 * blur);
  const bell = Float64Array.from({ length: 2 * radius + 1 }, (_, index) =>
    Math.exp(-0.5 * ((index - radius) / blur) ** 2),
  );
  const sum = bell.reduce((all, height) => all + height, 0);
  return bell.map((height) => height / sum);
}

/** A quarter of a normal distribution is within this many standard deviations about its middle. */
const QUARTER_WIDTH = 0.637;

/** The spread in natural logarithms, measured on the narrowest quarter, because the distance between two humps would blur both into one. */
function spreadOf(masses: Float64Array): number {
  let narrowest = masses.length;
  let sum = 0;
  let end = 0;
  for (let begin = 0; begin < masses.length; begin += 1) {
    while (end < masses.length && sum < 0.25) {
      sum += masses[end] ?? 0;
      end += 1;
    }
    if (sum < 0.25) break;
    narrowest = Math.min(narrowest, end - begin);
    sum -= masses[begin] ?? 0;
  }
  return Math.min(deviationOf(masses), (narrowest * LOG_STEP) / QUARTER_WIDTH);
}

function deviationOf(masses: Float64Array): number {
  const mean = masses.reduce((sum, mass, bin) => sum + mass * bin, 0);
  return LOG_STEP * Math.sqrt(masses.reduce((sum, mass, bin) => sum + mass * (bin - mean) ** 2, 0));
}

function blurWith(kernel: Float64Array): (masses: Float64Array) => Float64Array {
  const radius = (kernel.length - 1) / 2;
  return (masses) => {
    const result = emptyBins();
    masses.forEach((mass, bin) => {
      if (mass === 0) return;
      kernel.forEach((height, index) => {
        const target = Math.min(masses.length - 1, Math.max(0, bin + index - radius));
        result[target] = (result[target] ?? 0) + mass * height;
      });
    });
    return result;
  };
}

/** Adds the assumption. Beyond all observed durations, an end then stays possible but becomes less and less likely, so gaps grow gradually. */
function withPrior(masses: Float64Array, count: number): Float64Array {
  const priorShare = PRIOR_WEIGHT / (PRIOR_WEIGHT + count);
  const median = medianOf(masses);
  const priorCdf = (age: number): number => (age <= 0 ? 0 : 1 / (1 + (age / median) ** (-1 / PRIOR_SHAPE)));
  return masses.map(
    (mass, bin) => (1 - priorShare) * mass + priorShare * (priorCdf(edge(bin + 1)) - priorCdf(edge(bin))),
  );
}

function medianOf(masses: Float64Array): number {
  let sum = 0;
  for (const [bin, mass] of masses.entries()) {
    sum += mass;
    if (sum >= 0.5) return edge(bin + 1);
  }
  return edge(masses.length);
}
