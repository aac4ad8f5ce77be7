import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isRecord, type Json, parseExact } from './lib/exact-json.ts';
import { findJsonMistake } from './lib/json-mistake.ts';
import { Refusal } from './lib/refusal.ts';
import { decimalPrice, price } from './services/money/price.ts';
import { hasName, presetContent } from './services/orders/preset.ts';
import { Judge } from './services/safety/judge.ts';
import {
  fieldsAt,
  kindsIn,
  placeOf,
  RuleMistake,
  type RuleProblem,
  type RuleTargets,
  readRules,
} from './services/safety/rules-file.ts';
import { ruleSet } from './services/safety/server-rules.ts';

// The shapes of settings that name a JSON file. Each description completes the sentence "NAME should be …".

/** `hint`: where the mistake is, without quoting the file. It may be the wrong one and contain a secret. */
type FileReading<Content> = { content: Content } | { hint: string | undefined };

/** Replaces a path with the content of its JSON file, so that mistakes in the file are reported before the bot starts. */
const jsonFile = <Content>(read: (json: Json) => FileReading<Content>) =>
  z.string().transform((path, context) => {
    const file = readJson(path);
    const reading = 'content' in file ? read(file.content) : file;
    if ('content' in reading) return reading.content;
    // The description says what the file should contain.
    context.addIssue({ code: 'custom', message: 'not the file', params: { hint: reading.hint } });
    return z.NEVER;
  });

function readJson(path: string): FileReading<Json> {
  let text: string | undefined;
  try {
    text = readFileSync(path, 'utf8');
    return { content: parseExact(text) };
  } catch {
    return { hint: jsonHint(text) };
  }
}

function jsonHint(text: string | undefined): string {
  if (text === undefined) return 'the path: no file can be read there';
  const { line, column } = findJsonMistake(text);
  return `line ${line}, column ${column} of the file, where it stops being JSON`;
}

export const modelKindsFile = <Kind extends string>(kinds: readonly Kind[]) =>
  tableFile(z.record(z.string().min(1).max(200), z.enum(kinds)))
    .optional()
    .transform((known = {}) => known)
    .describe(
      `the path of a JSON file with the kinds of models by their IDs, where * stands for any text, such as {"my-*": "${kinds[0]}"}; the kinds are ${kinds.join(', ')}`,
    );

/** The operator's own rules, in the format that `/server export` writes. */
export const rules = (targets: RuleTargets) =>
  jsonFile((json) => {
    try {
      const known = readRules(json, targets);
      if (Array.isArray(known)) throw known[0];
      // Preparing the rules throws a `Refusal` if a pattern is invalid.
      new Judge(known);
      return { content: known };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { hint: ruleHint(json, error, targets) };
    }
  })
    .optional()
    .transform((known) => known ?? ruleSet.parse({}))
    .describe(
      'the path of a JSON file with rules, such as {"words": [{"text": "casino"}], "deniedDomains": ["a.example"]}',
    );

/** Where the mistake is, without quoting values and unknown names: it may be the wrong file and contain a secret. */
function ruleHint(json: unknown, refusal: Refusal, targets: RuleTargets): string {
  if (!(refusal instanceof RuleMistake))
    return `its patterns, one of which is invalid: ${String(refusal.variables.reason ?? 'too complex')}`;
  const { path, problem } = refusal;
  // Categories of moderation are free text.
  const place = placeOf(path[1] === 'thresholds' ? path.slice(0, 2) : path);
  switch (problem) {
    case 'unknownField': {
      const parent = path.slice(0, -1).reduce<unknown>((value, step) => Object(value)[step], json);
      const number = Object.keys(Object(parent)).indexOf(String(path.at(-1))) + 1;
      const at = placeOf([...path.slice(0, -1), `field ${number}`]);
      return `${at}, which rules do not have; the fields there are ${fieldsAt(path).join(', ')}`;
    }
    case 'unknownType':
      return `${place}; the types are ${kindsIn(targets).join(', ')}`;
    case 'unknownCommand':
      return `${place}; the commands are ${targets.privateCommands.join(', ')}`;
    default:
      return place === ''
        ? 'the example: rules are in curly brackets'
        : `${place}, ${FAULTS[problem] ?? 'which is wrong'}`;
  }
}

const FAULTS: Readonly<Partial<Record<RuleProblem, string>>> = {
  missing: 'which is missing',
  empty: 'which is empty',
  emptyList: 'which is empty',
  tooLong: 'which is too long',
  tooMany: 'which has too many entries',
};

/** More would not be found in lists. */
const MAX_PRESETS = 200;

/** The operator's presets. A mistake is located without quoting the file, like one in rules. */
export const presets = ({ takesOption }: RuleTargets) =>
  jsonFile((json) => {
    const { data, error } = z.array(z.strictObject(presetContent.shape)).max(MAX_PRESETS).safeParse(json);
    const mistakes = (data ?? []).flatMap(({ name, command, options }, index) => [
      ...(data?.findIndex((other) => hasName(other, name)) === index ? [] : [[index, 'name']]),
      ...Object.entries(options).flatMap(([option, value], position) =>
        takesOption(command, option, value) ? [] : [[index, 'options', `field ${position + 1}`]],
      ),
    ]);
    const place = placeOf(error?.issues[0]?.path.slice(0, 2) ?? mistakes[0] ?? []);
    if (data && mistakes.length === 0) return { content: data };
    return { hint: place === '' ? `the example: a list of at most ${MAX_PRESETS} presets` : place };
  })
    .optional()
    .transform((known = []) => known)
    .describe(
      'the path of a JSON file with presets, such as [{"name": "Poster", "command": "imagine", "template": "{prompt}, poster", "options": {"aspect": "2:3"}}], with names that differ and options that the command has',
    );

/** A price for an unknown kind is probably a typo. */
const priceKey = (kinds: readonly string[]) =>
  z.string().refine((key) => kinds.some((kind) => key === kind || (key.startsWith(`${kind}:`) && key !== `${kind}:`)));

/** More entries than any gateway has models. */
const MAX_PRICES = 5_000;

/** The names that an error message may repeat, because they are ours. */
const PRICE_FIELD_NAMES: ReadonlySet<unknown> = new Set([
  ...['each', 'perSecond', 'usualSeconds', 'perMillion', 'input', 'output', 'cachedInput', 'audioInput', 'audioOutput'],
  ...['times', 'size', 'resolution', 'quality', 'mode', 'sound', 'modelSize'],
]);

export const prices = (kinds: readonly string[]) => {
  const table = z
    .record(priceKey(kinds), z.union([decimalPrice, price]))
    .refine((known) => Object.keys(known).length <= MAX_PRICES);
  return tableFile(table)
    .optional()
    .transform((known = {}) => known)
    .describe(
      `the path of a JSON file with prices in US dollars by task type or type:model, such as {"${kinds[0]}": "0.05", "${kinds[0]}:a-model": {"each": "0.08"}}; the types are ${kinds.join(', ')}`,
    );
};

/** A file that must match a schema. */
const tableFile = <Table>(table: z.ZodType<Table>) =>
  jsonFile((json) => {
    const { data, error } = table.safeParse(json, { jitless: true });
    return error ? { hint: mistakesIn(json, error) } : { content: data };
  });

/** A file may have more mistakes than anyone reads at once. */
const MAX_HINTS = 3;

/** Describes where the mistakes are without quoting the file. */
function mistakesIn(json: unknown, { issues }: z.ZodError): string | undefined {
  const places = new Set(issues.flatMap((issue) => placeOfIssue(json, issue) ?? []));
  const more = places.size > MAX_HINTS ? [`and ${places.size - MAX_HINTS} more`] : [];
  return places.size > 0 ? [...[...places].slice(0, MAX_HINTS), ...more].join('; ') : undefined;
}

function placeOfIssue(json: unknown, issue: z.core.$ZodIssue): string | undefined {
  const innerIssue =
    issue.code === 'invalid_union' ? issue.errors.flat().find(({ path }) => path.length > 0) : undefined;
  const path = [...issue.path, ...(innerIssue?.path ?? [])];
  const entry = isRecord(json) ? Object.keys(json).indexOf(String(path[0])) : -1;
  if (entry < 0) return undefined;
  const fieldNames = path.slice(1).filter((word) => PRICE_FIELD_NAMES.has(word));
  return [`entry ${entry + 1} of the file`, ...fieldNames].join(', ');
}
