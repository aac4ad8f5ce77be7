import { IN_ORDER, type Responses } from './recorder.ts';
import type { StepResult } from './run.ts';
import { ANY_KEY, type Fields, parentOf, type Words } from './shape.ts';

/** What the embedded sides respond in a step. */
export type ExpectedStep = Pick<StepResult, 'name' | 'outcome' | 'responses'>;

export interface Difference {
  step: string;
  kind:
    | 'failed step'
    | 'other outcome'
    | 'missing response'
    | 'unknown field'
    | 'missing field'
    | 'other type'
    | 'unknown word'
    | 'other order'
    | 'unknown event'
    | 'missing event'
    | 'missing header';
  /** The request and its outcome, or nothing if the step itself failed. */
  where: string;
  /** What is different there. */
  what: string;
}

/** The expected step that has all types of interactions. */
export const INTERACTIONS = 'Interactions';

/** The words whose order says how a task proceeds. */
const PROGRESS_PATHS = /^[^[]*\.(?:status|state)$/;

/** What is different from the embedded sides in the steps that ran. A field that is optional there may be missing. */
export function differencesOf(results: readonly StepResult[], expected: readonly ExpectedStep[]): Difference[] {
  return results.flatMap((result) => {
    const expectedStep = expectedFor(result, expected);
    if (!expectedStep || result.outcome === 'left out') return [];
    const failed = { kind: 'failed step', where: '', what: result.reason ?? 'unknown reason' } as const;
    const found = [
      ...(result.outcome === 'failed' && expectedStep.outcome === 'worked' ? [failed] : []),
      ...responseDifferences(result.responses, expectedStep.responses),
    ];
    return found.map((difference) => ({ step: result.name, ...difference }));
  });
}

/** All interactions of one type are compared alike, for all commands and buttons. */
function expectedFor(
  { side, name, responses }: StepResult,
  expected: readonly ExpectedStep[],
): ExpectedStep | undefined {
  if (side !== 'member') return expected.find((step) => step.name === name);
  const step = expected.find((one) => one.name === INTERACTIONS);
  const isSeen = ({ route }: Responses): boolean => responses.some((one) => one.route === route);
  return step && { ...step, responses: step.responses.filter(isSeen) };
}

type Found = Omit<Difference, 'step'>;

function responseDifferences(observed: readonly Responses[], expected: readonly Responses[]): Found[] {
  const keyOf = ({ route, outcome }: Responses): string => `${route}: ${outcome}`;
  const outcomesAt = (route: string, all: readonly Responses[]): string =>
    all.flatMap((one) => (one.route === route && one.outcome !== IN_ORDER ? one.outcome : [])).join(', ') || 'none';
  const isObserved = (one: Responses): boolean => observed.some((other) => keyOf(other) === keyOf(one));
  const routes = new Set(expected.map(({ route }) => route));
  for (const { route } of observed) routes.delete(route);
  return [
    ...[...routes].map((where): Found => {
      return { kind: 'missing response', where, what: `expected ${outcomesAt(where, expected)}` };
    }),
    ...observed.flatMap((one): Found[] => {
      const where = keyOf(one);
      const same = expected.find((other) => keyOf(other) === where);
      // The fields of another refusal can be compared all the same.
      const other = expected.find(
        (rest) => rest.route === one.route && isRefusal(rest) && isRefusal(one) && !isObserved(rest),
      );
      const what = `expected ${outcomesAt(one.route, expected)}`;
      // Which states a poll sees before the end is chance.
      const isChance = / (?:queued|running)$/.test(one.outcome) && expected.some(({ route }) => route === one.route);
      return [
        ...(same || isChance ? [] : [{ kind: 'other outcome', where, what } as const]),
        ...contentDifferences(one, same ?? other).map((found) => ({ ...found, where })),
      ];
    }),
  ];
}

const isRefusal = ({ outcome }: Responses): boolean => /^[45]/.test(outcome);

type Content = Pick<Found, 'kind' | 'what'>;

function contentDifferences(observed: Responses, expected: Responses | undefined): Content[] {
  if (!expected) return [];
  const headers = expected.headers.filter((name) => !observed.headers.includes(name));
  return [
    ...fieldDifferences(observed.fields, expected.fields),
    ...wordDifferences(observed, expected),
    ...eventDifferences(observed.events, expected.events),
    ...headers.map((what) => ({ kind: 'missing header', what }) as const),
  ];
}

type WithWords = { words: Words; outcome?: string };

function fieldDifferences(observed: Fields, expected: Fields): Content[] {
  const known = new Map(Object.entries(expected));
  const find = (path: string) => known.get(path) ?? known.get(`${parentOf(path)}.${ANY_KEY}`);
  const otherTypes = new Set<string>();
  const unknown = Object.entries(observed).flatMap(([path, { types }]): Content[] => {
    const field = find(path);
    // Only the topmost unknown field is named.
    if (!field)
      return path !== '$' && find(parentOf(path)) && !otherTypes.has(parentOf(path))
        ? [{ kind: 'unknown field', what: `${path} (${types.join(', ')})` }]
        : [];
    const other = types.filter((type) => !field.types.includes(type));
    if (other.length === 0) return [];
    otherTypes.add(path);
    return [{ kind: 'other type', what: `${path} is ${other.join(', ')}, expected ${field.types.join(', ')}` }];
  });
  const missing = Object.entries(expected).flatMap(([path, { optional }]): Content[] => {
    const parent = observed[parentOf(path)];
    const isPossible =
      path !== '$' && parent?.types.includes('object') && !path.endsWith('[]') && !path.endsWith(ANY_KEY);
    const isAlways = observed[path] !== undefined && observed[path].optional === undefined;
    return isPossible && !optional && !isAlways
      ? [{ kind: 'missing field', what: `${path}${observed[path] ? ' (sometimes)' : ''}` }]
      : [];
  });
  return [...unknown, ...missing];
}

function wordDifferences(observed: WithWords, expected: WithWords): Content[] {
  if (observed.outcome === IN_ORDER) return progressDifferences(observed.words, expected.words);
  return Object.entries(observed.words).flatMap(([path, words]): Content[] => {
    const known = expected.words[path];
    // Other paths are unknown fields, and some words are not words of the protocol.
    if (!known || known.some((word) => word.startsWith('('))) return [];
    const unknown = words.filter((word) => !known.includes(word));
    return unknown.map((word) => ({
      kind: 'unknown word',
      what: `${path} is ${word || 'empty'}, expected ${known.join(', ')}`,
    }));
  });
}

const progressDifferences = (observed: Words, expected: Words): Content[] =>
  Object.entries(observed).flatMap(([path, words]) =>
    PROGRESS_PATHS.test(path) ? orderDifferences(words, expected[path] ?? [], path) : [],
  );

function orderDifferences(observed: readonly string[], expected: readonly string[], what: string): Content[] {
  const common = observed.filter((word) => expected.includes(word));
  const inOrder = expected.filter((word) => common.includes(word));
  const isSame = common.every((word, index) => word === inOrder[index]);
  return isSame ? [] : [{ kind: 'other order', what: `${what}: ${common.join(', ')}, expected ${inOrder.join(', ')}` }];
}

function eventDifferences(observed: Responses['events'], expected: Responses['events']): Content[] {
  const types = observed.map(({ type }) => type);
  const expectedTypes = expected.map(({ type }) => type);
  return [
    ...types.filter((type) => !expectedTypes.includes(type)).map((what) => ({ kind: 'unknown event', what }) as const),
    ...expectedTypes.filter((type) => !types.includes(type)).map((what) => ({ kind: 'missing event', what }) as const),
    ...orderDifferences(types, expectedTypes, 'events'),
    ...observed.flatMap(({ type, fields, words }) => {
      const same = expected.find((one) => one.type === type);
      const found = same ? [...fieldDifferences(fields, same.fields), ...wordDifferences({ words }, same)] : [];
      return found.map(({ kind, what }) => ({ kind, what: `${type} ${what}` }));
    }),
  ];
}
