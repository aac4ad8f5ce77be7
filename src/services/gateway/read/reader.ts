import { definedIn } from '../../../lib/entries.ts';
import { isRecord } from '../../../lib/exact-json.ts';
import { malformed } from '../errors.ts';
import { addressFrom, findMedia, mediumFrom, type ReadingPlace } from './media.ts';
import { asNumber, asProgress, asString, asText, asTime, firstAt, listAt, type Place, places } from './places.ts';
import { idIn, normalised, recordIn, type Standing, standingOf, wordIn } from './record.ts';
import type { Action, Failure, Medium, Snapshot, SnapshotState, Submission, Track } from './snapshot.ts';
import { type Family, seeds, submitted, type Table, TEXT_ACTIONS, tables, times } from './table.ts';

/** Both are rare, and both mean that the table needs a new line. */
export interface ReadingNotices {
  unknownWord(family: Family, word: string): void;
  foundByWalking(family: Family, remoteId: string | undefined): void;
}

/** Turns a response about one task into a snapshot. Throws a malformed `GatewayError` if it describes no task. */
export function readSnapshot(family: Family, answer: unknown, place: ReadingPlace, notices: ReadingNotices): Snapshot {
  const table = tables[family];
  const record = recordIn(Array.isArray(answer) ? answer[0] : answer);
  if (record === undefined) throw malformed('The gateway’s response is not a task.');

  const remoteId = idIn(family, record) ?? idIn(family, answer);
  const word = wordIn(record, table.status);
  const known = word === undefined ? undefined : standingOf(word);
  if (word !== undefined && known === undefined) notices.unknownWord(family, normalised(word));
  const spoken: Standing | undefined = known ?? (word === undefined ? undefined : { state: 'running' });

  const tracks = tracksIn(record, table, spoken?.state, place);
  const listed = [...mediaIn(record, table, place), ...mediaOf(tracks)];
  const { state, cause } = spoken ?? silentStanding(record, listed, tracks, remoteId);
  const isDone = state === 'succeeded';

  const action = firstAt(record, table.action, asText)?.toUpperCase();
  const mayBeText = isDone && table.textResult.length > 0 && (action === undefined || TEXT_ACTIONS.has(action));
  const text = firstAt(record, mayBeText ? table.textResult : table.text, asText);
  const isText = mayBeText && text !== undefined;

  // The described image is not a result of /describe.
  const media = isDone && !(isText && action !== undefined) ? listed : [];
  if (isDone && media.length === 0 && !isText && !tracks.some((track) => track.state === 'running')) {
    const kinds = table.media.map(({ kind }) => kind);
    media.push(...findMedia(record, kinds, place));
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
    failure: state === 'failed' ? failureIn(record, table, cause ?? 'failed', tracks) : undefined,
    isEmpty: isDone && media.length === 0 && !isText,
    submittedAt: firstAt(record, times.submitted, asTime),
    startedAt: firstAt(record, times.started, asTime),
    finishedAt: firstAt(record, times.finished, asTime),
  };
}

const ERROR = places('error.message', 'error');

/** The state of a response without a status word. */
function silentStanding(record: unknown, listed: readonly Medium[], tracks: readonly Track[], id?: string): Standing {
  if (tracks.some((track) => track.state === 'running')) return { state: 'running' };
  if (tracks.some((track) => track.state === 'finished')) return { state: 'succeeded' };
  if (tracks.length > 0) return { state: 'failed' };
  if (listed.length > 0) return { state: 'succeeded' };
  if (firstAt(record, ERROR, asText) !== undefined) return { state: 'failed', cause: 'failed' };
  if (id !== undefined) return { state: 'queued' };
  throw malformed('The response of the gateway has no task status.');
}

/** The first kind, in order of preference, that has any media. */
function mediaIn(record: unknown, table: Table, place: ReadingPlace): Medium[] {
  for (const { kind, at } of table.media) {
    const found = listAt(record, at, (value) => mediumFrom(value, kind, place));
    if (found.length > 0) return found;
  }
  return [];
}

function failureIn(record: unknown, table: Table, cause: Failure['cause'], tracks: readonly Track[]): Failure {
  const reason =
    firstAt(record, table.reason, asReason) ?? tracks.find(({ failure }) => failure !== undefined)?.failure;
  return { cause, reason, code: firstAt(record, table.code, asText) };
}

/** Words that stand where a reason would, and mean success. */
const NO_REASON = new Set(['success', 'succeed', 'ok']);

function asReason(value: unknown): string | undefined {
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
function tracksIn(record: unknown, table: Table, taskState: SnapshotState | undefined, place: ReadingPlace): Track[] {
  const read = (value: unknown): Track | undefined => trackFrom(value, taskState, place);
  const list = listAt(record, table.tracks, read);
  if (list.length > 0) return list;
  // Lyrics stand in the same place and also have an id and a title; only audio makes a track.
  const lone = firstAt(record, table.loneTrack, read);
  return lone?.audio === undefined ? [] : [lone];
}

function trackFrom(value: unknown, taskState: SnapshotState | undefined, place: ReadingPlace): Track | undefined {
  if (!isRecord(value)) return undefined;
  const address = (where: readonly Place[]): string | undefined =>
    firstAt(value, where, (text) => addressFrom(text, place));
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

function trackState(word: string | undefined, silent: SnapshotState): Track['state'] {
  const state = word === undefined ? silent : standingOf(word)?.state;
  if (state === 'succeeded') return 'finished';
  return state === 'failed' ? 'failed' : 'running';
}

function mediaOf(tracks: readonly Track[]): Medium[] {
  return tracks.flatMap(({ state, audio: address, seconds, cover: thumbnail }) => {
    if (state !== 'finished' || address === undefined) return [];
    return [{ kind: 'audio' as const, address, ...definedIn({ seconds, thumbnail }) }];
  });
}

/** Reads the response to an accepted order. */
export function readSubmission(family: Family, answer: unknown): Submission {
  const [anyId, textId] = submitted.ids[family];
  const remoteId = firstAt(answer, anyId, asText) ?? firstAt(answer, textId, asString);
  // Without an id the task cannot be polled, but the order may well have been accepted.
  if (remoteId === undefined) {
    throw malformed('The gateway accepted the order without a task id.', { mayHaveTakenEffect: true });
  }
  const word = firstAt(answer, submitted.status, asText);
  return {
    remoteId,
    needsInput: waitsForWords(answer) || (word !== undefined && standingOf(word)?.state === 'needs-input'),
    finalPrompt: firstAt(answer, submitted.finalPrompt, asText),
    queuedBehind: firstAt(answer, submitted.queuedBehind, asNumber),
  };
}

/** Code 21 means "enter a prompt" or, with a state or image, "exists already". Some send 1 instead but keep `remix`. */
function waitsForWords(answer: unknown): boolean {
  const { remix, imageUrl, status } = isRecord(answer) && isRecord(answer.properties) ? answer.properties : {};
  if (remix === true || remix === 'true') return true;
  const isWindow = firstAt(answer, submitted.code, asText) === '21';
  return isWindow && asText(imageUrl) === undefined && asText(status) === undefined;
}
