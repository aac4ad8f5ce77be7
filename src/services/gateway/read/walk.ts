import { isRecord } from '../../../lib/exact-json.ts';
import { addressFrom, kindOfBase64, mediumFrom, type ReadingPlace } from './media.ts';
import type { Medium } from './snapshot.ts';

const DEEPEST = 12;
const MOST_VALUES = 5_000;

/** Names under which answers repeat what was asked, or show what is not the result. */
const NOT_A_RESULT =
  /prompt|input|request|reference|callback|hook|thumb|cover|poster|avatar|icon|mask|frame|image_tail|base64Array|^images?$/i;

const KIND_BY_ENDING: readonly [RegExp, Medium['kind']][] = [
  [/\.(?:png|jpe?g|webp|gif|avif)$/i, 'image'],
  [/\.(?:mp4|webm|mov|m4v)$/i, 'video'],
  [/\.(?:mp3|wav|ogg|m4a|flac)$/i, 'audio'],
];

/** The last resort for a finished task whose result stands at no known place: whatever in the answer looks like media of a kind it can have. */
export function findMedia(answer: unknown, kinds: readonly Medium['kind'][], place: ReadingPlace): Medium[] {
  const found = new Map<string, Medium>();
  let left = MOST_VALUES;
  const visit = (value: unknown, depth: number): void => {
    if (depth > DEEPEST || left-- <= 0) return;
    if (typeof value === 'string') {
      const medium = mediumIn(value, place);
      if (medium && kinds.includes(medium.kind)) found.set(value, medium);
      return;
    }
    const inner = isRecord(value) ? Object.entries(value).filter(([name]) => !NOT_A_RESULT.test(name)) : [];
    for (const [, child] of inner) visit(child, depth + 1);
    if (Array.isArray(value)) for (const child of value) visit(child, depth + 1);
  };
  visit(answer, 0);
  return [...found.values()];
}

function mediumIn(text: string, place: ReadingPlace): Medium | undefined {
  const kind = /^data:(image|video|audio)\//i.exec(text)?.[1]?.toLowerCase() ?? kindOfBase64(text);
  if (kind) return mediumFrom(text, kind as Medium['kind'], place);
  const address = addressFrom(text, place);
  if (address === undefined || text.startsWith('/')) return undefined;
  const { pathname } = new URL(address);
  const byEnding = KIND_BY_ENDING.find(([ending]) => ending.test(pathname))?.[1];
  return byEnding ? { kind: byEnding, address } : undefined;
}
