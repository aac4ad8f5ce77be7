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

/** Levenshtein's distance, keeping one row: `row[j]` is the distance of what was read of `from` to `to.slice(0, j)`. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let j = 1; j <= to.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (letter === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
