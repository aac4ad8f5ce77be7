import { type $ZodLiteral, type $ZodObject, type $ZodType, type $ZodTypes, safeParse } from 'zod/v4/core';
import { isObject, toPrintable } from './json.ts';
import { field, item, required, type Violation, violation } from './violation.ts';
import { badLength, lengthLimits, zodIssueViolation } from './zod-issues.ts';

export interface ValidationOptions {
  /** Discord ignores unknown keys, but in a request from the bot an unknown key is a mistake. */
  readonly unknownKeys: 'refused' | 'ignored';
  /** Replacements for schemas that Discord defines too narrowly or too broadly. */
  readonly corrections: ReadonlyMap<$ZodType, $ZodType>;
}

/**
 * Walks the schema and the value together instead of using zod's parser: unions are resolved by `type`, so one
 * fault yields one violation with its exact path. It also finds unknown keys, which these schemas accept.
 */
export function validateShape(
  declaredSchema: $ZodType,
  value: unknown,
  path: string,
  validation: ValidationOptions,
): Violation[] {
  const schema = (validation.corrections.get(declaredSchema) ?? declaredSchema) as $ZodTypes;
  const { def } = schema._zod;
  switch (def.type) {
    case 'lazy':
      return validateShape(def.getter(), value, path, validation);
    case 'optional':
      return value === undefined ? [] : validateShape(def.innerType, value, path, validation);
    case 'nullable':
      return value === null ? [] : validateShape(def.innerType, value, path, validation);
    case 'object':
      return validateObject(schema as $ZodObject, value, path, validation);
    case 'array':
      if (value === undefined || value === null) return [required(path)];
      if (!Array.isArray(value)) {
        return [violation(path, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')];
      }
      return [
        ...validateLength(schema, value.length, path),
        ...value.flatMap((each, index) => validateShape(def.element, each, item(path, index), validation)),
      ];
    case 'record':
      if (!isObject(value)) return [notAnObject('DictType', path, value)];
      return Object.entries(value).flatMap(([name, each]) =>
        validateShape(def.valueType, each, field(path, name), validation),
      );
    case 'union':
      return validateUnion(def.options, value, path, validation);
    case 'intersection':
      return [def.left, def.right].flatMap((member) =>
        validateShape(member, value, path, { ...validation, unknownKeys: 'ignored' }),
      );
    default: {
      const parsed = safeParse(schema, value);
      const issue = parsed.error?.issues[0];
      return issue === undefined ? [] : [zodIssueViolation(schema, issue, path, value)];
    }
  }
}

function validateLength(schema: $ZodType, length: number, path: string): Violation[] {
  const limits = lengthLimits(schema);
  return length < (limits.min ?? 0) || length > (limits.max ?? length) ? [badLength(path, limits)] : [];
}

function notAnObject(kind: 'ModelType' | 'DictType', path: string, value: unknown): Violation {
  if (value === undefined || value === null) return required(path);
  const code = kind === 'ModelType' ? 'MODEL_TYPE_CONVERT' : 'DICT_TYPE_CONVERT';
  return violation(path, code, `Only dictionaries may be used in a ${kind}`);
}

function validateObject(schema: $ZodObject, value: unknown, path: string, validation: ValidationOptions): Violation[] {
  if (!isObject(value)) return [notAnObject('ModelType', path, value)];
  const { shape } = schema._zod.def;
  // If `type` is wrong, violations of the other keys would only be misleading.
  const types = typesOf(schema);
  if (types !== undefined && !types.includes(value.type)) return [wrongType(path, types)];
  const fieldViolations = Object.entries(shape).flatMap(([name, each]) =>
    validateShape(each, ownValue(value, name), field(path, name), validation),
  );
  if (validation.unknownKeys === 'ignored') return fieldViolations;
  const unknownNames = Object.keys(value).filter((name) => !Object.hasOwn(shape, name) && value[name] !== undefined);
  return [
    ...fieldViolations,
    ...unknownNames.map((name) =>
      violation(
        field(path, name),
        'UNKNOWN_KEY',
        `Discord does not know "${toPrintable(name)}" here and would ignore it.`,
      ),
    ),
  ];
}

/** Inherited properties, such as `constructor`, are not part of a body. */
const ownValue = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;

const wrongType = (path: string, types: readonly unknown[]): Violation =>
  violation(path, 'UNION_TYPE_CHOICES', `Value of field "type" must be one of (${types.map(String).join(', ')}).`);

function validateUnion(
  options: readonly $ZodType[],
  value: unknown,
  path: string,
  validation: ValidationOptions,
): Violation[] {
  const branches = options.map((option) => resolveSchema(option, validation));
  const typesPerBranch = branches.map(typesOf);
  if (isObject(value) && typesPerBranch.every((types) => types !== undefined)) {
    const index = typesPerBranch.findIndex((types) => types?.includes(value.type));
    const matchingBranch = branches[index];
    return matchingBranch === undefined
      ? [wrongType(path, typesPerBranch.flat())]
      : validateShape(matchingBranch, value, path, validation);
  }
  // Without a `type`, the branch with the fewest violations decides.
  let fewestViolations: Violation[] | undefined;
  for (const each of branches) {
    const found = validateShape(each, value, path, validation);
    if (found.length === 0) return [];
    if (fewestViolations === undefined || found.length < fewestViolations.length) fewestViolations = found;
  }
  return fewestViolations ?? [];
}

function resolveSchema(schema: $ZodType, validation: ValidationOptions): $ZodType {
  const correctedSchema = (validation.corrections.get(schema) ?? schema) as $ZodTypes;
  return correctedSchema._zod.def.type === 'lazy'
    ? resolveSchema(correctedSchema._zod.def.getter(), validation)
    : correctedSchema;
}

/** The values of `type` that an object schema accepts, if it lists them. */
function typesOf(schema: $ZodType): readonly unknown[] | undefined {
  const { def } = (schema as $ZodTypes)._zod;
  if (def.type !== 'object') return undefined;
  const type = def.shape.type as $ZodTypes | undefined;
  return type?._zod.def.type === 'literal' ? (type as $ZodLiteral)._zod.def.values : undefined;
}
