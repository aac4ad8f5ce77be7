export interface Candidate<T> {
  rank: number;
  value: T;
  /** Candidates with the same key mean the same thing. */
  key: string;
}

/** The best candidate. Undefined if another one of the same rank means something else, because choosing would be a guess. */
export function bestOf<T>(candidates: readonly Candidate<T>[]): T | undefined {
  const rank = candidates.reduce((highest, one) => Math.max(highest, one.rank), 0);
  const [first, ...others] = candidates.filter((one) => one.rank === rank && rank > 0);
  return others.every(({ key }) => key === first?.key) ? first?.value : undefined;
}
