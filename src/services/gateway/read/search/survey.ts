import { isRecord } from '../../../../lib/exact-json.ts';
import { parseJson } from '../../places.ts';
import { hasAny, JOB_WORDS, type NamedPlace, wordsOf } from './names.ts';

/** A value in a response, with everything that is known about its place. */
export interface Spot extends NamedPlace {
  value: unknown;
  /** The record that contains the field. */
  holder: Record<string, unknown>;
  isListed: boolean;
  /** The same for all items of a list, and for `image_1` and `image_2`, because together they are one result. */
  group: string;
}

const MAX_DEPTH = 12;
const MAX_SPOTS = 5_000;
/** Lists and objects may arrive as JSON text. */
const MAX_JSON_TEXTS = 4;
const MAX_TEXT_LENGTH = 200_000;

/**
 * Collects every value of a response, outermost first. Empty if there are too many, because values that were not read might
 * contradict the others, and a search must not guess.
 */
export function survey(response: unknown): readonly Spot[] {
  const spots: Spot[] = [];
  const root: Omit<Spot, 'value' | 'holder'> = { words: [], ancestors: [], isListed: false, group: '' };
  const queue = [{ value: response, spot: root, depth: 0 }];
  let jsonTextCount = 0;
  // The loop also visits what is added meanwhile.
  for (const { value: rawValue, spot, depth } of queue) {
    const isText = typeof rawValue === 'string' && /^\s*[[{]/.test(rawValue) && rawValue.length <= MAX_TEXT_LENGTH;
    const value = isText && jsonTextCount++ < MAX_JSON_TEXTS ? parseJson(rawValue) : rawValue;
    if (depth >= MAX_DEPTH) continue;
    if (Array.isArray(value)) {
      if (value.length > MAX_SPOTS - queue.length) return [];
      // A list such as `jobs: […]` with a single item contains the job; any other list contains parts of it.
      const isListed = spot.isListed || value.length !== 1 || !hasAny(spot.words, JOB_WORDS);
      for (const item of value) {
        const inner = { ...spot, isListed, group: `${spot.group}[]` };
        if (!isRecord(item) && !Array.isArray(item)) spots.push({ ...inner, isListed: true, value: item, holder: {} });
        queue.push({ value: item, spot: inner, depth: depth + 1 });
      }
    } else if (isRecord(value)) {
      const ancestors = depth === 0 ? [] : [...spot.ancestors, spot.words];
      for (const name in value) {
        if (!Object.hasOwn(value, name)) continue;
        if (queue.length >= MAX_SPOTS) return [];
        const words = wordsOf(name);
        const inner = {
          words,
          ancestors,
          isListed: spot.isListed,
          group: `${spot.group}.${isKeyOfMap(name) ? '' : words.join('-')}`,
        };
        spots.push({ ...inner, value: value[name], holder: value });
        queue.push({ value: value[name], spot: inner, depth: depth + 1 });
      }
    }
  }
  return spots;
}

/** Whether a name is a key of a map, such as `0` or an id. The items of a map are treated like those of a list. */
const isKeyOfMap = (name: string): boolean => /^(?:\d+|(?=(?:\D*\d){3})[\w-]{8,})$/.test(name);

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
