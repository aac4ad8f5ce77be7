import { isRecord } from '../../../lib/exact-json.ts';

/** OpenAI's strict mode refuses every other keyword. A schema that does not qualify is sent without `strict`. */
const STRICT_KEYWORDS = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...['title', 'description', 'pattern', 'format', 'multipleOf', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
const STRICT_FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
const MAX_LEVELS = 10;

/** Whether a schema meets OpenAI's rules for `strict`: every object names all of its properties, requires them, and allows no others. */
export const fitsStrictMode = (schema: Record<string, unknown>): boolean =>
  !('anyOf' in schema) && isStrict(schema, MAX_LEVELS);

function isStrict(schema: unknown, levels: number): boolean {
  if (!isRecord(schema) || levels < 0) return false;
  if (!Object.keys(schema).every((keyword) => STRICT_KEYWORDS.has(keyword))) return false;
  const { format, items, anyOf, $defs = {} } = schema;
  if (format !== undefined && !(typeof format === 'string' && STRICT_FORMATS.has(format))) return false;
  if (!isRecord($defs) || !areStrict(Object.values($defs), levels)) return false;
  if (items !== undefined && !isStrict(items, levels)) return false;
  if (anyOf !== undefined && !(Array.isArray(anyOf) && areStrict(anyOf, levels))) return false;
  return !mayBeObject(schema) || isStrictObject(schema, levels);
}

const areStrict = (schemas: readonly unknown[], levels: number): boolean =>
  schemas.every((one) => isStrict(one, levels));

const mayBeObject = ({ type, properties }: Record<string, unknown>): boolean =>
  properties !== undefined || [type].flat().includes('object');

function isStrictObject(schema: Record<string, unknown>, levels: number): boolean {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (additionalProperties !== false || !isRecord(properties) || !Array.isArray(required)) return false;
  const isRequired = Object.keys(properties).every((name) => required.includes(name));
  return isRequired && areStrict(Object.values(properties), levels - 1);
}
