import { withoutUndefined } from '../../../lib/entries.ts';
import { isRecord } from '../../../lib/exact-json.ts';
import { asNumber, asText, asTime, firstAt, listAt, type Place, places } from '../places.ts';
import { meaningOfStatus } from '../record.ts';
import type { Medium, SnapshotState, Track } from '../snapshot.ts';
import type { PlaceTable } from './table.ts';

export interface ResponseContext {
  base: URL;
  imgxPath: string;
  now: number;
  /** URLs that the task's request contained, which are never its result. */
  requestUrls?: readonly string[];
}

export const mediumPlaces = {
  address: places('url', 'image_url.url', 'image_url', 'video_url', 'imageUrl', 'videoUrl'),
  base64: places('b64_json', 'base64', 'image_base64', 'b64'),
  mediaType: places('mime_type', 'mimeType', 'content_type', 'contentType'),
  width: places('width'),
  height: places('height'),
  seconds: places('duration', 'seconds'),
  thumbnail: places('thumbnail', 'cover_url'),
  expiry: places('expires_at', 'expiresAt'),
  lifetime: places('url_expires_in_seconds', 'expires_in'),
} as const;

/** Reads one item of a result: a URL, a data URI, base64, or an object around one of them. */
export function readMedium(value: unknown, kind: Medium['kind'], context: ResponseContext): Medium | undefined {
  if (typeof value === 'string' && kindOfBase64(value) === kind) return { kind, base64: value };
  if (typeof value === 'string') return mediumAtUrl(value, kind, context);
  if (!isRecord(value)) return undefined;
  const source =
    firstAt(value, mediumPlaces.address, (address) =>
      typeof address === 'string' ? mediumAtUrl(address, kind, context) : undefined,
    ) ??
    firstAt(value, mediumPlaces.base64, (text) => (typeof text === 'string' ? base64Medium(text, kind) : undefined));
  if (!source) return undefined;
  const lifetime = firstAt(value, mediumPlaces.lifetime, asNumber);
  const details = {
    mediaType: source.mediaType ?? firstAt(value, mediumPlaces.mediaType, asText),
    width: firstAt(value, mediumPlaces.width, asNumber),
    height: firstAt(value, mediumPlaces.height, asNumber),
    seconds: firstAt(value, mediumPlaces.seconds, asNumber),
    thumbnail: firstAt(value, mediumPlaces.thumbnail, (text) => readUrl(text, context)),
    expiresAt:
      firstAt(value, mediumPlaces.expiry, asTime) ??
      (lifetime === undefined ? undefined : asTime(context.now + lifetime * 1000)),
  };
  return { ...source, ...withoutUndefined(details) };
}

/** An absolute URL. Paths, and URLs on the gateway's own machine, are resolved against the gateway. */
export function readUrl(value: unknown, { base, imgxPath }: ResponseContext): string | undefined {
  if (typeof value !== 'string') return undefined;
  // A gateway that does not know its public name may leave out the host.
  const text = value.trim().replace(/^https?:\/{3,}/i, '/');
  if (!/^(?:https?:\/)?\/\S+$/i.test(text)) return undefined;
  const isPath = text.startsWith('/') && !text.startsWith('//');
  const url = URL.parse(isPath ? withBasePath(text, base) : text, base.origin);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  const path = url.pathname.replace(/^\/+/, '/');
  const isImageProxy = (imgxPath !== '' && path.startsWith(`${imgxPath}/image/`)) || path.startsWith('/mj/image/');
  const isOnGateway = isImageProxy || (isLoopback(url) && !isLoopback(base));
  return isOnGateway ? URL.parse(base.origin + withBasePath(path, base) + url.search)?.href : url.href;
}

/** A gateway behind a proxy does not know the path under which the proxy serves it. */
function withBasePath(path: string, base: URL): string {
  const prefix = base.pathname.replace(/\/$/, '');
  return path.startsWith(`${prefix}/`) ? path : prefix + path;
}

function isLoopback(url: URL): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

function mediumAtUrl(text: string, kind: Medium['kind'], context: ResponseContext): Medium | undefined {
  if (text.startsWith('data:')) return base64Medium(text, kind);
  const address = readUrl(text, context);
  return address === undefined ? undefined : { kind, address };
}

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[^;,]*)*;base64,/i;

function base64Medium(text: string, kind: Medium['kind']): Medium | undefined {
  const head = DATA_URI.exec(text.slice(0, 200));
  const base64 = head ? text.slice(head[0].length) : text;
  if (base64 === '' || !/^[\w+/=\s-]{1,100}$/.test(base64.slice(0, 100))) return undefined;
  return { kind, base64, ...withoutUndefined({ mediaType: head?.[1]?.toLowerCase() }) };
}

/** The first characters of image, video and audio files in base64. */
const BASE64_HEADS: readonly [RegExp, Medium['kind']][] = [
  [/^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR.{5,8}XRUJQ|AAAA..Z0eXBhdmlm)/, 'image'],
  [/^(?:AAAA..Z0eXB|GkXfo)/, 'video'],
  [/^(?:SUQz|\/\/[vu]|T2dnUw|UklGR.{5,8}XQVZF)/, 'audio'],
];

const MIN_BASE64_LENGTH = 64;

function kindOfBase64(text: string): Medium['kind'] | undefined {
  if (text.length < MIN_BASE64_LENGTH) return undefined;
  const head = text.slice(0, MIN_BASE64_LENGTH);
  if (!/^[\w+/=\s-]+$/.test(head)) return undefined;
  return BASE64_HEADS.find(([pattern]) => pattern.test(head))?.[1];
}

const KIND_BY_EXTENSION: readonly [RegExp, Medium['kind']][] = [
  [/\.(?:png|jpe?g|webp|gif|avif)$/i, 'image'],
  [/\.(?:mp4|webm|mov|m4v)$/i, 'video'],
  [/\.(?:mp3|wav|ogg|m4a|flac)$/i, 'audio'],
];

export const kindByExtension = (path: string): Medium['kind'] | undefined =>
  KIND_BY_EXTENSION.find(([ending]) => ending.test(path))?.[1];

export interface FoundFile {
  medium: Omit<Medium, 'kind'>;
  /** The kind, according to the bytes or the file name; undefined for a URL without an extension. */
  kind: Medium['kind'] | undefined;
}

const MAX_URL_LENGTH = 8_192;

/** The file that a text contains or links to; undefined for any other text, and for URLs of pages. */
export function fileIn(text: string, context: ResponseContext): FoundFile | undefined {
  const head = text.slice(0, 'data:image/'.length).toLowerCase();
  const kinds = ['image', 'video', 'audio'] as const;
  const contentKind = kinds.find((one) => head === `data:${one}/`) ?? kindOfBase64(text);
  if (contentKind) {
    const medium = readMedium(text, contentKind, context);
    return medium && { medium, kind: contentKind };
  }
  const address = text.length > MAX_URL_LENGTH || text.startsWith('/') ? undefined : readUrl(text, context);
  if (address === undefined) return undefined;
  const { pathname } = new URL(address);
  const kind = kindByExtension(pathname);
  const isOtherFile = kind === undefined && /\.[a-z]\w{1,4}$/i.test(pathname);
  return isOtherFile ? undefined : { medium: { address }, kind };
}

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
