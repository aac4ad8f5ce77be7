import { parseExact } from '../../src/lib/exact-json.ts';
import { containsError } from '../../src/services/gateway/error-responses.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import type { ResponseContext } from '../../src/services/gateway/read/media.ts';
import { readSnapshot, readSubmission } from '../../src/services/gateway/read/reader.ts';
import { wordsSent } from '../../src/services/gateway/read/search/sent.ts';
import type { Family } from '../../src/services/gateway/read/table.ts';
import { Chance } from './chance.ts';
import type { Kind } from './noise.ts';
import { orderAnswer } from './orders.ts';
import { pollAnswer } from './polls.ts';
import { idsIn, placesIn, progressIn, resultsIn, speaksOfError, statesIn } from './rule.ts';
import { casings, written } from './tree.ts';

export const families: readonly { family: Family; kind: Kind }[] = [
  { family: 'imgx', kind: 'image' },
  { family: 'image', kind: 'image' },
  { family: 'video', kind: 'video' },
  { family: 'music', kind: 'audio' },
];

export interface Judged {
  isClear: boolean;
  verdict: 'understood' | 'none' | 'wrong';
  text: string;
  read: unknown;
  wanted: unknown;
  micros: number;
}

const context = { base: new URL('https://gateway.example'), imgxPath: '/imgx', now: Date.UTC(2026, 0, 1) };
const silent = { onUnknownStatus: () => undefined, onFoundBySearch: () => undefined };

/** Reads a response as the client does: an error inside a 200 is not a task. */
function attempt<T>(answer: unknown, isSubmit: boolean, read: () => T): T | undefined {
  if (containsError(answer, isSubmit)) return undefined;
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

export function judgeOrder(family: Family, kind: Kind, seed: number): Judged {
  const chance = new Chance(seed);
  const { tree, sent, id } = orderAnswer(chance, kind);
  const text = written(tree, chance.of(casings));
  const places = placesIn(tree);
  const ids = idsIn(places, sent, family === 'video' || family === 'music');
  const isClear = id !== undefined && ids.length === 1 && ids[0] === id && !speaksOfError(places);
  const words = wordsSent({ body: { sent } });
  const answer = parseExact(text);
  const start = performance.now();
  const read = attempt(answer, true, () => readSubmission(family, answer, words))?.remoteId;
  const micros = (performance.now() - start) * 1_000;
  const verdict = read === undefined ? 'none' : isClear && read === id ? 'understood' : 'wrong';
  return { isClear, verdict, text, read, wanted: isClear ? id : undefined, micros };
}

export function judgePoll(family: Family, kind: Kind, seed: number): Judged {
  const chance = new Chance(seed);
  const { tree, sent, state, progress, media } = pollAnswer(chance, kind);
  const text = written(tree, chance.of(casings));
  const places = placesIn(tree);
  const isStateClear = statesIn(places, family === 'imgx').join() === state;
  const results = resultsIn(places, kind, sent);
  const isResultClear = state !== 'succeeded' || (media.length === 0 ? results.length === 0 : results.length === 1);
  const isProgressClear = state !== 'pending' || progressIn(places) === (progress === undefined ? 0 : 1);
  const isClear = isStateClear && isResultClear && isProgressClear;
  const answer = parseExact(text);
  const where: ResponseContext = { ...context, own: sent };
  const start = performance.now();
  const snapshot = attempt(answer, false, () => readSnapshot(family, answer, where, silent));
  const micros = (performance.now() - start) * 1_000;
  const seen = snapshot && {
    state: snapshot.state === 'queued' || snapshot.state === 'running' ? 'pending' : snapshot.state,
    progress: snapshot.state === 'succeeded' ? undefined : snapshot.progress,
    media: snapshot.media.map(({ address }) => address),
  };
  const wanted = {
    state: isStateClear ? state : undefined,
    progress: state === 'pending' ? progress : undefined,
    media: isStateClear && isResultClear ? media : [],
  };
  return { isClear, verdict: verdictOn(seen, wanted, isClear), text, read: seen, wanted, micros };
}

interface Seen {
  state: string;
  progress: number | undefined;
  media: (string | undefined)[];
}

function verdictOn(
  seen: Seen | undefined,
  wanted: Omit<Seen, 'state'> & { state: string | undefined },
  isClear: boolean,
) {
  // A made-up end, a different end, other media or a different progress count as wrong; polling again does not.
  if (!seen) return 'none';
  const isSame = seen.media.join() === wanted.media.join();
  if (seen.state !== 'pending' && seen.state !== wanted.state) return 'wrong';
  if (seen.media.length > 0 && !isSame) return 'wrong';
  if (seen.progress !== undefined && seen.state === 'pending' && seen.progress !== wanted.progress) return 'wrong';
  return isClear &&
    seen.state === wanted.state &&
    isSame &&
    (seen.progress === wanted.progress || seen.state !== 'pending')
    ? 'understood'
    : 'none';
}
