import type { Kind } from './noise.ts';
import { type Field, isFields, isList, type Tree, textOf } from './tree.ts';
import {
  decoyCovers,
  decoyIds,
  decoyInputs,
  decoyPages,
  decoyRecords,
  type Name,
  stateWords,
  unfamiliarIds,
  vocabulary,
} from './words.ts';

/**
 * Which responses are unambiguous, judged by what a careful person could conclude from the response and the request.
 *
 * Never counted: fields that describe something other than the job (the request, the user, the model); links to cover images and web pages;
 * echoed input.
 *
 * The id is clear if nothing indicates an error, and
 * 1. exactly one value has a name that contains both a word for an id and a word for a job (a plain `id` counts
 *    if the name of its record contains a word for a job), or
 * 2. there is no such value, and exactly one value has a plain id name (such as `id` or `uuid`), or
 * 3. there is neither, and exactly one field whose name is a mere wrapper (such as `data`) holds a string that looks like an id.
 * In the video and music families, a plain `id` that is a number of at most fifteen digits is treated as the id of a database row.
 *
 * The state is clear if the fields with the most precise names agree. Fields next to the id or in a job's record come before all
 * others. Within each of these two groups, the order is: names with a word for a job, `status`, `state`, other names of one word, the rest. In the `imgx` family, a bare
 * `state` is the caller's tag and does not count.
 *
 * The result is clear if
 * 1. exactly one field holds URLs with a file extension of the family's media type (several items of one list are one field), or
 * 2. several do, and only one has a name that identifies it as the result, or
 * 3. none does, and only one field has such a name and a URL without a file extension, or
 * 4. there is no URL at all.
 *
 * The progress is clear if the job has ended, or if there is exactly one value (none if the gateway reports no progress).
 */

/** A field of a response, or an item of a list in it. */
export interface Occurrence {
  name: Name;
  /** The names of the enclosing fields, outermost first. */
  enclosingNames: readonly Name[];
  value: Tree;
  siblings: readonly Field[];
  /** The location in the response, which is the same for all items of a list. */
  path: string;
  /** Whether it is an item of a list, or a field of one of several items. */
  isListed: boolean;
}

export function occurrencesIn(tree: Tree): Occurrence[] {
  const occurrences: Occurrence[] = [];
  const visit = (value: Tree, name: Name, enclosingNames: readonly Name[], path: string, isListed: boolean): void => {
    if (isList(value)) {
      for (const item of value.items) {
        if (!isFields(item))
          occurrences.push({ name, enclosingNames, value: item, siblings: [], path: `${path}[]`, isListed: true });
        else visit(item, name, enclosingNames, `${path}[]`, isListed || value.items.length > 1);
      }
      return;
    }
    if (!isFields(value)) return;
    const enclosing = name.length > 0 ? [...enclosingNames, name] : enclosingNames;
    for (const field of value.fields) {
      const fieldPath = `${path}.${field.name.join('-')}`;
      occurrences.push({
        name: field.name,
        enclosingNames: enclosing,
        value: field.value,
        siblings: value.fields,
        path: fieldPath,
        isListed,
      });
      visit(field.value, field.name, enclosing, fieldPath, isListed);
    }
  };
  visit(tree, [], [], '', false);
  return occurrences;
}

const wordsIn = (...lists: readonly (readonly Name[])[]): Set<string> => new Set(lists.flat(2));
const containsWord = (names: readonly Name[], words: ReadonlySet<string>): boolean =>
  names.flat().some((word) => words.has(word));

const idSuffixes = new Set(['id', 'uuid', 'identifier', 'ref', 'handle']);
const jobWords = new Set(
  [...wordsIn(vocabulary.jobIds, vocabulary.jobs), 'jobs'].filter(
    (word) => !idSuffixes.has(word) && word !== 'current',
  ),
);
const decoyWords = new Set(
  [...wordsIn(decoyRecords, decoyInputs, decoyIds, unfamiliarIds)].filter(
    (word) => !idSuffixes.has(word) && !jobWords.has(word),
  ),
);
const errorWords = new Set(['error', 'errors', 'failed']);
const wrappers = wordsIn(vocabulary.wrappers);

const isInDecoy = ({ enclosingNames }: Occurrence): boolean => containsWord(enclosingNames, decoyWords);

export function indicatesError(occurrences: readonly Occurrence[]): boolean {
  const failedWords = new Set<string>(stateWords.failed);
  return occurrences.some(({ name, value, ...occurrence }) => {
    if (name.some((word) => errorWords.has(word)))
      return isList(value) ? value.items.length > 0 : value !== null && value !== '' && value !== false;
    if (name.join() === 'success') return value === false;
    if (name.join() === 'code') return ![0, 1, 200, '0', 'success'].includes(value as never);
    return isState({ name, value, ...occurrence }) && failedWords.has(plainWord(value));
  });
}

/** The distinct ids that a careful person would consider. The id is clear if there is exactly one. */
export function idsIn(
  occurrences: readonly Occurrence[],
  requestValues: readonly string[],
  hasNumericRowIds: boolean,
): string[] {
  const candidates = occurrences.filter((occurrence) => {
    const text = textOf(occurrence.value);
    return (
      text !== undefined &&
      !requestValues.includes(text) &&
      !isInDecoy(occurrence) &&
      !occurrence.isListed &&
      !containsWord([occurrence.name], decoyWords)
    );
  });
  const isId = ({ name }: Occurrence): boolean => idSuffixes.has(name.at(-1) ?? '');
  const isNamedAfterJob = ({ name, enclosingNames }: Occurrence): boolean =>
    containsWord([name], jobWords) ||
    (name.length === 1 && enclosingNames.at(-1)?.some((word) => jobWords.has(word)) === true);
  const isPlain = ({ name, value }: Occurrence): boolean =>
    name.length === 1 && !(hasNumericRowIds && typeof value === 'number');
  const namedIds = distinct(candidates.filter((occurrence) => isId(occurrence) && isNamedAfterJob(occurrence)));
  if (namedIds.length > 0) return namedIds;
  const plainIds = distinct(candidates.filter((occurrence) => isId(occurrence) && isPlain(occurrence)));
  if (plainIds.length > 0) return plainIds;
  return distinct(
    candidates.filter(
      ({ name, value }) => name.every((word) => wrappers.has(word)) && /^[\da-f-]{16,}$/.test(textOf(value) ?? ''),
    ),
  );
}

const distinct = (occurrences: readonly Occurrence[]): string[] => [
  ...new Set(occurrences.map(({ value }) => textOf(value) ?? '')),
];

const stateNames = wordsIn(vocabulary.states);
const stateSuffixes = new Set(['status', 'state', 'phase', 'stage', 'lifecycle', 'text']);

function isState(occurrence: Occurrence): boolean {
  const { name, value } = occurrence;
  if (typeof value !== 'string' || isInDecoy(occurrence) || occurrence.isListed) return false;
  return stateSuffixes.has(name.at(-1) ?? '') && name.every((word) => stateNames.has(word));
}

const plainWord = (value: Tree): string => String(value).toLowerCase().replaceAll(/[_-]/g, ' ');

/** The distinct meanings of the values in the fields with the most precise state names. */
export function stateMeaningsIn(occurrences: readonly Occurrence[], ignoresBareState: boolean): string[] {
  const states = occurrences.filter(
    (occurrence) => isState(occurrence) && !(ignoresBareState && occurrence.name.join() === 'state'),
  );
  const precision = ({ name, siblings, enclosingNames }: Occurrence): number => {
    const isNextToId = siblings.some(
      (one) =>
        idSuffixes.has(one.name.at(-1) ?? '') &&
        (one.name.length === 1 || containsWord([one.name], jobWords)) &&
        !containsWord([one.name], decoyWords),
    );
    const belongsToJob = isNextToId || containsWord(enclosingNames, jobWords);
    const rank = ['status', 'state'].indexOf(name.join());
    const nameScore = containsWord([name], jobWords) ? 4 : rank >= 0 ? 3 - rank : name.length === 1 ? 1 : 0;
    return nameScore + (belongsToJob ? 10 : 0);
  };
  const highestPrecision = Math.max(...states.map(precision));
  return [
    ...new Set(
      states
        .filter((occurrence) => precision(occurrence) === highestPrecision)
        .map(({ value }) => meaningOf(plainWord(value))),
    ),
  ];
}

function meaningOf(word: string): string {
  if ((stateWords.succeeded as readonly string[]).includes(word)) return 'succeeded';
  return (stateWords.failed as readonly string[]).includes(word) ? 'failed' : 'pending';
}

const progressNames = wordsIn(vocabulary.progress);

export const countProgressFields = (occurrences: readonly Occurrence[]): number =>
  occurrences.filter(
    ({ name }) =>
      name.every((word) => progressNames.has(word) || jobWords.has(word)) && containsWord([name], progressNames),
  ).length;

const nonResultWords = new Set([
  ...[...wordsIn(decoyCovers, decoyPages)].filter((word) => !['url', 'link'].includes(word)),
  ...wordsIn(decoyInputs, decoyRecords),
  'prompt',
]);
const extensionPatterns: Readonly<Record<Kind, RegExp>> = {
  image: /\.(?:png|webp|jpeg)$/,
  video: /\.(?:mp4|webm|mov)$/,
  audio: /\.(?:mp3|wav|m4a)$/,
};

/**
 * The paths of the fields that could be the result; more than one is ambiguous. A lone URL without a file extension, in a field whose name does
 * not say that it is the result, is listed twice, so that it always counts as ambiguous.
 */
export function resultPathsIn(
  occurrences: readonly Occurrence[],
  kind: Kind,
  requestValues: readonly string[],
): string[] {
  const urls = occurrences.filter(({ value }) => typeof value === 'string' && value.startsWith('https://'));
  const isNonResult = ({ name, enclosingNames }: Occurrence): boolean =>
    containsWord([...enclosingNames, name], nonResultWords);
  const withoutQuery = (value: Tree): string => String(value).split('?', 1)[0] ?? '';
  const echoedUrls = new Set([
    ...requestValues.map(withoutQuery),
    ...urls
      .filter((occurrence) => containsWord([...occurrence.enclosingNames, occurrence.name], wordsIn(decoyInputs)))
      .map(({ value }) => withoutQuery(value)),
  ]);
  const candidates = urls.filter(
    (occurrence) => !isNonResult(occurrence) && !echoedUrls.has(withoutQuery(occurrence.value)),
  );
  const resultWords = wordsIn(vocabulary.media[kind], vocabulary.results);
  resultWords.delete('url');
  const namesResult = ({ name, enclosingNames }: Occurrence): boolean =>
    containsWord(
      [
        name,
        ...enclosingNames.filter((one) => !one.every((word) => wrappers.has(word)) && !containsWord([one], jobWords)),
      ],
      resultWords,
    );
  const pathsOf = (list: readonly Occurrence[]): string[] => [...new Set(list.map(({ path }) => path))];
  const urlsWithExtension = candidates.filter(({ value }) => extensionPatterns[kind].test(withoutQuery(value)));
  if (urlsWithExtension.length > 0) {
    const namedFields = pathsOf(urlsWithExtension.filter(namesResult));
    return pathsOf(urlsWithExtension).length === 1 || namedFields.length === 0
      ? pathsOf(urlsWithExtension)
      : namedFields;
  }
  const urlsWithoutExtension = candidates.filter(
    ({ value }) => !/\.\w{2,4}$/.test(new URL(withoutQuery(value)).pathname),
  );
  const namedFields = pathsOf(urlsWithoutExtension.filter(namesResult));
  return namedFields.length > 0 ? namedFields : [...pathsOf(urlsWithoutExtension), ...pathsOf(urlsWithoutExtension)];
}
