import { withoutUndefined } from '../../../lib/entries.ts';
import { isRecord } from '../../../lib/exact-json.ts';
import { malformedError } from '../errors.ts';
import { findMedia, type ResponseContext, readAddress, readMedium } from './media.ts';
import { asNumber, asProgress, asString, asText, asTime, firstAt, listAt, type Place, places } from './places.ts';
import {
  findRecord,
  meaningOfStatus,
  normaliseStatus,
  readStatusWord,
  readTaskId,
  type StatusMeaning,
} from './record.ts';
import type { Action, Failure, Medium, Snapshot, SnapshotState, Submission, Track } from './snapshot.ts';
import {
  type Family,
  type PlaceTable,
  seedPlaces,
  submissionPlaces,
  TEXT_ACTIONS,
  tables,
  timePlaces,
} from './table.ts';

/** Both are rare, and both mean that the table needs a new line. */
export interface ReaderWarnings {
  onUnknownStatus(family: Family, word: string): void;
  onFoundBySearch(family: Family, remoteId: string | undefined): void;
}

/** Turns a response about one task into a snapshot. Throws a malformed `GatewayError` if it describes no task. */
export function readSnapshot(
  family: Family,
  answer: unknown,
  context: ResponseContext,
  warnings: ReaderWarnings,
): Snapshot {
  const table = tables[family];
  const record = findRecord(Array.isArray(answer) ? answer[0] : answer);
  if (record === undefined) throw malformedError('The gateway’s response is not a task.');

  const remoteId = readTaskId(family, record) ?? readTaskId(family, answer);
  const word = readStatusWord(record, table.status);
  const known = word === undefined ? undefined : meaningOfStatus(word);
  if (word !== undefined && known === undefined) warnings.onUnknownStatus(family, normaliseStatus(word));
  const reported: StatusMeaning | undefined = known ?? (word === undefined ? undefined : { state: 'running' });

  const tracks = tracksIn(record, table, reported?.state, context);
  const listed = [...mediaIn(record, table, context), ...mediaOf(tracks)];
  const { state, cause } = reported ?? stateWithoutWord(record, listed, tracks, remoteId);
  const isDone = state === 'succeeded';

  const action = firstAt(record, table.action, asText)?.toUpperCase();
  const mayBeText = isDone && table.textResult.length > 0 && (action === undefined || TEXT_ACTIONS.has(action));
  const text = firstAt(record, mayBeText ? table.textResult : table.text, asText);
  const isText = mayBeText && text !== undefined;

  // The described image is not a result of /describe.
  const media = isDone && !(isText && action !== undefined) ? listed : [];
  if (isDone && media.length === 0 && !isText && !tracks.some((track) => track.state === 'running')) {
    const kinds = table.media.map(({ kind }) => kind);
    media.push(...findMedia(record, kinds, context));
    if (media.length > 0) warnings.onFoundBySearch(family, remoteId);
  }
  return {
    remoteId,
    state,
    word: word ?? '',
    progress: isDone ? 100 : firstAt(record, table.progress, asProgress),
    action,
    media,
    preview: isDone ? undefined : firstAt(record, table.preview, (value) => readMedium(value, 'image', context)),
    tracks,
    text,
    actions: listAt(record, table.actions, actionFrom),
    seed: firstAt(record, seedPlaces, asText),
    failure: state === 'failed' ? failureIn(record, table, cause ?? 'failed', tracks) : undefined,
    isEmpty: isDone && media.length === 0 && !isText,
    submittedAt: firstAt(record, timePlaces.submitted, asTime),
    startedAt: firstAt(record, timePlaces.started, asTime),
    finishedAt: firstAt(record, timePlaces.finished, asTime),
  };
}

const ERROR = places('error.message', 'error');

/** The state of a response without a status word. */
function stateWithoutWord(
  record: unknown,
  listed: readonly Medium[],
  tracks: readonly Track[],
  id?: string,
): StatusMeaning {
  if (tracks.some((track) => track.state === 'running')) return { state: 'running' };
  if (tracks.some((track) => track.state === 'finished')) return { state: 'succeeded' };
  if (tracks.length > 0) return { state: 'failed' };
  if (listed.length > 0) return { state: 'succeeded' };
  if (firstAt(record, ERROR, asText) !== undefined) return { state: 'failed', cause: 'failed' };
  if (id !== undefined) return { state: 'queued' };
  throw malformedError('The response of the gateway has no task status.');
}

/** The first kind, in order of preference, that has any media. */
function mediaIn(record: unknown, table: PlaceTable, context: ResponseContext): Medium[] {
  for (const { kind, at } of table.media) {
    const found = listAt(record, at, (value) => readMedium(value, kind, context));
    if (found.length > 0) return found;
  }
  return [];
}

function failureIn(record: unknown, table: PlaceTable, cause: Failure['cause'], tracks: readonly Track[]): Failure {
  const reason =
    firstAt(record, table.reason, readReason) ?? tracks.find(({ failure }) => failure !== undefined)?.failure;
  return { cause, reason, code: firstAt(record, table.code, asText) };
}

/** Words that stand where a reason would, and mean success. */
const NO_REASON = new Set(['success', 'succeed', 'ok']);

function readReason(value: unknown): string | undefined {
  const text = asString(value);
  // "/imagine …" repeats the order instead of giving a reason.
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

const at = {
  id: places('id', 'clip_id', 'audio_id'),
  title: places('title'),
  status: places('status', 'state'),
  audio: places('audio_url', 'audioUrl', 'sourceAudioUrl', 'stream_audio_url', 'streamAudioUrl'),
  video: places('video_url', 'videoUrl'),
  cover: places('image_large_url', 'image_url', 'imageUrl', 'cover_url'),
  lyrics: places('metadata.prompt', 'lyrics', 'lyric', 'prompt'),
  style: places('metadata.tags', 'tags', 'style'),
  seconds: places('metadata.duration', 'duration'),
  failure: places('metadata.error_message', 'error_message', 'fail_reason'),
} as const satisfies Record<string, readonly Place[]>;

/** All tracks of a task; `taskState` applies to tracks without a status of their own. */
function tracksIn(
  record: unknown,
  table: PlaceTable,
  taskState: SnapshotState | undefined,
  context: ResponseContext,
): Track[] {
  const read = (value: unknown): Track | undefined => trackFrom(value, taskState, context);
  const list = listAt(record, table.tracks, read);
  if (list.length > 0) return list;
  // Lyrics stand in the same place and also have an id and a title; only audio makes a track.
  const lone = firstAt(record, table.loneTrack, read);
  return lone?.audio === undefined ? [] : [lone];
}

function trackFrom(value: unknown, taskState: SnapshotState | undefined, context: ResponseContext): Track | undefined {
  if (!isRecord(value)) return undefined;
  const address = (where: readonly Place[]): string | undefined =>
    firstAt(value, where, (text) => readAddress(text, context));
  const audio = address(at.audio);
  const id = firstAt(value, at.id, asText);
  const title = firstAt(value, at.title, asText);
  if (audio === undefined && id === undefined && title === undefined) return undefined;
  return {
    id,
    title,
    state: trackState(firstAt(value, at.status, asText), taskState ?? (audio === undefined ? 'running' : 'succeeded')),
    audio,
    video: address(at.video),
    cover: address(at.cover),
    lyrics: firstAt(value, at.lyrics, asText),
    style: firstAt(value, at.style, asText),
    seconds: firstAt(value, at.seconds, asNumber),
    failure: firstAt(value, at.failure, asText),
  };
}

function trackState(word: string | undefined, fallback: SnapshotState): Track['state'] {
  const state = word === undefined ? fallback : meaningOfStatus(word)?.state;
  if (state === 'succeeded') return 'finished';
  return state === 'failed' ? 'failed' : 'running';
}

function mediaOf(tracks: readonly Track[]): Medium[] {
  return tracks.flatMap(({ state, audio: address, seconds, cover: thumbnail }) => {
    if (state !== 'finished' || address === undefined) return [];
    return [{ kind: 'audio' as const, address, ...withoutUndefined({ seconds, thumbnail }) }];
  });
}

/** Reads the response to an accepted order. */
export function readSubmission(family: Family, answer: unknown): Submission {
  const [anyId, textId] = submissionPlaces.ids[family];
  const remoteId = firstAt(answer, anyId, asText) ?? firstAt(answer, textId, asString);
  // Without an id the task cannot be polled, but the order may well have been accepted.
  if (remoteId === undefined) {
    throw malformedError('The gateway accepted the order without a task id.', { mayHaveTakenEffect: true });
  }
  const word = firstAt(answer, submissionPlaces.status, asText);
  return {
    remoteId,
    needsInput: needsPrompt(answer) || (word !== undefined && meaningOfStatus(word)?.state === 'needs-input'),
    finalPrompt: firstAt(answer, submissionPlaces.finalPrompt, asText),
    queuedBehind: firstAt(answer, submissionPlaces.queuedBehind, asNumber),
  };
}

/** Code 21 means "enter a prompt" or, with a state or image, "exists already". Some send 1 instead but keep `remix`. */
function needsPrompt(answer: unknown): boolean {
  const { remix, imageUrl, status } = isRecord(answer) && isRecord(answer.properties) ? answer.properties : {};
  if (remix === true || remix === 'true') return true;
  const isForm = firstAt(answer, submissionPlaces.code, asText) === '21';
  return isForm && asText(imageUrl) === undefined && asText(status) === undefined;
}
