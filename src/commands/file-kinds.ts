import { keysOf } from '../lib/entries.ts';

/** Audio comes first, because some audio files have the type of a video. */
const FILE_NAMES = {
  audio: /\.(?:aac|aiff?|amr|flac|m4[ab]|mka|mp3|oga|ogg|opus|wav|weba|wma)$/i,
  image: /\.(?:avif|gif|jpe?g|png|webp)$/i,
  video: /\.(?:m4v|mkv|mov|mp4|webm)$/i,
} as const;

/** The kind of a member's file by the type that Discord reports, which forms do not, or by its name. The content is checked before it is sent. */
export function fileKindOf({ name, mediaType = '' }: { name: string; mediaType?: string | undefined }) {
  const type = mediaType.toLowerCase();
  return keysOf(FILE_NAMES).find((kind) => type.startsWith(`${kind}/`) || FILE_NAMES[kind].test(name));
}
