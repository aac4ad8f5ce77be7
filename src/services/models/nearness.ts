import { editDistance } from '../../lib/text.ts';

const MOST_NEAR = 3;

/** Ids that somebody may have meant: first those that hold what was typed, then those few letters away. */
export function nearIds(typed: string, ids: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  return ids
    .map((id) => ({ id, away: distance(wanted, id.toLowerCase()) }))
    .filter(({ away }) => away <= Math.max(2, wanted.length * 0.4))
    .sort((a, b) => a.away - b.away || a.id.localeCompare(b.id))
    .slice(0, MOST_NEAR)
    .map(({ id }) => id);
}

function distance(wanted: string, id: string): number {
  if (wanted.length >= 3 && id.includes(wanted)) return 0;
  return editDistance(wanted, id);
}
