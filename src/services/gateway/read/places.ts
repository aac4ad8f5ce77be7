import { isRecord, parseExact } from '../../../lib/exact-json.ts';

/** A place to look in an answer, such as `data.task_result.videos[0].url`; `[]` means every item. */
export type Place = readonly (string | number | typeof every)[];

const every = Symbol('every item');

/** Deep enough for every known shape; a bound on what a hostile answer can make us build. */
const MOST_VALUES = 200;

export function place(text: string): Place {
  return [...text.matchAll(/[^.[\]]+|\[\d*\]/g)].map(([step]) => {
    if (!step.startsWith('[')) return step;
    return step === '[]' ? every : Number(step.slice(1, -1));
  });
}

export function places(...texts: string[]): readonly Place[] {
  return texts.map(place);
}

/** Every value that stands at a place, in order. Lists and objects that travel as JSON text are opened on the way. */
export function valuesAt(answer: unknown, where: Place): unknown[] {
  let values: unknown[] = [answer];
  for (const step of where) values = values.flatMap((value) => stepInto(value, step)).slice(0, MOST_VALUES);
  return values;
}

function stepInto(value: unknown, step: string | number | typeof every): unknown[] {
  const open = typeof value === 'string' ? openText(value) : value;
  if (step === every) {
    if (Array.isArray(open)) return open;
    // A map of items by id stands for the list of its values.
    return isRecord(open) ? Object.values(open).filter(isRecord) : [];
  }
  if (typeof step === 'number') return Array.isArray(open) && step < open.length ? [open[step]] : [];
  return isRecord(open) && Object.hasOwn(open, step) ? [open[step]] : [];
}

function openText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** The first value at any of the places that `read` makes something of. */
export function firstAt<T>(
  answer: unknown,
  where: readonly Place[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const one of where) {
    for (const value of valuesAt(answer, one)) {
      const result = read(value);
      if (result !== undefined) return result;
    }
  }
  return undefined;
}

/** All that `read` makes of the first place that yields anything. */
export function listAt<T>(answer: unknown, where: readonly Place[], read: (value: unknown) => T | undefined): T[] {
  for (const one of where) {
    const results = valuesAt(answer, one)
      .map(read)
      .filter((result) => result !== undefined);
    if (results.length > 0) return results;
  }
  return [];
}
