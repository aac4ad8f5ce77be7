import { isRecord } from '../is-record.ts';
import { subjectsOf } from './prose.ts';

/** Without this limit, generating a value for a schema that refers to itself would never end. */
const MAX_DEPTH = 12;

/** The names of fields that are filled with the whole question rather than one word. */
const WHOLE_QUESTION_FIELDS = /prompt|query|question|text|message|description|answer|content/i;

/** A value that conforms to a JSON Schema, made from the words of the question. */
export function valueForSchema(schema: unknown, question: string): unknown {
  const subjects = subjectsOf(question);
  let position = 0;
  const next = () => subjects[position++ % subjects.length] ?? 'sand';

  const value = (schemaNode: unknown, name: string, depth: number): unknown => {
    const resolvedSchema = resolveRef(schemaNode, schema);
    if (!isRecord(resolvedSchema) || depth > MAX_DEPTH) return null;
    if ('const' in resolvedSchema) return resolvedSchema.const;
    if (Array.isArray(resolvedSchema.enum) && resolvedSchema.enum.length > 0)
      return chooseEnumValue(resolvedSchema.enum, question);
    const branches = resolvedSchema.anyOf ?? resolvedSchema.oneOf;
    if (Array.isArray(branches)) return value(branches[0], name, depth + 1);
    if (Array.isArray(resolvedSchema.allOf))
      return value(Object.assign({}, ...resolvedSchema.allOf.filter(isRecord)), name, depth + 1);
    switch (typeOf(resolvedSchema)) {
      case 'object':
        return object(resolvedSchema, depth);
      case 'array':
        return Array.from({ length: clamp(2, resolvedSchema.minItems, resolvedSchema.maxItems) }, () =>
          value(resolvedSchema.items, name, depth + 1),
        );
      case 'integer':
      case 'number':
        return clamp(next().length, resolvedSchema.minimum, resolvedSchema.maximum);
      case 'boolean':
        return next().length % 2 === 0;
      case 'null':
        return null;
      default:
        return text(resolvedSchema, WHOLE_QUESTION_FIELDS.test(name) ? question : next());
    }
  };

  const object = (resolvedSchema: Record<string, unknown>, depth: number) => {
    const properties = isRecord(resolvedSchema.properties) ? resolvedSchema.properties : {};
    const required = new Set(
      Array.isArray(resolvedSchema.required) ? resolvedSchema.required : Object.keys(properties),
    );
    // Deeply nested optional properties are omitted, because the value of a recursive schema would never end.
    const names = Object.keys(properties).filter((name) => required.has(name) || depth < 2);
    return Object.fromEntries(names.map((name) => [name, value(properties[name], name, depth + 1)]));
  };

  return value(schema, '', 0);
}

function typeOf({ type, properties, items }: Record<string, unknown>): unknown {
  const firstType = Array.isArray(type) ? type[0] : type;
  return firstType ?? (properties ? 'object' : items ? 'array' : 'string');
}

/** The enum value that the question contains, or else the first one. */
function chooseEnumValue(choices: readonly unknown[], question: string): unknown {
  const lowerCaseQuestion = question.toLowerCase();
  return choices.find((one) => typeof one === 'string' && lowerCaseQuestion.includes(one.toLowerCase())) ?? choices[0];
}

function clamp(preferred: number, min: unknown, max: unknown): number {
  const low = typeof min === 'number' ? min : Number.NEGATIVE_INFINITY;
  const high = typeof max === 'number' ? max : Number.POSITIVE_INFINITY;
  return Math.max(low, Math.min(high, preferred));
}

function text({ minLength, maxLength, format }: Record<string, unknown>, content: string): string {
  if (format === 'date') return '2026-01-01';
  if (format === 'date-time') return '2026-01-01T00:00:00Z';
  if (format === 'uri') return 'https://sandbox.example/';
  const min = typeof minLength === 'number' ? minLength : 0;
  return [...content.padEnd(min, '.')].slice(0, typeof maxLength === 'number' ? maxLength : undefined).join('');
}

/** Resolves local references such as `#/$defs/name`; others yield undefined. */
function resolveRef(schemaNode: unknown, root: unknown): unknown {
  if (!isRecord(schemaNode) || typeof schemaNode.$ref !== 'string') return schemaNode;
  const steps = schemaNode.$ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter((step) => step !== '');
  return steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), root);
}
