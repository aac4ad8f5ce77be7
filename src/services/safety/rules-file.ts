import type { z } from 'zod';
import { keysOf } from '../../lib/entries.ts';
import { isRecord } from '../../lib/exact-json.ts';
import { Refusal, type RefusalKey } from '../../lib/refusal.ts';
import type { TaskKind } from '../tasks/kind-spec.ts';
import { MAX_THRESHOLDS, MENTIONS, type RuleSet, ruleNames, ruleSet } from './server-rules.ts';

/** What rules and presets can name. */
export interface RuleTargets {
  kindsByCommand: ReadonlyMap<string, readonly TaskKind[]>;
  privateCommands: readonly string[];
  takesOption(command: string, option: string, value: unknown): boolean;
}

export const kindsIn = ({ kindsByCommand }: RuleTargets): TaskKind[] => [...kindsByCommand.values()].flat();

type Path = readonly PropertyKey[];

/** The names of the sentences about a mistake. */
export type RuleProblem = RefusalKey extends infer Key
  ? Key extends `refusals.rules.importInvalid.${infer Problem}`
    ? Problem
    : never
  : never;

export class RuleMistake extends Refusal {
  readonly path: Path;
  readonly problem: RuleProblem;

  constructor(path: Path, problem: RuleProblem, facts: Refusal['variables'] = {}) {
    super(`refusals.rules.importInvalid.${problem}`, { at: placeOf(path, '#'), ...facts });
    this.path = path;
    this.problem = problem;
  }
}

/** Where the mistake is, as a reader of the file counts: the first entry is entry 1. */
export const placeOf = (path: Path, entry: 'entry ' | '#' = 'entry '): string =>
  path.map((step) => (typeof step === 'number' ? `${entry}${step + 1}` : String(step))).join(' › ');

export function readRules(json: unknown, targets: RuleTargets): RuleSet | RuleMistake[] {
  const { data, error } = ruleSet.safeParse(json, { jitless: true, reportInput: true });
  if (data) {
    const mistakes = mistakesIn(json, data, targets);
    return mistakes.length === 0 ? data : mistakes;
  }
  const invalidNames = new Set(error.issues.map(({ path }) => path[0]));
  // An empty word also blocks nothing, so a place can have several issues; its first one is named.
  const places = Map.groupBy(error.issues, ({ path }) => placeOf(path)).values();
  const firstMistakes = places.flatMap(([issue]) => (issue ? [mistakeOf(issue)] : []));
  const mistakes = [...firstMistakes, ...unknownFieldsIn(json, invalidNames)];
  if (invalidNames.has(undefined)) return mistakes;
  const otherRules = Object.fromEntries(Object.entries(Object(json)).filter(([name]) => !invalidNames.has(name)));
  const others = readRules(otherRules, targets);
  return Array.isArray(others) ? [...mistakes, ...others] : mistakes;
}

const { words, patterns, access, moderation } = ruleSet.shape;

/** The fields of an entry in a list, or of an object, by its rule. */
const FIELDS: ReadonlyMap<PropertyKey | undefined, readonly string[]> = new Map<string, readonly string[]>([
  ['words', keysOf(words.unwrap().element.shape)],
  ['patterns', keysOf(patterns.unwrap().element.shape)],
  ['access', keysOf(access.unwrap().element.shape)],
  ['moderation', keysOf(moderation.unwrap().shape)],
]);

/** The names that a field can have where one is unknown. */
export const fieldsAt = (path: Path): readonly string[] =>
  path.length === 1 ? ruleNames : (FIELDS.get(path[0]) ?? ['roleIds']);

/** Where a field is missing, one with a wrong name says why. */
function unknownFieldsIn(json: unknown, names: ReadonlySet<PropertyKey | undefined>): RuleMistake[] {
  if (!isRecord(json)) return [];
  return Object.entries(json).flatMap(([name, value]) => {
    const known = FIELDS.get(name);
    if (!known || !names.has(name)) return [];
    const objects = Array.isArray(value)
      ? value.map((entry: unknown, index): [Path, unknown] => [[name, index], entry])
      : [[[name], value] satisfies [Path, unknown]];
    return objects.flatMap(([path, object]) =>
      (isRecord(object) ? Object.keys(object) : [])
        .filter((field) => !known.includes(field))
        .map((field) => new RuleMistake([...path, field], 'unknownField')),
    );
  });
}

/** What the schema of the rules does not know of. */
function mistakesIn(json: unknown, data: RuleSet, targets: RuleTargets): RuleMistake[] {
  const knownKinds: readonly string[] = kindsIn(targets);
  const unknownKinds = (['words', 'patterns', 'access'] as const).flatMap((name) =>
    data[name].flatMap(({ kinds = [] }, index) =>
      kinds
        .filter((kind) => !knownKinds.includes(kind) && !(name === 'access' && kind === MENTIONS))
        .map((type) => new RuleMistake([name, index, 'kinds'], 'unknownType', { type })),
    ),
  );
  const unknownCommands = data.privateCommands.filter((one) => !targets.privateCommands.includes(one));
  return [
    ...findUnknownKeys(json, data).map((path) => new RuleMistake(path, 'unknownField')),
    ...unknownKinds,
    ...unknownCommands.map((name) => new RuleMistake(['privateCommands'], 'unknownCommand', { command: name })),
  ];
}

const PROBLEM_BY_TYPE: Readonly<Record<string, RuleProblem>> = {
  string: 'text',
  number: 'number',
  int: 'wholeNumber',
  boolean: 'switch',
  array: 'list',
};

/** The refusal for what the schema of the rules found first. `input` of the issue is the wrong value. */
function mistakeOf(issue: z.core.$ZodIssue): RuleMistake {
  const { path } = issue;
  if (path.length === 0) return new RuleMistake(path, 'notRules');
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return new RuleMistake(path, 'missing');
      return new RuleMistake(path, PROBLEM_BY_TYPE[issue.expected] ?? 'object');
    case 'invalid_value':
      if (issue.input === undefined) return new RuleMistake(path, 'missing');
      return new RuleMistake(path, 'choice', { choices: issue.values.map(String) });
    case 'invalid_union':
      return new RuleMistake(path, 'pressers');
    case 'too_small':
      if (issue.origin === 'number') return new RuleMistake(path, 'tooSmall', { min: Number(issue.minimum) });
      return new RuleMistake(path, issue.origin === 'array' ? 'emptyList' : 'empty');
    case 'too_big': {
      const problem = issue.origin === 'number' ? 'tooLarge' : issue.origin === 'array' ? 'tooMany' : 'tooLong';
      return new RuleMistake(path, problem, { max: Number(issue.maximum) });
    }
    case 'invalid_format':
      return new RuleMistake(path, path[0] === 'allowedDomains' || path[0] === 'deniedDomains' ? 'domain' : 'id');
    case 'custom':
      return path[0] === 'words'
        ? new RuleMistake(path, 'blocksNothing')
        : new RuleMistake(path, 'tooMany', { max: MAX_THRESHOLDS });
    default:
      return new RuleMistake(path, 'unusable');
  }
}

/** A misspelled condition would make a rule apply to everyone. */
function findUnknownKeys(written: unknown, read: unknown, path: Path = []): Path[] {
  if (typeof written !== 'object' || written === null || typeof read !== 'object' || read === null) return [];
  const known = new Map(Object.entries(read));
  return Object.entries(written).flatMap(([key, value]) => {
    const here = [...path, Array.isArray(written) ? Number(key) : key];
    return known.has(key) ? findUnknownKeys(value, known.get(key), here) : [here];
  });
}
