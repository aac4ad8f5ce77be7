import { kindByExtension } from '../media.ts';
import type { Spot } from './survey.ts';
import { hasAny } from './words.ts';

const INPUT_WORDS = new Set(
  `input inputs request prompt prompts param params parameter parameters reference references ref refs source sources init
  mask arguments args description`.split(/\s+/),
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
