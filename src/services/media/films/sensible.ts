/** What a film's own head says of it; what it does not say, or says in a way that makes no sense, is left out. */
export interface FilmFacts {
  /** As it is seen, turned as its notes say. */
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
}

const LONGEST_SIDE = 65_535;
const LONGEST_SECONDS = 7 * 24 * 60 * 60;

/** What can be believed of it. */
export function sensible({ width, height, seconds }: FilmFacts): FilmFacts {
  const isSide = (side: number | undefined): boolean =>
    side !== undefined && Number.isSafeInteger(side) && side > 0 && side <= LONGEST_SIDE;
  return {
    ...(isSide(width) && isSide(height) && width !== undefined && height !== undefined && { width, height }),
    ...(seconds !== undefined && seconds > 0 && seconds <= LONGEST_SECONDS && { seconds }),
  };
}
