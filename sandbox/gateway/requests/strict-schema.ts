import { isRecord } from '../../../src/lib/exact-json.ts';

const UNSUPPORTED = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties'],
  ...['unevaluatedProperties', 'propertyNames', 'minProperties', 'maxProperties', 'unevaluatedItems', 'contains'],
  ...['minContains', 'maxContains', 'uniqueItems', 'minLength', 'maxLength', 'default'],
];

/** The first reason why OpenAI's strict mode rejects a schema ("Structured Outputs", supported schemas). */
export function strictProblem(schema: unknown, place: string): string | undefined {
  if (!isRecord(schema)) return `has no schema at ${place}`;
  const unsupported = UNSUPPORTED.find((keyword) => keyword in schema);
  if (unsupported) return `has '${unsupported}' at ${place}, which is not permitted`;
  if (place === '#' && 'anyOf' in schema) return 'must not have anyOf at its root';
  const { properties, items, anyOf, $defs } = schema;
  if ([schema.type].flat().includes('object') || properties !== undefined) {
    const problem = objectProblem(schema, place);
    if (problem) return problem;
  }
  const parts: [string, unknown][] = [
    ...Object.entries(isRecord(properties) ? properties : {}).map(inside('properties')),
    ...Object.entries(isRecord($defs) ? $defs : {}).map(inside('$defs')),
    ...(Array.isArray(anyOf) ? Object.entries(anyOf).map(inside('anyOf')) : []),
    ...(items === undefined ? [] : ([['items', items]] satisfies [string, unknown][])),
  ];
  return parts.map(([name, part]) => strictProblem(part, `${place}/${name}`)).find((problem) => problem !== undefined);
}

const inside =
  (keyword: string) =>
  ([name, part]: [string, unknown]): [string, unknown] => [`${keyword}/${name}`, part];

function objectProblem({ properties, required, additionalProperties }: Record<string, unknown>, place: string) {
  if (additionalProperties !== false) return `must have additionalProperties: false at ${place}`;
  const names = Array.isArray(required) ? required : [];
  const missing = Object.keys(isRecord(properties) ? properties : {}).find((name) => !names.includes(name));
  return missing === undefined ? undefined : `must require '${missing}' at ${place}`;
}
