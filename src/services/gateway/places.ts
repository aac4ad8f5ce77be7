import { toPlainDecimal } from '../../lib/decimals.ts';
import { isRecord, type Json, parseExact } from '../../lib/exact-json.ts';

/** A path into a response, such as `data.task_result.videos[0].url`; `[]` means every item. */
export type Place = readonly (string | number | typeof everyItem)[];

const everyItem = Symbol('every item');

/** Enough for every known response, and a limit for hostile ones. */
const MAX_VALUES = 200;

/** A response may list millions of empty items; only this many are read. */
const MAX_ITEMS = 2_000;

export const splitWords = (text: string): string[] => text.split(/\s+/);

/** Compiles paths, one or several per string. Called when tables are defined, and never while a response is read. */
export function places(...texts: string[]): readonly Place[] {
  return texts.flatMap(splitWords).map((text) =>
    [...text.matchAll(/[^.[\]]+|\[\d*\]/g)].map(([step]) => {
      if (!step.startsWith('[')) return step;
      return step === '[]' ? everyItem : Number(step.slice(1, -1));
    }),
  );
}

type Read<T> = (value: unknown) => T | undefined;

/** Tries the places in order, and returns the first result of `read`. */
export function firstAt<T>(response: unknown, paths: readonly Place[], read: Read<T>): T | undefined {
  for (const path of paths) {
    const result = search(response, path, 0, read);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** All results of `read` at the first place that has any. */
export function listAt<T>(response: unknown, paths: readonly Place[], read: Read<T>): T[] {
  const results: T[] = [];
  const collect = (value: unknown): true | undefined => {
    const result = read(value);
    if (result !== undefined) results.push(result);
    return results.length >= MAX_VALUES || undefined;
  };
  for (const path of paths) {
    search(response, path, 0, collect);
    if (results.length > 0) break;
  }
  return results;
}

/** Follows a path from step `startIndex` on, until `read` returns something for a value at its end. */
function search<T>(start: unknown, path: Place, startIndex: number, read: Read<T>): T | undefined {
  let value = start;
  for (let index = startIndex; index < path.length; index++) {
    const step = path[index];
    // Lists and objects may arrive as JSON text.
    const container = typeof value === 'string' ? parseIfJson(value) : value;
    if (step === everyItem) {
      for (const item of itemsOf(container)) {
        const result = search(item, path, index + 1, read);
        if (result !== undefined) return result;
      }
      return undefined;
    }
    if (typeof step === 'number') value = Array.isArray(container) ? container[step] : undefined;
    else
      value = isRecord(container) && step !== undefined && Object.hasOwn(container, step) ? container[step] : undefined;
    if (value === undefined) return undefined;
  }
  return read(value);
}

function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS);
  // A map of items by id is treated as the list of its values.
  return isRecord(value) ? Object.values(value).slice(0, MAX_ITEMS).filter(isRecord) : [];
}

const parseIfJson = (text: string): unknown => (/^\s*[[{]/.test(text) ? parseJson(text) : undefined);

export function parseJson(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Non-empty text. Numbers become text with the digits that were sent. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}

/** Non-empty text, but only from strings, for places where a number means something else. */
export const asString = (value: unknown): string | undefined => (typeof value === 'string' ? asText(value) : undefined);

export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && value.trim() === '') return undefined;
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

export const asList = (value: unknown): unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** A decimal amount as text with exactly the digits that were sent. */
export function asAmount(value: unknown): string | undefined {
  const text = asText(value);
  return text !== undefined && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? text : undefined;
}

/** More digits than any real amount has. */
const MAX_DECIMAL_LENGTH = 60;

/** A decimal that is not negative, without an exponent. */
export function asDecimal(value: unknown): string | undefined {
  const text = asAmount(value);
  const decimal = text === undefined || text.length > MAX_DECIMAL_LENGTH ? undefined : toPlainDecimal(text);
  return decimal === undefined || decimal.startsWith('-') || decimal.length > MAX_DECIMAL_LENGTH ? undefined : decimal;
}

/** Percent, 0 to 100. `"45%"`, `45` and `0.45` all mean 45; an integer 1 means one percent. */
export function asProgress(value: unknown): number | undefined {
  const text = asText(value)?.replace(/%$/, '').trim();
  const number = asNumber(text);
  if (text === undefined || number === undefined) return undefined;
  const isFraction = number > 0 && number <= 1 && text.includes('.') && asText(value) === text;
  // Hundredths have no exact binary form: 0.07 × 100 is slightly more than 7.
  const percent = isFraction ? Number((number * 100).toPrecision(12)) : number;
  return Math.min(100, Math.max(0, percent));
}

const MIN_MILLISECOND_TIMESTAMP = 1e12;
/** The latest date in ECMA-262. */
const MAX_TIMESTAMP = 8.64e15;

/** Milliseconds since the epoch, from milliseconds, seconds or an ISO date. */
export function asTime(value: unknown): number | undefined {
  const number = asNumber(value);
  if (number !== undefined) {
    if (number <= 0 || number > MAX_TIMESTAMP) return undefined;
    return Math.round(number >= MIN_MILLISECOND_TIMESTAMP ? number : number * 1000);
  }
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Usage counts as integers; undefined if the response has none. */
export function readCounts<Name extends string>(
  value: unknown,
  pathsByName: Readonly<Record<Name, readonly Place[]>>,
): Record<Name, number | undefined> | undefined;
export function readCounts(
  value: unknown,
  pathsByName: Readonly<Record<string, readonly Place[]>>,
): object | undefined {
  if (!isRecord(value)) return undefined;
  const counts = Object.entries(pathsByName).map(([name, places]) => [name, firstAt(value, places, asCount)] as const);
  return counts.every(([, count]) => count === undefined) ? undefined : Object.fromEntries(counts);
}

function asCount(value: unknown): number | undefined {
  const number = asNumber(value);
  return number !== undefined && number >= 0 ? Math.round(number) : undefined;
}
