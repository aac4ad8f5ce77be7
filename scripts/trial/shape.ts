import { isRecord } from '../../src/lib/exact-json.ts';
import type { Shape } from './report.ts';
import type { Vocabulary } from './words.ts';

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

/** The path of the object or list that has this field. */
export const parentOf = (path: string): string =>
  path.endsWith('[]') ? path.slice(0, -2) : path.replace(/\.[^.]+$/, '');

interface Field {
  types: Set<string>;
  length?: [number, number];
  /** How often the field appeared, and how often as an object. */
  count: number;
  objects: number;
}

/** What several responses of one kind consist of. A body that is not JSON is undefined, and has its media type as its type. */
export function shapeOf(samples: readonly { body: unknown; mediaType?: string }[], vocabulary: Vocabulary): Shape {
  const fields = new Map<string, Field>();
  const words = new Map<string, Set<string>>();
  const add = (value: unknown, path: string, key: string, depth: number, type = typeOf(value, key)): void => {
    if (!fields.has(path) && fields.size >= MAX_FIELDS) return;
    const field: Field = fields.get(path) ?? { types: new Set(), count: 0, objects: 0 };
    fields.set(path, field);
    field.count++;
    field.types.add(type);
    const lengths = [...(field.length ?? []), ...lengthOf(value)];
    if (lengths.length > 0) field.length = [Math.min(...lengths), Math.max(...lengths)];
    const word = WORD_KEYS.test(key) ? wordOf(value, vocabulary) : undefined;
    if (word !== undefined) words.set(path, (words.get(path) ?? new Set()).add(word));
    if (depth >= MAX_DEPTH) return;
    if (Array.isArray(value)) for (const item of value.slice(0, MAX_ITEMS)) add(item, `${path}[]`, key, depth + 1);
    if (!isRecord(value)) return;
    field.objects++;
    for (const [name, one] of namedValues(value, path, vocabulary)) add(one, `${path}.${name}`, name, depth + 1);
  };
  for (const { body, mediaType = '' } of samples)
    add(body, '$', '', 0, body === undefined ? (/^[a-z]+\/[a-z.+-]+$/.exec(mediaType)?.[0] ?? 'nothing') : undefined);
  const entries = [...fields].map(([path, { types, length, count }]): [string, Shape['fields'][string]] => {
    const isOptional = !path.endsWith('[]') && path !== '$' && count < (fields.get(parentOf(path))?.objects ?? 0);
    return [path, { types: [...types].sort(), ...(length && { length }), ...(isOptional && { optional: true }) }];
  });
  return {
    fields: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))),
    words: Object.fromEntries([...words].map(([path, own]) => [path, [...own]])),
  };
}

/** The fields of an object. Those under keys that are data count once. */
function namedValues(record: Record<string, unknown>, path: string, vocabulary: Vocabulary): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [key, value] of Object.entries(record)) {
    const name = vocabulary.isPublic(key) && !MAPS.test(path) ? key : ANY_KEY;
    if (!values.has(name)) values.set(name, value);
  }
  return values;
}

function wordOf(value: unknown, vocabulary: Vocabulary): string | undefined {
  if (typeof value === 'string') return vocabulary.wordOf(value);
  const isCode = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MAX_CODE;
  return isCode ? String(value) : undefined;
}

function typeOf(value: unknown, key: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'number' || !TIME_KEYS.test(key)) return typeof value;
  const isTime = (seconds: number): boolean => seconds >= 1.5e9 && seconds < 2.1e9;
  if (isTime(value)) return 'time in seconds';
  return isTime(value / 1_000) ? 'time in milliseconds' : 'number';
}

function lengthOf(value: unknown): number[] {
  if (typeof value === 'string' || Array.isArray(value)) return [value.length];
  return typeof value === 'number' ? [String(value).length] : [];
}
