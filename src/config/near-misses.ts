import { editDistance } from '../lib/edit-distance.ts';

/** Two slips of the finger. At three, variables of other programs begin to look like ours. */
const MOST_SLIPS = 2;
/** Only names in our own neighbourhood are looked at: an environment is full of variables that are nobody's mistake. */
const OURS = /^(DISCORD|GATEWAY|STORE|MEDIA|POLL|DEFAULT|MAX_WAIT)_\w*$/;

interface NearMiss {
  readonly name: string;
  readonly meant: string;
}

/** Finds variables that are set, are none of the known ones, and are spelled almost like one. */
export function nearMisses(environment: Record<string, string | undefined>, known: readonly string[]): NearMiss[] {
  return Object.keys(environment)
    .filter((name) => OURS.test(name) && environment[name]?.trim() && !known.includes(name))
    .flatMap((name) => {
      const [nearest] = known
        .map((meant) => ({ meant, slips: editDistance(name, meant) }))
        .filter(({ slips }) => slips <= MOST_SLIPS)
        .sort((a, b) => a.slips - b.slips);
      return nearest ? [{ name, meant: nearest.meant }] : [];
    });
}
