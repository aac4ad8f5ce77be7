import { isRecord } from '../../../../lib/exact-json.ts';

const MAX_DEPTH = 6;
const MAX_FIELDS = 2_000;
const MAX_NAME_LENGTH = 80;

type Spellings = ReadonlyMap<string, readonly string[]>;

const normalizeName = (name: string): string => name.replaceAll(/[^a-z\d]/gi, '').toLowerCase();

/** All spellings of the names in the tables, keyed by their letters, which are the same for `TaskID`, `task-id` and `task_id`. */
export function spellingsIn(table: unknown): Spellings {
  const spellings = new Map<string, Set<string>>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      const matches = spellings.get(normalizeName(value)) ?? new Set();
      spellings.set(normalizeName(value), matches.add(value));
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) visit(inner);
    }
  };
  visit(table);
  return new Map([...spellings].map(([key, names]) => [key, [...names]]));
}

/** Returns a record with its fields under the names that the tables use. */
export function respell(record: Record<string, unknown>, spellings: Spellings): Record<string, unknown> {
  let remaining = MAX_FIELDS;
  const copy = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH || remaining <= 0) return value;
    if (Array.isArray(value)) return value.length > remaining ? value : value.map((item) => copy(item, depth + 1));
    return isRecord(value) ? copyRecord(value, depth) : value;
  };
  const copyRecord = (value: Record<string, unknown>, depth: number): Record<string, unknown> => {
    const entries: [string, unknown][] = [];
    for (const name in value) {
      if (!Object.hasOwn(value, name) || remaining-- <= 0) continue;
      const child = copy(value[name], depth + 1);
      const matches = name.length > MAX_NAME_LENGTH ? [] : (spellings.get(normalizeName(name)) ?? []);
      const names = matches.length === 0 ? [name] : matches.filter((one) => one === name || !Object.hasOwn(value, one));
      for (const one of names) entries.push([one, child]);
    }
    return Object.fromEntries(entries);
  };
  return copyRecord(record, 0);
}
