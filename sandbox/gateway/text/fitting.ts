import { isRecord } from '../../../src/lib/exact-json.ts';
import { subjectsOf } from './prose.ts';

/** A schema that refers to itself would never end. */
const DEEPEST = 12;

/** Names of fields that want the whole question rather than a word of it. */
const WHOLE = /prompt|query|question|text|message|description|answer|content/i;

/** A value that fits a JSON Schema and is made of the question's own words. */
export function fitting(schema: unknown, question: string): unknown {
  const subjects = subjectsOf(question);
  let at = 0;
  const next = () => subjects[at++ % subjects.length] ?? 'sand';

  const value = (given: unknown, name: string, depth: number): unknown => {
    const wanted = resolved(given, schema);
    if (!isRecord(wanted) || depth > DEEPEST) return null;
    if ('const' in wanted) return wanted.const;
    if (Array.isArray(wanted.enum) && wanted.enum.length > 0) return chosen(wanted.enum, question);
    const branches = wanted.anyOf ?? wanted.oneOf;
    if (Array.isArray(branches)) return value(branches[0], name, depth + 1);
    if (Array.isArray(wanted.allOf)) return value(Object.assign({}, ...wanted.allOf.filter(isRecord)), name, depth + 1);
    switch (typeOf(wanted)) {
      case 'object':
        return object(wanted, depth);
      case 'array':
        return Array.from({ length: bounded(2, wanted.minItems, wanted.maxItems) }, () =>
          value(wanted.items, name, depth + 1),
        );
      case 'integer':
      case 'number':
        return bounded(next().length, wanted.minimum, wanted.maximum);
      case 'boolean':
        return next().length % 2 === 0;
      case 'null':
        return null;
      default:
        return text(wanted, WHOLE.test(name) ? question : next());
    }
  };

  const object = (wanted: Record<string, unknown>, depth: number) => {
    const properties = isRecord(wanted.properties) ? wanted.properties : {};
    const required = new Set(Array.isArray(wanted.required) ? wanted.required : Object.keys(properties));
    // Optional properties are left out at depth, because a recursive schema would never end.
    const names = Object.keys(properties).filter((name) => required.has(name) || depth < 2);
    return Object.fromEntries(names.map((name) => [name, value(properties[name], name, depth + 1)]));
  };

  return value(schema, '', 0);
}

function typeOf({ type, properties, items }: Record<string, unknown>): unknown {
  const single = Array.isArray(type) ? type[0] : type;
  return single ?? (properties ? 'object' : items ? 'array' : 'string');
}

/** One of the words that may be chosen, that of the question where it names one. */
function chosen(choices: readonly unknown[], question: string): unknown {
  const asked = question.toLowerCase();
  return choices.find((one) => typeof one === 'string' && asked.includes(one.toLowerCase())) ?? choices[0];
}

function bounded(usual: number, least: unknown, most: unknown): number {
  const low = typeof least === 'number' ? least : Number.NEGATIVE_INFINITY;
  const high = typeof most === 'number' ? most : Number.POSITIVE_INFINITY;
  return Math.max(low, Math.min(high, usual));
}

function text({ minLength, maxLength, format }: Record<string, unknown>, words: string): string {
  if (format === 'date') return '2026-01-01';
  if (format === 'date-time') return '2026-01-01T00:00:00Z';
  if (format === 'uri') return 'https://sandbox.example/';
  const least = typeof minLength === 'number' ? minLength : 0;
  return [...words.padEnd(least, '.')].slice(0, typeof maxLength === 'number' ? maxLength : undefined).join('');
}

/** `#/$defs/name` within the schema itself; anything else is nothing. */
function resolved(given: unknown, root: unknown): unknown {
  if (!isRecord(given) || typeof given.$ref !== 'string') return given;
  const steps = given.$ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '');
  return steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), root);
}
