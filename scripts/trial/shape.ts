import { isRecord } from '../../src/lib/exact-json.ts';
import type { Vocabulary } from './words.ts';

/** What is known of a field without its value. */
interface Field {
  types: string[];
  /** The shortest and the longest text or list, or number of digits. */
  length?: [number, number];
  /** Whether it is missing in some of the objects that could have it. */
  optional?: true;
}

/** By the path of each field: `data[].url`. A key that is not a name but data is `{*}`. The value itself has the path `$`. */
export type Fields = Record<string, Field>;

/** The values that are words of the protocol, by the path of the field, in the order in which they appeared. */
export type Words = Record<string, string[]>;

export const ANY_KEY = '{*}';
const WORD_KEYS = /^(?:status|type|code|object|action|finish_reason|event|state)$/;
/** The keys in these objects are data: names of groups, or of the parameters of a tool. */
const MAPS = /\.(?:group_ratio|parameters\.properties)$/;
const TIME_KEYS = /time|_at$|At$|created|expires/i;
const MAX_CODE = 1_000_000;
/** A hostile response may nest objects, or have more fields than any real one. */
const MAX_DEPTH = 12;
const MAX_FIELDS = 600;
const MAX_ITEMS = 200;

const SECONDS = [1.5e9, 2.1e9] as const;
const isBetween = (value: number, [low, high]: readonly [number, number]): boolean => value >= low && value < high;

/** The path of the object or list that has this field. */
export const parentOf = (path: string): string =>
  path.endsWith('[]') ? path.slice(0, -2) : path.replace(/\.[^.]+$/, '');

/** Collects the fields of several responses of one kind. */
export class ShapeReader {
  readonly #fields = new Map<string, { types: Set<string>; length?: [number, number]; count: number }>();
  readonly #objects = new Map<string, number>();
  readonly #words = new Map<string, Set<string>>();
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** A body that is not JSON is undefined, and has its media type as its type. */
  add(value: unknown, mediaType = ''): void {
    if (value !== undefined) this.#add(value, '$', '', 0);
    else this.#fields.set('$', { types: new Set([/^[a-z]+\/[a-z.+-]+$/.exec(mediaType)?.[0] ?? 'nothing']), count: 1 });
  }

  #add(value: unknown, path: string, key: string, depth: number): void {
    const field = this.#fields.get(path) ?? { types: new Set<string>(), count: 0 };
    if (!this.#fields.has(path) && this.#fields.size >= MAX_FIELDS) return;
    this.#fields.set(path, field);
    field.count++;
    field.types.add(typeOf(value, key));
    const length = lengthOf(value);
    if (length !== undefined)
      field.length = [Math.min(length, field.length?.[0] ?? length), Math.max(length, field.length?.[1] ?? length)];
    if (WORD_KEYS.test(key)) this.#addWord(path, value);
    if (depth >= MAX_DEPTH) return;
    if (Array.isArray(value))
      for (const item of value.slice(0, MAX_ITEMS)) this.#add(item, `${path}[]`, key, depth + 1);
    else if (isRecord(value)) this.#addObject(value, path, depth);
  }

  get fields(): Fields {
    const entries = [...this.#fields].map(([path, { types, length, count }]): [string, Field] => {
      const isOptional = !path.endsWith('[]') && path !== '$' && count < (this.#objects.get(parentOf(path)) ?? 0);
      return [path, { types: [...types].sort(), ...(length && { length }), ...(isOptional && { optional: true }) }];
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  get words(): Words {
    return Object.fromEntries([...this.#words].map(([path, words]) => [path, [...words]]));
  }

  #addObject(record: Record<string, unknown>, path: string, depth: number): void {
    this.#objects.set(path, (this.#objects.get(path) ?? 0) + 1);
    const seen = new Set<string>();
    for (const [key, value] of Object.entries(record)) {
      const name = this.#vocabulary.isPublic(key) && !MAPS.test(path) ? key : ANY_KEY;
      // Fields under data keys count once for each object, as others do.
      if (name === ANY_KEY && seen.has(name)) continue;
      seen.add(name);
      this.#add(value, `${path}.${name}`, name, depth + 1);
    }
  }

  #addWord(path: string, value: unknown): void {
    const isCode = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MAX_CODE;
    if (typeof value !== 'string' && !isCode) return;
    const words = this.#words.get(path) ?? new Set<string>();
    this.#words.set(path, words);
    const word = String(value);
    words.add(isCode ? word : this.#vocabulary.wordOf(word));
  }
}

function typeOf(value: unknown, key: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'number' || !TIME_KEYS.test(key)) return typeof value;
  if (isBetween(value, SECONDS)) return 'time in seconds';
  return isBetween(value / 1_000, SECONDS) ? 'time in milliseconds' : 'number';
}

function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'number' ? String(value).length : undefined;
}
