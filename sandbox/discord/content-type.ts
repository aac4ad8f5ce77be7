/** Content types by file extension, for files sent without one. */
const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/x-wav',
  ogg: 'audio/ogg',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

const UNKNOWN_TYPE = 'application/octet-stream';

/** Ogg can also contain video, but bots send only audio in it. */
const OGG = 'application/ogg';

export function contentTypeOf({ name, contentType = UNKNOWN_TYPE }: { name: string; contentType?: string }): string {
  if (contentType === OGG) return 'audio/ogg';
  if (contentType !== UNKNOWN_TYPE) return contentType;
  return TYPES_BY_EXTENSION[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? UNKNOWN_TYPE;
}
