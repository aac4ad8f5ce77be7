import { isRecord } from '../is-record.ts';

const UNSUPPORTED_KEYWORDS = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties'],
  ...['unevaluatedProperties', 'propertyNames', 'minProperties', 'maxProperties', 'unevaluatedItems', 'contains'],
  ...['minContains', 'maxContains', 'uniqueItems', 'minLength', 'maxLength', 'default'],
];

/** The first reason why OpenAI's strict mode rejects a schema ("Structured Outputs", supported schemas). */
export function strictProblem(schema: unknown, path: string): string | undefined {
  if (!isRecord(schema)) return `has no schema at ${path}`;
  const unsupported = UNSUPPORTED_KEYWORDS.find((keyword) => keyword in schema);
  if (unsupported) return `has '${unsupported}' at ${path}, which is not permitted`;
  if (path === '#' && 'anyOf' in schema) return 'must not have anyOf at its root';
  const { properties, items, anyOf, $defs } = schema;
  if ([schema.type].flat().includes('object') || properties !== undefined) {
    const problem = objectProblem(schema, path);
    if (problem) return problem;
  }
  const subschemas: [string, unknown][] = [
    ...Object.entries(isRecord(properties) ? properties : {}).map(prefixWith('properties')),
    ...Object.entries(isRecord($defs) ? $defs : {}).map(prefixWith('$defs')),
    ...(Array.isArray(anyOf) ? Object.entries(anyOf).map(prefixWith('anyOf')) : []),
    ...(items === undefined ? [] : ([['items', items]] satisfies [string, unknown][])),
  ];
  return subschemas
    .map(([name, part]) => strictProblem(part, `${path}/${name}`))
    .find((problem) => problem !== undefined);
}

const prefixWith =
  (keyword: string) =>
  ([name, part]: [string, unknown]): [string, unknown] => [`${keyword}/${name}`, part];

function objectProblem({ properties, required, additionalProperties }: Record<string, unknown>, path: string) {
  if (additionalProperties !== false) return `must have additionalProperties: false at ${path}`;
  const names = Array.isArray(required) ? required : [];
  const missing = Object.keys(isRecord(properties) ? properties : {}).find((name) => !names.includes(name));
  return missing === undefined ? undefined : `must require '${missing}' at ${path}`;
}
