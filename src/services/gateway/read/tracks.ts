import { isRecord } from '../../../lib/exact-json.ts';
import { addressFrom, type ReadingPlace } from './media.ts';
import { firstAt, listAt, type Place, places } from './places.ts';
import type { Medium, SnapshotState, Track } from './snapshot.ts';
import { standingOf } from './status.ts';
import type { Table } from './table.ts';
import { asNumber, asText } from './values.ts';

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

/** All tracks of a task; `taskState` is what a track without a word of its own is in. */
export function tracksIn(
  record: unknown,
  { tracks, loneTrack }: Pick<Table, 'tracks' | 'loneTrack'>,
  taskState: SnapshotState | undefined,
  place: ReadingPlace,
): Track[] {
  const list = listAt(record, tracks, (value) => trackFrom(value, taskState, place));
  if (list.length > 0) return list;
  // Lyrics stand in the same place and have an id and a title too; only sound makes a lone track.
  const lone = firstAt(record, loneTrack, (value) => trackFrom(value, taskState, place));
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
    state: trackState(firstAt(value, at.status, asText), audio, taskState),
    audio,
    video: address(at.video),
    cover: address(at.cover),
    lyrics: firstAt(value, at.lyrics, asText),
    style: firstAt(value, at.style, asText),
    seconds: firstAt(value, at.seconds, asNumber),
    failure: firstAt(value, at.failure, asText),
  };
}

function trackState(
  word: string | undefined,
  audio: string | undefined,
  task: SnapshotState | undefined,
): Track['state'] {
  const state =
    word === undefined ? (task ?? (audio === undefined ? 'running' : 'succeeded')) : standingOf(word)?.state;
  if (state === 'succeeded') return 'finished';
  return state === 'failed' ? 'failed' : 'running';
}

/** The state of a task that says nothing of itself but lists its tracks. */
export function stateOfTracks(tracks: readonly Track[]): SnapshotState {
  if (tracks.some((track) => track.state === 'running')) return 'running';
  return tracks.some((track) => track.state === 'finished') ? 'succeeded' : 'failed';
}

export function mediaOf(tracks: readonly Track[]): Medium[] {
  return tracks.flatMap(({ state, audio, seconds, cover }) =>
    state === 'finished' && audio !== undefined
      ? [
          {
            kind: 'audio' as const,
            address: audio,
            ...(seconds === undefined ? {} : { seconds }),
            ...(cover === undefined ? {} : { thumbnail: cover }),
          },
        ]
      : [],
  );
}
