export interface Candidate<T> {
  rank: number;
  value: T;
  /** Two candidates with the same key say the same. */
  key: string;
}

/** The best candidate, unless another one of the same rank says something else: that would be a guess. */
export function bestOf<T>(candidates: readonly Candidate<T>[]): T | undefined {
  const rank = candidates.reduce((highest, one) => Math.max(highest, one.rank), 0);
  const [first, ...others] = candidates.filter((one) => one.rank === rank && rank > 0);
  return others.every(({ key }) => key === first?.key) ? first?.value : undefined;
}
