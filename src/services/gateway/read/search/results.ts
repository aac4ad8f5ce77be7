import { FormData } from 'undici';
import { isRecord } from '../../../../lib/exact-json.ts';
import { asString, parseJson } from '../../places.ts';
import type { Medium } from '../../snapshot.ts';
import { type FoundFile, fileIn, kindByExtension, type ResponseContext } from '../media.ts';
import {
  hasAny,
  isUnrelated,
  JOB_WORDS,
  KIND_WORDS,
  RESULT_WORDS,
  UNRELATED_MEDIA_WORDS,
  WRAPPER_WORDS,
  wordSet,
  wordsOf,
} from './names.ts';
import { bestOf, type Spot } from './survey.ts';

type Kind = Medium['kind'];

/** More than a message can show. */
const MAX_MEDIA = 200;

const EXTENSION_RANK = 8;
const KIND_RANK = 2;
const RESULT_RANK = 2;

/** Returns the results of a finished task, if exactly one place in the response is the best. The items of a list count as one place. */
export function findResultMedia(spots: readonly Spot[], kinds: readonly Kind[], context: ResponseContext): Medium[] {
  const isFromRequest = urlMatcher([...(context.requestUrls ?? []), ...echoedUrls(spots)]);
  const files = spots.flatMap((spot) => {
    if (typeof spot.value !== 'string') return [];
    const words = [...spot.ancestors.flat(), ...spot.words];
    const file = hasAny(words, UNRELATED_MEDIA_WORDS) || isRequestField(spot) ? undefined : fileIn(spot.value, context);
    if (file?.medium.address !== undefined && isFromRequest(file.medium.address)) return [];
    return file ? [{ file, words: significantWords(spot), group: spot.group }] : [];
  });
  // The kinds are in order of preference, because a still image of a video is not the result.
  for (const kind of kinds) {
    const groups = new Map<string, { rank: number; media: Medium[] }>();
    for (const { file, words, group } of files) {
      const rank = rankOf(file, words, kind, kinds);
      const existing = groups.get(group) ?? { rank, media: [] };
      if (rank > 0)
        groups.set(group, {
          rank: Math.max(rank, existing.rank),
          media: [...existing.media, { ...file.medium, kind }],
        });
    }
    if (groups.size > 0) {
      const candidates = [...groups.values()].map(({ rank, media }) => {
        const distinct = [...new Map(media.map((medium) => [sourceOf(medium), medium])).values()];
        return { rank, value: distinct, key: distinct.map(sourceOf).join(' ') };
      });
      return bestOf(candidates)?.slice(0, MAX_MEDIA) ?? [];
    }
  }
  return [];
}

/** The words of the field's own name, and of the names around it that are neither wrappers nor the job. */
const significantWords = ({ words, ancestors }: Spot): string[] => [
  ...words,
  ...ancestors.flat().filter((word) => !WRAPPER_WORDS.has(word) && !JOB_WORDS.has(word)),
];

const sourceOf = ({ address, base64 }: Medium): string => address ?? base64 ?? '';

function rankOf({ kind: fileKind }: FoundFile, words: readonly string[], kind: Kind, kinds: readonly Kind[]): number {
  if (fileKind !== undefined && fileKind !== kind) return 0;
  const isKind = hasAny(words, KIND_WORDS[kind]);
  const isResult = hasAny(words, RESULT_WORDS);
  const nameRank = (isKind ? KIND_RANK : 0) + (isResult ? RESULT_RANK : 0);
  if (fileKind !== undefined) return EXTENSION_RANK + nameRank;
  // Without a file extension, the field's name alone has to say that the file is the result, and of what kind.
  if (!isKind && Object.values(KIND_WORDS).some((others) => hasAny(words, others))) return 0;
  return isKind || (isResult && kind === kinds.at(-1)) ? nameRank : 0;
}

const REQUEST_FIELDS = new Set(['image', 'images', 'video', 'videos', 'audio', 'audios']);

/** Whether a field repeats the input of the task, which is the case if the prompt or the model is next to it. */
function isRequestField({ words, ancestors, holder }: Spot): boolean {
  if (words.length !== 1 || !REQUEST_FIELDS.has(words[0] ?? '') || hasAny(ancestors.flat(), RESULT_WORDS)) return false;
  return Object.keys(holder)
    .slice(0, MAX_MEDIA)
    .some((name) => hasAny(wordsOf(name), ECHO_FIELDS));
}

const ECHO_FIELDS = new Set(['prompt', 'model']);

const SURE_NAME = 'final-prompt';
/** The words of names for a text that a job returns, the least certain first. */
const NAMES =
  `prompt description descriptions text lyrics keywords caption captions prompts prompt-en ${SURE_NAME}`.split(' ');

/**
 * Returns the text that a finished task returns somewhere inside its record, if exactly one place is the best. The items of a
 * list are lines. If the task may be an image, any but a sure name may be that of its prompt.
 */
export function findResultText(
  spots: readonly Spot[],
  record: Record<string, unknown>,
  mayBeImage: boolean,
): string | undefined {
  const rankOf = ({ words }: Spot): number => {
    const name = words.join('-');
    return mayBeImage && name !== SURE_NAME ? 0 : NAMES.indexOf(name) + 1;
  };
  const texts = spots.filter(
    (spot) =>
      rankOf(spot) > 0 &&
      asString(spot.value) !== undefined &&
      spot.holder !== record &&
      spot.ancestors.every(isAroundResult) &&
      !isUnrelated(spot),
  );
  const candidates = [...Map.groupBy(texts, ({ group }) => group).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const text = [first, ...others].map(({ value }) => asString(value)).join('\n');
    return [{ rank: rankOf(first), value: text, key: text }];
  });
  return bestOf(candidates);
}

const AROUND_RESULT = new Set([...WRAPPER_WORDS, ...RESULT_WORDS, ...JOB_WORDS, 'properties']);
const isAroundResult = (words: readonly string[]): boolean => words.every((word) => AROUND_RESULT.has(word));

/** Longer strings are files or lyrics, never an id or a URL. */
const MAX_VALUE_LENGTH = 8_192;
/** Shorter strings, such as a duration, may equal an id by chance. */
const MIN_WORD_LENGTH = 6;
const MAX_WORDS = 500;
const MAX_DEPTH = 8;

/** Collects all words of a request, so that an echo in the response is not mistaken for something new. */
export function collectRequestWords({ body, headers = {} }: { body: unknown; headers?: object }): ReadonlySet<string> {
  const words = new Set<string>();
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || words.size >= MAX_WORDS) return;
    if (typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_VALUE_LENGTH))
      for (const word of String(value).split(/\s+/, MAX_WORDS)) if (word.length >= MIN_WORD_LENGTH) words.add(word);
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    else if (value instanceof FormData) for (const [, item] of value) visit(item, depth + 1);
    else if (isRecord(value)) for (const item of Object.values(value)) visit(item, depth + 1);
  };
  visit(typeof body === 'string' ? parseJson(body) : body, 0);
  visit(Object.values(headers), 0);
  return words;
}

const INPUT_WORDS = wordSet(
  `input inputs request prompt prompts param params parameter parameters reference references ref refs source sources init
  mask arguments args description`,
);

const MAX_TEXT_LENGTH = 20_000;
const MAX_URLS = 200;

/** The URLs that a response repeats from the request, in fields for echoed input and in the prompt. */
export function echoedUrls(spots: readonly Spot[]): string[] {
  const urls: string[] = [];
  for (const { value, words, ancestors } of spots) {
    if (urls.length >= MAX_URLS) break;
    if (typeof value !== 'string' || ![words, ...ancestors].some((names) => hasAny(names, INPUT_WORDS))) continue;
    urls.push(...(value.slice(0, MAX_TEXT_LENGTH).match(/https?:\/\/[^\s"'<>]+/gi) ?? []));
  }
  return urls.slice(0, MAX_URLS);
}

/** Creates a test for URLs that point to the same file as one of `urls`. The part after the file name is ignored, because it is a signature. */
export function urlMatcher(urls: readonly string[]): (address: string) => boolean {
  const files = new Set(urls.flatMap((address) => fileOf(address) ?? []));
  return (address) => {
    const file = fileOf(address);
    return file !== undefined && files.has(file);
  };
}

function fileOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url) return undefined;
  return url.host + url.pathname + (kindByExtension(url.pathname) === undefined ? url.search : '');
}
