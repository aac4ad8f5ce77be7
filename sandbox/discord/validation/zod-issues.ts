import type { $ZodChecks, $ZodIssue, $ZodType } from 'zod/v4/core';
import { toPrintable } from './json.ts';
import { required, type Violation, violation } from './violation.ts';

interface LengthLimits {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export function lengthLimits(schema: $ZodType): LengthLimits {
  let min: number | undefined;
  let max: number | undefined;
  for (const check of schema._zod.def.checks ?? []) {
    const { def } = (check as $ZodChecks)._zod;
    if (def.check === 'min_length') min = def.minimum;
    if (def.check === 'max_length') max = def.maximum;
  }
  return { min, max };
}

/** Discord reports both limits if both exist. */
export function badLength(path: string, { min, max }: LengthLimits): Violation {
  if (min === undefined) return violation(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
  if (max === undefined) return violation(path, 'BASE_TYPE_MIN_LENGTH', `Must be ${min} or more in length.`);
  return violation(path, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
}

export const badChoice = (path: string, choices: readonly unknown[]): Violation =>
  violation(path, 'BASE_TYPE_CHOICES', `Value must be one of {${choices.map(String).join(', ')}}.`);

const TYPE_VIOLATIONS: Readonly<Record<string, (path: string, value: unknown) => Violation>> = {
  string: (path, value) =>
    violation(path, 'STRING_TYPE_CONVERT', `Could not interpret "${toPrintable(value)}" as string.`),
  number: (path, value) => violation(path, 'NUMBER_TYPE_COERCE', `Value "${toPrintable(value)}" is not int.`),
  int: (path, value) => violation(path, 'NUMBER_TYPE_COERCE', `Value "${toPrintable(value)}" is not int.`),
  boolean: (path) => violation(path, 'BOOLEAN_TYPE_CONVERT', 'Must be either true or false.'),
};

const FORMAT_VIOLATIONS: Readonly<Record<string, (path: string, value: unknown) => Violation>> = {
  url: (path) => violation(path, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.'),
  datetime: (path, value) =>
    violation(path, 'DATE_TIME_TYPE_PARSE', `Could not parse ${toPrintable(value)}. Should be ISO8601.`),
  // Discord's schemas contain only one pattern, that of a snowflake.
  regex: (path, value) => violation(path, 'NUMBER_TYPE_COERCE', `Value "${toPrintable(value)}" is not snowflake.`),
};

/** Translates a zod issue into Discord's code and message. */
export function zodIssueViolation(schema: $ZodType, issue: $ZodIssue, path: string, value: unknown): Violation {
  if (value === undefined || value === null) return required(path);
  switch (issue.code) {
    case 'too_big':
      if (issue.origin === 'string') return badLength(path, lengthLimits(schema));
      return violation(path, 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${issue.maximum}.`);
    case 'too_small':
      if (issue.origin === 'string') return badLength(path, lengthLimits(schema));
      return violation(path, 'NUMBER_TYPE_MIN', `int value should be greater than or equal to ${issue.minimum}.`);
    case 'invalid_value':
      return badChoice(path, issue.values);
    case 'invalid_format':
      return (FORMAT_VIOLATIONS[issue.format] ?? FORMAT_VIOLATIONS.regex ?? required)(path, value);
    case 'invalid_type':
      return (TYPE_VIOLATIONS[issue.expected] ?? TYPE_VIOLATIONS.string ?? required)(path, value);
    default:
      return violation(path, 'BASE_TYPE_INVALID', 'Invalid value.');
  }
}
