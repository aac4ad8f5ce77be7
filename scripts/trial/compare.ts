import { IN_ORDER } from './recorder.ts';
import type { Difference, Responses, Shape, StepResult } from './report.ts';
import { ANY_KEY, parentOf } from './shape.ts';

/** What the embedded sides respond in a step. */
export type ExpectedStep = Pick<StepResult, 'name' | 'outcome' | 'responses'>;

/** The expected step that has all types of interactions. */
export const INTERACTIONS = 'Interactions';

/** The words whose order says how a task proceeds. */
const PROGRESS_PATHS = /^[^[]*\.(?:status|state)$/;

type Found = Pick<Difference, 'kind' | 'what'>;
const found = (kind: Difference['kind'], what: string): Found => ({ kind, what });

/** What is different from the embedded sides in the steps that ran. A field that is optional there may be missing. */
export function differencesOf(results: readonly StepResult[], expected: readonly ExpectedStep[]): Difference[] {
  return results.flatMap(({ side, name: step, outcome, reason = 'unknown reason', responses }) => {
    // All interactions of one type are compared alike, for all commands and buttons.
    const isInteraction = side === 'member';
    const same = expected.find(({ name }) => name === (isInteraction ? INTERACTIONS : step));
    if (!same || outcome === 'left out') return [];
    const routes = new Set(responses.map(({ route }) => route));
    const wanted = same.responses.filter(({ route }) => !isInteraction || routes.has(route));
    const hasFailed = outcome === 'failed' && same.outcome === 'worked';
    return [
      ...(hasFailed ? [{ step, where: '', ...found('failed step', reason) }] : []),
      ...responseDifferences(responses, wanted).map((difference) => ({ step, ...difference })),
    ];
  });
}

const keyOf = ({ route, outcome }: Responses): string => `${route}: ${outcome}`;
const isRefusal = ({ outcome }: Responses): boolean => /^[45]/.test(outcome);

function responseDifferences(observed: readonly Responses[], expected: readonly Responses[]) {
  const expectation = (route: string): string => {
    const own = expected.filter((one) => one.route === route && one.outcome !== IN_ORDER);
    return `expected ${own.map(({ outcome }) => outcome).join(', ') || 'none'}`;
  };
  const keys = new Set(observed.map(keyOf));
  const missing = new Set(expected.map(({ route }) => route)).difference(new Set(observed.map(({ route }) => route)));
  return [
    ...[...missing].map((where) => ({ where, ...found('missing response', expectation(where)) })),
    ...observed.flatMap((one) => {
      const where = keyOf(one);
      const atRoute = expected.filter(({ route }) => route === one.route);
      const same = atRoute.find((other) => keyOf(other) === where);
      // The fields of another refusal can be compared all the same.
      const similar = atRoute.find((other) => isRefusal(other) && isRefusal(one) && !keys.has(keyOf(other)));
      // Which states a poll sees before the end is chance.
      const isChance = / (?:queued|running)$/.test(one.outcome) && atRoute.length > 0;
      const differences = [
        ...(same || isChance ? [] : [found('other outcome', expectation(one.route))]),
        ...contentDifferences(one, same ?? similar),
      ];
      return differences.map((difference) => ({ where, ...difference }));
    }),
  ];
}

function contentDifferences(observed: Responses, expected: Responses | undefined): Found[] {
  if (!expected) return [];
  const headers = expected.headers.filter((name) => !observed.headers.includes(name));
  return [
    ...fieldDifferences(observed, expected),
    ...(observed.outcome === IN_ORDER ? progressDifferences : wordDifferences)(observed, expected),
    ...eventDifferences(observed.events, expected.events),
    ...headers.map((name) => found('missing header', name)),
  ];
}

function fieldDifferences({ fields: observed }: Shape, { fields: expected }: Shape): Found[] {
  const find = (path: string) => expected[path] ?? expected[`${parentOf(path)}.${ANY_KEY}`];
  const othersOf = (path: string): string[] =>
    (observed[path]?.types ?? []).filter((type) => find(path)?.types.includes(type) === false);
  const unknown = Object.entries(observed).flatMap(([path, { types }]): Found[] => {
    const field = find(path);
    const others = othersOf(path);
    if (field && others.length > 0)
      return [found('other type', `${path} is ${others.join(', ')}, expected ${field.types.join(', ')}`)];
    // Only the topmost unknown field is named.
    const isTopmost = !field && path !== '$' && find(parentOf(path)) && othersOf(parentOf(path)).length === 0;
    return isTopmost ? [found('unknown field', `${path} (${types.join(', ')})`)] : [];
  });
  const missing = Object.entries(expected).flatMap(([path, { optional }]): Found[] => {
    const own = observed[path];
    const isPossible = path !== '$' && !path.endsWith('[]') && !path.endsWith(ANY_KEY);
    if (optional || !isPossible || !observed[parentOf(path)]?.types.includes('object')) return [];
    return own && !own.optional ? [] : [found('missing field', `${path}${own ? ' (sometimes)' : ''}`)];
  });
  return [...unknown, ...missing];
}

function wordDifferences(observed: Shape, expected: Shape): Found[] {
  return Object.entries(observed.words).flatMap(([path, words]): Found[] => {
    const known = expected.words[path];
    // Other paths are unknown fields, and some words are not words of the protocol.
    if (!known || known.some((word) => word.startsWith('('))) return [];
    const unknown = words.filter((word) => !known.includes(word));
    return unknown.map((word) => found('unknown word', `${path} is ${word || 'empty'}, expected ${known.join(', ')}`));
  });
}

const progressDifferences = (observed: Shape, expected: Shape): Found[] =>
  Object.entries(observed.words)
    .filter(([path]) => PROGRESS_PATHS.test(path))
    .flatMap(([path, words]) => orderDifferences(words, expected.words[path] ?? [], path));

function orderDifferences(observed: readonly string[], expected: readonly string[], what: string): Found[] {
  const common = observed.filter((word) => expected.includes(word)).join(', ');
  const inOrder = expected.filter((word) => observed.includes(word)).join(', ');
  return common === inOrder ? [] : [found('other order', `${what}: ${common}, expected ${inOrder}`)];
}

function eventDifferences(observed: Responses['events'], expected: Responses['events']): Found[] {
  const types = observed.map(({ type }) => type);
  const expectedTypes = expected.map(({ type }) => type);
  return [
    ...types.filter((type) => !expectedTypes.includes(type)).map((type) => found('unknown event', type)),
    ...expectedTypes.filter((type) => !types.includes(type)).map((type) => found('missing event', type)),
    ...orderDifferences(types, expectedTypes, 'events'),
    ...observed.flatMap((event) => {
      const same = expected.find(({ type }) => type === event.type);
      const all = same ? [...fieldDifferences(event, same), ...wordDifferences(event, same)] : [];
      return all.map(({ kind, what }) => found(kind, `${event.type} ${what}`));
    }),
  ];
}
