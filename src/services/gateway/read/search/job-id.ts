import { isRecord } from '../../../../lib/exact-json.ts';
import { asText } from '../../places.ts';
import type { Family } from '../table.ts';
import { hasAny, hasStateField, idNameOf, isUnrelated, UNRELATED_ID_WORDS, WRAPPER_WORDS } from './names.ts';
import { bestOf, type Candidate, type Spot } from './survey.ts';

interface FoundId {
  id: string;
  holder: Record<string, unknown>;
}

/** How likely a field is to contain the job's id, judging by its name. A status next to it counts as half a step. */
const RANKS = { named: 12, coded: 10, bare: 8, alone: 6, other: 4, unnamed: 2 } as const;

/** Returns the job's id, if exactly one value is best. `requestWords`: words of the request, so that an echo of them is not mistaken for an id. */
export function findJobId(
  spots: readonly Spot[],
  family: Family,
  requestWords: ReadonlySet<string>,
): FoundId | undefined {
  const withState = new Set([...new Set(spots.map(({ holder }) => holder))].filter(hasStateField));
  const candidates = spots.flatMap((spot): (Candidate<FoundId> & { hasState: boolean })[] => {
    const id = asId(spot.value);
    if (id === undefined || spot.isListed || requestWords.has(id) || isUnrelated(spot)) return [];
    const hasState = withState.has(spot.holder);
    const rank = rankOf(spot, id, family, hasState, withState.size > 0);
    // The id of a database row is not the job's id. But if there is a state next to it, other candidates become doubtful.
    if (rank === 0 && !(hasState && idNameOf(spot) === 'id')) return [];
    return [
      { rank: rank === 0 ? 0 : rank + (hasState ? 1 : 0), value: { id, holder: spot.holder }, key: id, hasState },
    ];
  });
  const best = bestOf(candidates);
  // Two records with an id and a state of their own are two jobs, even if one of them has the better name.
  const isRival = (holder: object): boolean =>
    best !== undefined && holder !== best.holder && !isInside(holder, best.holder);
  return candidates.some((one) => one.hasState && one.key !== best?.id && isRival(one.value.holder)) ? undefined : best;
}

function rankOf(spot: Spot, id: string, family: Family, hasState: boolean, hasAnyState: boolean): number {
  const parent = spot.ancestors.at(-1) ?? [];
  // In these families, a numeric `id` is the key of a database row.
  const isDatabaseKey = typeof spot.value === 'number' && (family === 'video' || family === 'music');
  switch (idNameOf(spot)) {
    case 'job id':
      return RANKS.named;
    case 'job code':
      return isIdLike(id) || isLong(id) ? RANKS.coded : 0;
    case 'id':
      if (isDatabaseKey) return 0;
      if (hasState || parent.every((word) => WRAPPER_WORDS.has(word))) return RANKS.bare;
      return hasAnyState || hasAny(parent, UNRELATED_ID_WORDS) ? 0 : RANKS.bare;
    case 'id of a part':
      return hasState && !isDatabaseKey ? RANKS.bare : 0;
    case 'job':
      return isIdLike(id) ? RANKS.alone : 0;
    case 'other id':
      return hasState && (isIdLike(id) || isLong(id)) ? RANKS.other : 0;
    default: {
      const isWrapper = spot.words.length > 0 && spot.words.every((word) => WRAPPER_WORDS.has(word));
      const isOther = hasAny(spot.words, UNRELATED_ID_WORDS);
      return isUnmistakable(id) && !isOther && (isWrapper || hasState) ? RANKS.unnamed : 0;
    }
  }
}

/** Whether a record is inside another one, at most three levels down. */
function isInside(inner: object, outer: unknown, depth = 3): boolean {
  if (depth < 0 || typeof outer !== 'object' || outer === null) return false;
  return Object.values(outer).some((value) => value === inner || isInside(inner, value, depth - 1));
}

const MAX_ID_LENGTH = 200;

function asId(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const id = String(value).trim();
  return id.length <= MAX_ID_LENGTH && /^[\w.:~=+-]+$/.test(id) ? id : undefined;
}

/** Long enough and with a digit, so neither a word nor a small number. */
const isIdLike = (id: string): boolean => id.length >= 6 && /\d/.test(id);

/** Longer than any word, so even letters alone may be an id. */
const isLong = (id: string): boolean => id.length >= 20;

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text can only be an id: it is too long for a timestamp, and not a meaningful word. */
const isUnmistakable = (id: string): boolean =>
  UUID.test(id) || /^\d{15,40}$/.test(id) || (/^[\da-f]{16,64}$/i.test(id) && /[a-f]/i.test(id));

const MAX_DEPTH = 8;
const MAX_VALUES = 5_000;
/** Tasks of a batch have their id near the top. */
const MAX_ID_DEPTH = 3;

interface ListedTask {
  id: string;
  record: Record<string, unknown>;
}

/** Finds the tasks in a batch response whose list is not in a known place: records that contain exactly one of the polled ids. */
export function findListedTasks(response: unknown, ids: readonly string[]): ListedTask[] {
  const polledIds = new Set(ids);
  let remaining = MAX_VALUES;
  const idsIn = (value: unknown, depth: number): Set<string> => {
    if (remaining-- <= 0 || depth > MAX_ID_DEPTH) return new Set();
    const text = asText(value);
    if (text !== undefined) return new Set(polledIds.has(text) ? [text] : []);
    if (!isRecord(value)) return new Set();
    return new Set(Object.values(value).flatMap((inner) => [...idsIn(inner, depth + 1)]));
  };
  const visit = (value: unknown, depth: number): ListedTask[] => {
    if (remaining-- <= 0 || depth > MAX_DEPTH) return [];
    if (!Array.isArray(value))
      return isRecord(value) ? Object.values(value).flatMap((one) => visit(one, depth + 1)) : [];
    return value.filter(isRecord).flatMap((record) => {
      const [id, ...others] = idsIn(record, 0);
      return id === undefined || others.length > 0 ? [] : [{ id, record }];
    });
  };
  return visit(response, 0);
}
