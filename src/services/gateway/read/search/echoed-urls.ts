import { FormData } from 'undici';
import { isRecord } from '../../../../lib/exact-json.ts';
import { parseJson } from '../../places.ts';
import { kindByExtension } from '../media.ts';
import { hasAny, wordSet } from './names.ts';
import type { Spot } from './survey.ts';

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
