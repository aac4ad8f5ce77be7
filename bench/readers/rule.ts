import type { Kind } from './noise.ts';
import { type Field, isFields, isList, type Tree, textOf } from './tree.ts';
import {
  decoyCovers,
  decoyIds,
  decoyInputs,
  decoyPages,
  decoyRecords,
  type Name,
  oddIds,
  stateWords,
  vocabulary,
} from './words.ts';

/**
 * Which responses are unambiguous, judged by what a careful person could conclude from the response and the request.
 *
 * Never counted: fields of the request, the user, the model and other things; covers and pages; echoed input.
 *
 * The id is clear if nothing indicates an error, and
 * 1. exactly one value has a name that says both "id" and "piece of work" (a plain `id` in a record called a job counts), or
 * 2. there is no such value, and exactly one value has the plain name of an id, or
 * 3. there is neither, and exactly one wrapper contains nothing but a text that looks like an id.
 * A plain `id` that is a number of at most fifteen digits is a database row in the video and music families.
 *
 * The state is clear if the most precise names agree: those next to the id before others, then a job's status, `status`,
 * `state`, and any other name of a state. In the image-prompt family a bare `state` is the caller's tag.
 *
 * The result is clear if
 * 1. one field holds URLs with a file extension of the family's kind (several items of one list are one field), or
 * 2. several do, and only one has a name that says what it is, or
 * 3. none does, and only one field has such a name and a URL without a file extension, or
 * 4. there is no URL at all.
 *
 * The progress is clear if there is one value.
 */
export interface Place {
  name: Name;
  /** The names of the enclosing fields, outermost first. */
  around: readonly Name[];
  value: Tree;
  beside: readonly Field[];
  /** Equal for all items of a list. */
  path: string;
  isListed: boolean;
}

export function placesIn(tree: Tree): Place[] {
  const found: Place[] = [];
  const visit = (value: Tree, name: Name, around: readonly Name[], path: string, isListed: boolean): void => {
    if (isList(value)) {
      for (const item of value.items) {
        if (!isFields(item)) found.push({ name, around, value: item, beside: [], path: `${path}[]`, isListed: true });
        else visit(item, name, around, `${path}[]`, isListed || value.items.length > 1);
      }
      return;
    }
    if (!isFields(value)) return;
    const inside = name.length > 0 ? [...around, name] : around;
    for (const field of value.fields) {
      const at = `${path}.${field.name.join('-')}`;
      found.push({ name: field.name, around: inside, value: field.value, beside: value.fields, path: at, isListed });
      visit(field.value, field.name, inside, at, isListed);
    }
  };
  visit(tree, [], [], '', false);
  return found;
}

const wordsIn = (...lists: readonly (readonly Name[])[]): Set<string> => new Set(lists.flat(2));
const has = (names: readonly Name[], words: ReadonlySet<string>): boolean =>
  names.flat().some((word) => words.has(word));

const ends = new Set(['id', 'uuid', 'identifier', 'ref', 'handle']);
const work = new Set(
  [...wordsIn(vocabulary.jobIds, vocabulary.jobs), 'jobs'].filter((word) => !ends.has(word) && word !== 'current'),
);
const others = new Set(
  [...wordsIn(decoyRecords, decoyInputs, decoyIds, oddIds)].filter((word) => !ends.has(word) && !work.has(word)),
);
const errors = new Set(['error', 'errors', 'failed']);
const wrappers = wordsIn(vocabulary.wrappers);

const isOther = ({ around }: Place): boolean => has(around, others);

export function speaksOfError(places: readonly Place[]): boolean {
  const failing = new Set<string>(stateWords.failed);
  return places.some(({ name, value, ...place }) => {
    if (name.some((word) => errors.has(word)))
      return isList(value) ? value.items.length > 0 : value !== null && value !== '' && value !== false;
    if (name.join() === 'success') return value === false;
    if (name.join() === 'code') return ![0, 1, 200, '0', 'success'].includes(value as never);
    return isState({ name, value, ...place }) && failing.has(plainWord(value));
  });
}

/** The distinct ids that a careful person would consider; one is clear. */
export function idsIn(places: readonly Place[], sent: readonly string[], isRowNumber: boolean): string[] {
  const open = places.filter((place) => {
    const text = textOf(place.value);
    return (
      text !== undefined && !sent.includes(text) && !isOther(place) && !place.isListed && !has([place.name], others)
    );
  });
  const isId = ({ name }: Place): boolean => ends.has(name.at(-1) ?? '');
  const isOfWork = ({ name, around }: Place): boolean =>
    has([name], work) || (name.length === 1 && around.at(-1)?.some((word) => work.has(word)) === true);
  const isPlain = ({ name, value }: Place): boolean => name.length === 1 && !(isRowNumber && typeof value === 'number');
  const named = distinct(open.filter((place) => isId(place) && isOfWork(place)));
  if (named.length > 0) return named;
  const plain = distinct(open.filter((place) => isId(place) && isPlain(place)));
  if (plain.length > 0) return plain;
  return distinct(
    open.filter(
      ({ name, value }) => name.every((word) => wrappers.has(word)) && /^[\da-f-]{16,}$/.test(textOf(value) ?? ''),
    ),
  );
}

const distinct = (places: readonly Place[]): string[] => [...new Set(places.map(({ value }) => textOf(value) ?? ''))];

const stateNames = wordsIn(vocabulary.states);
const stateEnds = new Set(['status', 'state', 'phase', 'stage', 'lifecycle', 'text']);

function isState(place: Place): boolean {
  const { name, value } = place;
  if (typeof value !== 'string' || isOther(place) || place.isListed) return false;
  return stateEnds.has(name.at(-1) ?? '') && name.every((word) => stateNames.has(word));
}

const plainWord = (value: Tree): string => String(value).toLowerCase().replaceAll(/[_-]/g, ' ');

/** The distinct meanings of the most precise state names. */
export function statesIn(places: readonly Place[], isTagged: boolean): string[] {
  const states = places.filter((place) => isState(place) && !(isTagged && place.name.join() === 'state'));
  const precision = ({ name, beside, around }: Place): number => {
    const isBesideId = beside.some(
      (one) =>
        ends.has(one.name.at(-1) ?? '') && (one.name.length === 1 || has([one.name], work)) && !has([one.name], others),
    );
    const isJobs = isBesideId || has(around, work);
    const rank = ['status', 'state'].indexOf(name.join());
    const word = has([name], work) ? 4 : rank >= 0 ? 3 - rank : name.length === 1 ? 1 : 0;
    return word + (isJobs ? 10 : 0);
  };
  const best = Math.max(...states.map(precision));
  return [
    ...new Set(states.filter((place) => precision(place) === best).map(({ value }) => meaningOf(plainWord(value)))),
  ];
}

function meaningOf(word: string): string {
  if ((stateWords.succeeded as readonly string[]).includes(word)) return 'succeeded';
  return (stateWords.failed as readonly string[]).includes(word) ? 'failed' : 'pending';
}

const progressNames = wordsIn(vocabulary.progress);

export const progressIn = (places: readonly Place[]): number =>
  places.filter(
    ({ name }) => name.every((word) => progressNames.has(word) || work.has(word)) && has([name], progressNames),
  ).length;

const aside = new Set([
  ...[...wordsIn(decoyCovers, decoyPages)].filter((word) => !['url', 'link'].includes(word)),
  ...wordsIn(decoyInputs, decoyRecords),
  'prompt',
]);
const kindEndings: Readonly<Record<Kind, RegExp>> = {
  image: /\.(?:png|webp|jpeg)$/,
  video: /\.(?:mp4|webm|mov)$/,
  audio: /\.(?:mp3|wav|m4a)$/,
};

/** How many fields could be the result; more than one is unclear. */
export function resultsIn(places: readonly Place[], kind: Kind, sent: readonly string[]): string[] {
  const addresses = places.filter(({ value }) => typeof value === 'string' && value.startsWith('https://'));
  const isAside = ({ name, around }: Place): boolean => has([...around, name], aside);
  const fileOf = (value: Tree): string => String(value).split('?', 1)[0] ?? '';
  const own = new Set([
    ...sent.map(fileOf),
    ...addresses
      .filter((place) => has([...place.around, place.name], wordsIn(decoyInputs)))
      .map(({ value }) => fileOf(value)),
  ]);
  const open = addresses.filter((place) => !isAside(place) && !own.has(fileOf(place.value)));
  const says = wordsIn(vocabulary.media[kind], vocabulary.results);
  says.delete('url');
  const speaks = ({ name, around }: Place): boolean =>
    has([name, ...around.filter((one) => !one.every((word) => wrappers.has(word)) && !has([one], work))], says);
  const fields = (list: readonly Place[]): string[] => [...new Set(list.map(({ path }) => path))];
  const files = open.filter(({ value }) => kindEndings[kind].test(fileOf(value)));
  if (files.length > 0) {
    const speaking = fields(files.filter(speaks));
    return fields(files).length === 1 || speaking.length === 0 ? fields(files) : speaking;
  }
  const bare = open.filter(({ value }) => !/\.\w{2,4}$/.test(new URL(fileOf(value)).pathname));
  const speaking = fields(bare.filter(speaks));
  return speaking.length > 0 ? speaking : [...fields(bare), ...fields(bare)];
}
