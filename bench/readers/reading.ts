import { parseExact } from '../../src/lib/exact-json.ts';
import { containsError } from '../../src/services/gateway/error-responses.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import type { ResponseContext } from '../../src/services/gateway/read/media.ts';
import { readSnapshot, readSubmission } from '../../src/services/gateway/read/reader.ts';
import { collectRequestWords } from '../../src/services/gateway/read/search/results.ts';
import type { Family } from '../../src/services/gateway/read/table.ts';
import { Chance } from './chance.ts';
import type { Kind } from './noise.ts';
import { submitResponse } from './orders.ts';
import { pollResponse } from './polls.ts';
import { countProgressFields, idsIn, indicatesError, occurrencesIn, resultPathsIn, stateMeaningsIn } from './rule.ts';
import { casings, serialize } from './tree.ts';

export const families: readonly { family: Family; kind: Kind }[] = [
  { family: 'imgx', kind: 'image' },
  { family: 'image', kind: 'image' },
  { family: 'video', kind: 'video' },
  { family: 'music', kind: 'audio' },
];

export interface Judgement {
  isClear: boolean;
  verdict: 'understood' | 'none' | 'wrong';
  text: string;
  read: unknown;
  expected: unknown;
  micros: number;
}

const context = { base: new URL('https://gateway.example'), imgxPath: '/imgx', now: Date.UTC(2026, 0, 1) };
const ignoredEvents = { onUnknownStatus: () => undefined, onFoundBySearch: () => undefined };

/** Reads a response as the client does: an error inside a 200 is not a task. */
function attempt<T>(response: unknown, isSubmit: boolean, read: () => T): T | undefined {
  if (containsError(response, isSubmit)) return undefined;
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

export function judgeOrder(family: Family, kind: Kind, seed: number): Judgement {
  const chance = new Chance(seed);
  const { tree, requestValues, id } = submitResponse(chance, kind);
  const text = serialize(tree, chance.pick(casings));
  const occurrences = occurrencesIn(tree);
  const ids = idsIn(occurrences, requestValues, family === 'video' || family === 'music');
  const isClear = id !== undefined && ids.length === 1 && ids[0] === id && !indicatesError(occurrences);
  const words = collectRequestWords({ body: { sent: requestValues } });
  const response = parseExact(text);
  const start = performance.now();
  const read = attempt(response, true, () => readSubmission(family, response, words))?.remoteId;
  const micros = (performance.now() - start) * 1_000;
  const verdict = read === undefined ? 'none' : isClear && read === id ? 'understood' : 'wrong';
  return { isClear, verdict, text, read, expected: isClear ? id : undefined, micros };
}

export function judgePoll(family: Family, kind: Kind, seed: number): Judgement {
  const chance = new Chance(seed);
  const { tree, requestValues, state, progress, media } = pollResponse(chance, kind);
  const text = serialize(tree, chance.pick(casings));
  const occurrences = occurrencesIn(tree);
  const isStateClear = stateMeaningsIn(occurrences, family === 'imgx').join() === state;
  const results = resultPathsIn(occurrences, kind, requestValues);
  const isResultClear = state !== 'succeeded' || (media.length === 0 ? results.length === 0 : results.length === 1);
  const isProgressClear = state !== 'pending' || countProgressFields(occurrences) === (progress === undefined ? 0 : 1);
  const isClear = isStateClear && isResultClear && isProgressClear;
  const response = parseExact(text);
  const responseContext: ResponseContext = { ...context, requestUrls: requestValues };
  const start = performance.now();
  const snapshot = attempt(response, false, () => readSnapshot(family, response, responseContext, ignoredEvents));
  const micros = (performance.now() - start) * 1_000;
  const actual = snapshot && {
    state: snapshot.state === 'queued' || snapshot.state === 'running' ? 'pending' : snapshot.state,
    progress: snapshot.state === 'succeeded' ? undefined : snapshot.progress,
    media: snapshot.media.map(({ address }) => address),
  };
  const expected = {
    state: isStateClear ? state : undefined,
    progress: state === 'pending' ? progress : undefined,
    media: isStateClear && isResultClear ? media : [],
  };
  return { isClear, verdict: verdictOn(actual, expected, isClear), text, read: actual, expected, micros };
}

interface ReadResult {
  state: string;
  progress: number | undefined;
  media: (string | undefined)[];
}

function verdictOn(
  actual: ReadResult | undefined,
  expected: Omit<ReadResult, 'state'> & { state: string | undefined },
  isClear: boolean,
) {
  // A made-up end, a different end, other media or a different progress count as wrong; polling again does not.
  if (!actual) return 'none';
  const isSame = actual.media.join() === expected.media.join();
  if (actual.state !== 'pending' && actual.state !== expected.state) return 'wrong';
  if (actual.media.length > 0 && !isSame) return 'wrong';
  if (actual.progress !== undefined && actual.state === 'pending' && actual.progress !== expected.progress)
    return 'wrong';
  return isClear &&
    actual.state === expected.state &&
    isSame &&
    (actual.progress === expected.progress || actual.state !== 'pending')
    ? 'understood'
    : 'none';
}
