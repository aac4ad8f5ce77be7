import { kindByEnding } from '../media.ts';
import type { Spot } from './survey.ts';
import { hasAny } from './words.ts';

const SENT = new Set(
  `input inputs request prompt prompts param params parameter parameters reference references ref refs source sources init
  mask arguments args description`.split(/\s+/),
);

const MAX_TEXT_LENGTH = 20_000;
const MAX_ADDRESSES = 200;

/** The URLs that a response repeats from the request, in fields for echoed input and in the prompt. */
export function ownAddresses(spots: readonly Spot[]): string[] {
  const found: string[] = [];
  for (const { value, words, around } of spots) {
    if (found.length >= MAX_ADDRESSES) break;
    if (typeof value !== 'string' || ![words, ...around].some((names) => hasAny(names, SENT))) continue;
    found.push(...(value.slice(0, MAX_TEXT_LENGTH).match(/https?:\/\/[^\s"'<>]+/gi) ?? []));
  }
  return found.slice(0, MAX_ADDRESSES);
}

/** Whether a URL points to the same file as one of these. The part after the file name is ignored, because it is a signature. */
export function isSameAs(addresses: readonly string[]): (address: string) => boolean {
  const known = new Set(addresses.flatMap((address) => fileOf(address) ?? []));
  return (address) => {
    const file = fileOf(address);
    return file !== undefined && known.has(file);
  };
}

function fileOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url) return undefined;
  return url.host + url.pathname + (kindByEnding(url.pathname) === undefined ? url.search : '');
}
