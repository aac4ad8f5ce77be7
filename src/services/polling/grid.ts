/** Each bin is so many times as long as the one before: what is learned is as fine at seconds as at minutes. */
const RATIO = 1.08;
const FIRST_MS = 1_000;
/** A little more than two hours; nobody waits so long, and what takes longer is asked about slowly. */
const BINS = 118;

/** How long a bin is, in natural logarithms. */
export const STEP = Math.log(RATIO);
/** The ages at which bins begin, and where the last one ends. The first bin is all before its second is over. */
export const EDGES: Float64Array = Float64Array.from({ length: BINS + 1 }, (_, edge) =>
  edge === 0 ? 0 : FIRST_MS * RATIO ** (edge - 1),
);

/** Something for each bin. */
export function bins(): Float64Array {
  return new Float64Array(BINS);
}

export function edge(place: number): number {
  return EDGES[place] ?? 0;
}

export function width(bin: number): number {
  return edge(bin + 1) - edge(bin);
}

/** The bin an age lies in; what is too long for the grid lies in the last one. */
export function binOf(age: number): number {
  if (!(age >= FIRST_MS)) return 0;
  const bin = Math.min(BINS - 1, 1 + Math.floor(Math.log(age / FIRST_MS) / STEP));
  // The logarithm of an edge may fall on either side of it.
  return age < edge(bin) ? bin - 1 : bin;
}

/** What is known at the edges, at any age: straight lines between them. */
export function valueAt(values: Float64Array, age: number): number {
  const bin = binOf(age);
  const share = Math.min(1, Math.max(0, (age - edge(bin)) / width(bin)));
  const from = values[bin] ?? 0;
  return from + share * ((values[bin + 1] ?? 0) - from);
}

/** The age at which values that only rise reach this one; never, where they do not. */
export function ageAt(values: Float64Array, wanted: number): number {
  let low = 0;
  let high = BINS;
  if (!(wanted < (values[high] ?? 0))) return Number.POSITIVE_INFINITY;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) <= wanted) low = middle;
    else high = middle;
  }
  const from = values[low] ?? 0;
  const rise = (values[high] ?? 0) - from;
  return edge(low) + (rise > 0 ? Math.max(0, wanted - from) / rise : 1) * width(low);
}
