import { withoutUndefined } from '../../../lib/entries.ts';
import { isRecord } from '../../../lib/exact-json.ts';
import { asNumber, asText, firstAt, listAt, type Place, places } from '../places.ts';
import { meaningOfStatus } from '../record.ts';
import type { Medium, SnapshotState, Track } from '../snapshot.ts';
import { type ResponseContext, readUrl } from './media.ts';
import type { PlaceTable } from './table.ts';

export const trackPlaces = {
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
export function tracksIn(
  record: unknown,
  table: PlaceTable,
  taskState: SnapshotState | undefined,
  context: ResponseContext,
): Track[] {
  const read = (value: unknown): Track | undefined => trackFrom(value, taskState, context);
  const list = listAt(record, table.tracks, read);
  if (list.length > 0) return list;
  // Lyrics are found in the same place and also have an id and a title; only audio makes a track.
  const singleTrack = firstAt(record, table.loneTrack, read);
  return singleTrack?.audio === undefined ? [] : [singleTrack];
}

function trackFrom(value: unknown, taskState: SnapshotState | undefined, context: ResponseContext): Track | undefined {
  if (!isRecord(value)) return undefined;
  const urlAt = (paths: readonly Place[]): string | undefined =>
    firstAt(value, paths, (text) => readUrl(text, context));
  const audio = urlAt(trackPlaces.audio);
  const id = firstAt(value, trackPlaces.id, asText);
  const title = firstAt(value, trackPlaces.title, asText);
  if (audio === undefined && id === undefined && title === undefined) return undefined;
  return {
    id,
    title,
    state: trackState(
      firstAt(value, trackPlaces.status, asText),
      taskState ?? (audio === undefined ? 'running' : 'succeeded'),
    ),
    audio,
    video: urlAt(trackPlaces.video),
    cover: urlAt(trackPlaces.cover),
    lyrics: firstAt(value, trackPlaces.lyrics, asText),
    style: firstAt(value, trackPlaces.style, asText),
    seconds: firstAt(value, trackPlaces.seconds, asNumber),
    failure: firstAt(value, trackPlaces.failure, asText),
  };
}

function trackState(word: string | undefined, fallback: SnapshotState): Track['state'] {
  const state = word === undefined ? fallback : meaningOfStatus(word)?.state;
  if (state === 'succeeded') return 'finished';
  return state === 'failed' ? 'failed' : 'running';
}

export function mediaOf(tracks: readonly Track[]): Medium[] {
  return tracks.flatMap(({ state, audio: address, seconds, cover: thumbnail }) => {
    if (state !== 'finished' || address === undefined) return [];
    return [{ kind: 'audio' as const, address, ...withoutUndefined({ seconds, thumbnail }) }];
  });
}
