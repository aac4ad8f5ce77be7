import { isRecord, parseExact } from '../../../lib/exact-json.ts';

/** A place to look in an answer, such as `data.task_result.videos[0].url`; `[]` means every item. */
export type Place = readonly (string | number | typeof every)[];

const every = Symbol('every item');

/** Deep enough for every known shape; a bound on what a hostile answer can make us build. */
const MOST_VALUES = 200;

/** An answer may list millions of items that are nothing: so many are looked at. */
const MOST_ITEMS = 2_000;

/** Compiles places. Done once, where a table is written; never while an answer is read. */
export function places(...texts: string[]): readonly Place[] {
  return texts.map((text) =>
    [...text.matchAll(/[^.[\]]+|\[\d*\]/g)].map(([step]) => {
      if (!step.startsWith('[')) return step;
      return step === '[]' ? every : Number(step.slice(1, -1));
    }),
  );
}

/** The first value at any of the places that `read` makes something of. */
export function firstAt<T>(
  answer: unknown,
  where: readonly Place[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const one of where) {
    const result = search(answer, one, 0, read);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** All that `read` makes of the first place that yields anything. */
export function listAt<T>(answer: unknown, where: readonly Place[], read: (value: unknown) => T | undefined): T[] {
  const found: T[] = [];
  const collect = (value: unknown): true | undefined => {
    const result = read(value);
    if (result !== undefined) found.push(result);
    return found.length >= MOST_VALUES || undefined;
  };
  for (const one of where) {
    search(answer, one, 0, collect);
    if (found.length > 0) break;
  }
  return found;
}

/** Follows a place from its step `at` on, until `read` makes something of a value that stands there. */
function search<T>(start: unknown, where: Place, at: number, read: (value: unknown) => T | undefined): T | undefined {
  let value = start;
  for (let index = at; index < where.length; index++) {
    const step = where[index];
    // Lists and objects may travel as JSON text.
    const open = typeof value === 'string' ? opened(value) : value;
    if (step === every) {
      for (const item of itemsOf(open)) {
        const result = search(item, where, index + 1, read);
        if (result !== undefined) return result;
      }
      return undefined;
    }
    if (typeof step === 'number') value = Array.isArray(open) ? open[step] : undefined;
    else value = isRecord(open) && step !== undefined && Object.hasOwn(open, step) ? open[step] : undefined;
    if (value === undefined) return undefined;
  }
  return read(value);
}

function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS);
  // A map of items by id stands for the list of its values.
  return isRecord(value) ? Object.values(value).slice(0, MOST_ITEMS).filter(isRecord) : [];
}

function opened(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
