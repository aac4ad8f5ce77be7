import type { z } from 'zod';
import { Refusal } from '../../lib/refusal.ts';
import { MAX_THRESHOLDS } from '../../services/rules/server-rules.ts';
import type { text } from './text.ts';

type Path = readonly PropertyKey[];
type Problem = keyof (typeof text)['refusals']['rules']['importInvalid'];
type Facts = ConstructorParameters<typeof Refusal>[1];

/** Refuses a file of rules for one mistake in it. */
export const importMistake = (path: Path, problem: Problem, facts: Facts = {}): Refusal =>
  new Refusal(`refusals.rules.importInvalid.${problem}`, { at: placeOf(path), ...facts });

/** Where the mistake is, as a reader of the file counts: the first entry is entry 1. */
const placeOf = (path: Path): string =>
  path.map((step) => (typeof step === 'number' ? `entry ${step + 1}` : String(step))).join(' › ');

const PROBLEM_BY_TYPE: Readonly<Record<string, Problem>> = {
  string: 'text',
  number: 'number',
  int: 'wholeNumber',
  boolean: 'switch',
  array: 'list',
};

/** The refusal for what the schema of the rules found first. `input` of the issue is the wrong value. */
export function mistakeOf(issue: z.core.$ZodIssue): Refusal {
  const { path } = issue;
  if (path.length === 0) return importMistake(path, 'notRules');
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return importMistake(path, 'missing');
      return importMistake(path, PROBLEM_BY_TYPE[issue.expected] ?? 'object');
    case 'invalid_value':
      if (issue.input === undefined) return importMistake(path, 'missing');
      return importMistake(path, 'choice', { choices: issue.values.map(String) });
    case 'invalid_union':
      return importMistake(path, 'pressers');
    case 'too_small':
      if (issue.origin === 'number') return importMistake(path, 'tooSmall', { min: Number(issue.minimum) });
      return importMistake(path, issue.origin === 'array' ? 'emptyList' : 'empty');
    case 'too_big': {
      const problem = issue.origin === 'number' ? 'tooLarge' : issue.origin === 'array' ? 'tooMany' : 'tooLong';
      return importMistake(path, problem, { max: Number(issue.maximum) });
    }
    case 'invalid_format':
      return importMistake(path, path[0] === 'allowedDomains' || path[0] === 'deniedDomains' ? 'domain' : 'id');
    case 'custom':
      return importMistake(path, 'tooMany', { max: MAX_THRESHOLDS });
    default:
      return importMistake(path, 'unusable');
  }
}
