import { isRecord } from '../../../lib/exact-json.ts';
import { malformed } from '../errors.ts';
import { mediumFrom, type ReadingPlace } from './media.ts';
import { firstAt, listAt, type Place, places } from './places.ts';
import type { Action, Failure, Medium, Snapshot, Track } from './snapshot.ts';
import { normalised, type Standing, standingOf } from './status.ts';
import { type Family, seeds, type Table, TEXT_ACTIONS, tables, times } from './table.ts';
import { mediaOf, stateOfTracks, trackFrom } from './tracks.ts';
import { asNumber, asProgress, asText, asTime } from './values.ts';
import { findMedia } from './walk.ts';

/** What a reader tells its surroundings: both are rare, and both mean that the table wants a new line. */
export interface ReadingNotices {
  unknownWord(family: Family, word: string): void;
  foundByWalking(family: Family, remoteId: string | undefined): void;
}

/** Turns any answer about one task into a snapshot. Throws `GatewayError` (malformed) where it says nothing of a task. */
export function readSnapshot(family: Family, answer: unknown, place: ReadingPlace, notices: ReadingNotices): Snapshot {
  const table = tables[family];
  const record = recordIn(Array.isArray(answer) ? answer[0] : answer);
  if (record === undefined) throw malformed('The gateway answered with something that is not a task.');

  const remoteId = firstAt(record, table.id, idFor(family)) ?? firstAt(answer, table.id, idFor(family));
  const word = wordIn(record, table.status);
  const spoken = word === undefined ? undefined : (standingOf(word) ?? { state: 'running' });
  if (word !== undefined && standingOf(word) === undefined) notices.unknownWord(family, normalised(word));

  const tracks = listAt(record, table.tracks, (value) => trackFrom(value, spoken?.state, place));
  const listed = [...mediaIn(record, table, place), ...mediaOf(tracks)];
  const { state, cause } = spoken ?? silentStanding(record, { listed, tracks, remoteId });

  const action = firstAt(record, table.action, asText)?.toUpperCase();
  const isDone = state === 'succeeded';
  const text = firstAt(record, textPlaces(table, action, isDone), asText);
  const isTextResult = isDone && text !== undefined && (action === undefined || TEXT_ACTIONS.has(action));
  let media = isDone ? listed : [];
  if (isDone && media.length === 0 && tracks.length === 0 && !isTextResult) {
    media = findMedia(record, place);
    if (media.length > 0) notices.foundByWalking(family, remoteId);
  }
  return {
    remoteId,
    state,
    word: word ?? '',
    progress: isDone ? 100 : firstAt(record, table.progress, asProgress),
    action,
    media,
    preview: isDone ? undefined : firstAt(record, table.preview, (value) => mediumFrom(value, 'image', place)),
    tracks,
    text,
    actions: listAt(record, table.actions, actionFrom),
    seed: firstAt(record, seeds, asText),
    failure: state === 'failed' ? failureIn(record, table, cause, tracks) : undefined,
    isEmpty: isDone && media.length === 0 && !isTextResult,
    submittedAt: firstAt(record, times.submitted, asTime),
    startedAt: firstAt(record, times.started, asTime),
    finishedAt: firstAt(record, times.finished, asTime),
  };
}

const STATUS_NAMES = ['task_status', 'status', 'state'];
const ENVELOPES = 2;

/** The task's own record: envelopes (`{code, message, data: {…}}`) are opened until something has a state of its own. */
function recordIn(answer: unknown): Record<string, unknown> | undefined {
  if (!isRecord(answer)) return undefined;
  let record = answer;
  for (let depth = 0; depth < ENVELOPES; depth++) {
    const { data } = record;
    if (STATUS_NAMES.some((name) => typeof record[name] === 'string') || !isRecord(data)) break;
    record = data;
  }
  return record;
}

/** A number called `id` is a row of some database in these families, not the task's name. */
export function idFor(family: Family): (value: unknown) => string | undefined {
  return family === 'video' || family === 'music'
    ? (value) => (typeof value === 'string' ? asText(value) : undefined)
    : asText;
}

function wordIn(record: unknown, where: readonly Place[]): string | undefined {
  const said = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  // An empty word is a word: gateways write it between taking a task and starting it.
  return firstAt(record, where, (value) => asText(said(value))) ?? firstAt(record, where, said);
}

const ERROR = places('error.message', 'error');

/** What an answer without a status word means. */
function silentStanding(
  record: Record<string, unknown>,
  facts: { listed: readonly Medium[]; tracks: readonly Track[]; remoteId: string | undefined },
): Standing {
  if (facts.tracks.length > 0) return { state: stateOfTracks(facts.tracks) };
  if (facts.listed.length > 0) return { state: 'succeeded' };
  if (firstAt(record, ERROR, asText) !== undefined) return { state: 'failed', cause: 'failed' };
  if (facts.remoteId !== undefined) return { state: 'queued' };
  throw malformed('The gateway answered without saying how the task stands.');
}

/** The kinds in their order of preference: the first that yields anything is the result. */
function mediaIn(record: unknown, table: Table, place: ReadingPlace): Medium[] {
  for (const { kind, at } of table.media) {
    const found = listAt(record, at, (value) => mediumFrom(value, kind, place));
    if (found.length > 0) return found;
  }
  return [];
}

function textPlaces(table: Table, action: string | undefined, isDone: boolean): readonly Place[] {
  const isResult = isDone && (action === undefined || TEXT_ACTIONS.has(action));
  return isResult ? [...table.text, ...table.textResult] : table.text;
}

function failureIn(
  record: unknown,
  table: Table,
  cause: Failure['cause'] = 'failed',
  tracks: readonly Track[],
): Failure {
  return {
    cause,
    reason: firstAt(record, table.reason, asReason) ?? tracks.find((track) => track.failure !== undefined)?.failure,
    code: firstAt(record, table.code, asText),
  };
}

/** Words that stand where a reason would, and say the opposite. */
const NO_REASON = new Set(['success', 'succeed', 'ok']);

function asReason(value: unknown): string | undefined {
  const text = typeof value === 'string' ? asText(value) : undefined;
  // "/imagine …" is the order as it was given, not what became of it.
  return text === undefined || NO_REASON.has(text.toLowerCase()) || text.startsWith('/') ? undefined : text;
}

const button = {
  customId: places('customId', 'custom_id'),
  label: places('label'),
  emoji: places('emoji', 'emoji.name'),
  style: places('style'),
} as const;

function actionFrom(value: unknown): Action | undefined {
  const customId = firstAt(value, button.customId, asText);
  if (customId === undefined) return undefined;
  return {
    customId,
    label: firstAt(value, button.label, asText) ?? '',
    emoji: firstAt(value, button.emoji, asText) ?? '',
    style: firstAt(value, button.style, asNumber),
  };
}
