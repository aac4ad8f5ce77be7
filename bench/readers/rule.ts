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
 * Never counted: fields of the request, the user, the model and other things; covers and pages; echoed input.
 *
 * The id is clear if nothing indicates an error, and
 * 1. exactly one value has a name that says both "id" and "piece of work" (a plain `id` in a record called a job counts), or
 * 2. there is no such value, and exactly one value has the plain name of an id, or
 * 3. there is neither, and exactly one wrapper contains nothing but a string that looks like an id.
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

/** A field of a response, or an item of a list in it. */
export interface Occurrence {
  name: Name;
  /** The names of the enclosing fields, outermost first. */
  enclosingNames: readonly Name[];
  value: Tree;
  siblings: readonly Field[];
  /** The location in the response, which is equal for all items of a list. */
  path: string;
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
const has = (names: readonly Name[], words: ReadonlySet<string>): boolean =>
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

const isInDecoy = ({ enclosingNames }: Occurrence): boolean => has(enclosingNames, decoyWords);

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
  hasRowNumbers: boolean,
): string[] {
  const candidates = occurrences.filter((occurrence) => {
    const text = textOf(occurrence.value);
    return (
      text !== undefined &&
      !requestValues.includes(text) &&
      !isInDecoy(occurrence) &&
      !occurrence.isListed &&
      !has([occurrence.name], decoyWords)
    );
  });
  const isId = ({ name }: Occurrence): boolean => idSuffixes.has(name.at(-1) ?? '');
  const isNamedAfterJob = ({ name, enclosingNames }: Occurrence): boolean =>
    has([name], jobWords) || (name.length === 1 && enclosingNames.at(-1)?.some((word) => jobWords.has(word)) === true);
  const isPlain = ({ name, value }: Occurrence): boolean =>
    name.length === 1 && !(hasRowNumbers && typeof value === 'number');
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

/** The distinct meanings of the most precise state names. */
export function statesIn(occurrences: readonly Occurrence[], isTagged: boolean): string[] {
  const states = occurrences.filter(
    (occurrence) => isState(occurrence) && !(isTagged && occurrence.name.join() === 'state'),
  );
  const precision = ({ name, siblings, enclosingNames }: Occurrence): number => {
    const isNextToId = siblings.some(
      (one) =>
        idSuffixes.has(one.name.at(-1) ?? '') &&
        (one.name.length === 1 || has([one.name], jobWords)) &&
        !has([one.name], decoyWords),
    );
    const isOfJob = isNextToId || has(enclosingNames, jobWords);
    const rank = ['status', 'state'].indexOf(name.join());
    const nameScore = has([name], jobWords) ? 4 : rank >= 0 ? 3 - rank : name.length === 1 ? 1 : 0;
    return nameScore + (isOfJob ? 10 : 0);
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

export const progressIn = (occurrences: readonly Occurrence[]): number =>
  occurrences.filter(
    ({ name }) => name.every((word) => progressNames.has(word) || jobWords.has(word)) && has([name], progressNames),
  ).length;

const nonResultWords = new Set([
  ...[...wordsIn(decoyCovers, decoyPages)].filter((word) => !['url', 'link'].includes(word)),
  ...wordsIn(decoyInputs, decoyRecords),
  'prompt',
]);
const kindEndings: Readonly<Record<Kind, RegExp>> = {
  image: /\.(?:png|webp|jpeg)$/,
  video: /\.(?:mp4|webm|mov)$/,
  audio: /\.(?:mp3|wav|m4a)$/,
};

/** The paths of the fields that could be the result; more than one is ambiguous. */
export function resultsIn(occurrences: readonly Occurrence[], kind: Kind, requestValues: readonly string[]): string[] {
  const urls = occurrences.filter(({ value }) => typeof value === 'string' && value.startsWith('https://'));
  const isNonResult = ({ name, enclosingNames }: Occurrence): boolean => has([...enclosingNames, name], nonResultWords);
  const fileOf = (value: Tree): string => String(value).split('?', 1)[0] ?? '';
  const echoedFiles = new Set([
    ...requestValues.map(fileOf),
    ...urls
      .filter((occurrence) => has([...occurrence.enclosingNames, occurrence.name], wordsIn(decoyInputs)))
      .map(({ value }) => fileOf(value)),
  ]);
  const candidates = urls.filter(
    (occurrence) => !isNonResult(occurrence) && !echoedFiles.has(fileOf(occurrence.value)),
  );
  const resultWords = wordsIn(vocabulary.media[kind], vocabulary.results);
  resultWords.delete('url');
  const namesResult = ({ name, enclosingNames }: Occurrence): boolean =>
    has(
      [name, ...enclosingNames.filter((one) => !one.every((word) => wrappers.has(word)) && !has([one], jobWords))],
      resultWords,
    );
  const fields = (list: readonly Occurrence[]): string[] => [...new Set(list.map(({ path }) => path))];
  const files = candidates.filter(({ value }) => kindEndings[kind].test(fileOf(value)));
  if (files.length > 0) {
    const namedFields = fields(files.filter(namesResult));
    return fields(files).length === 1 || namedFields.length === 0 ? fields(files) : namedFields;
  }
  const withoutExtension = candidates.filter(({ value }) => !/\.\w{2,4}$/.test(new URL(fileOf(value)).pathname));
  const namedFields = fields(withoutExtension.filter(namesResult));
  return namedFields.length > 0 ? namedFields : [...fields(withoutExtension), ...fields(withoutExtension)];
}
