import type { ContentReader } from '../content.ts';
import { brandedType } from './brands.ts';
import { isWebm } from './ebml.ts';
import { BEHIND_TAG, beginsWithFrames, endOfTag, isMp3 } from './mp3.ts';
import { isOggSound } from './ogg.ts';
import { isGif, isJpeg, isPng, webpOrWav } from './signatures.ts';
import { type MediaType, mediaTypes } from './types.ts';

/** The first segment of a JPEG has up to 64 KiB; nothing else that is looked at lies further behind, a tag's end aside. */
const HEAD = 72 * 1024;

/**
 * What the bytes are, never what a name or a header says they are. Each look goes a step beyond the first bytes, so that
 * a signature with nonsense behind it is not taken for a file. Only a bounded head is looked at, in a bounded number of steps,
 * however long the file is.
 */
export function recognise(file: Buffer): MediaType | undefined {
  return recogniseHead(file.subarray(0, HEAD)) ?? (isMp3(file) ? mediaTypes.mp3 : undefined);
}

/** The same for a file that need not be in memory. */
export async function recogniseIn(reader: ContentReader): Promise<MediaType | undefined> {
  const head = await reader.read(0, HEAD);
  const type = recogniseHead(head);
  if (type) return type;
  const end = endOfTag(head);
  if (end === undefined) return isMp3(head) ? mediaTypes.mp3 : undefined;
  return beginsWithFrames(await reader.read(end, BEHIND_TAG)) ? mediaTypes.mp3 : undefined;
}

function recogniseHead(bytes: Buffer): MediaType | undefined {
  if (isPng(bytes)) return mediaTypes.png;
  if (isJpeg(bytes)) return mediaTypes.jpeg;
  if (isGif(bytes)) return mediaTypes.gif;
  if (isWebm(bytes)) return mediaTypes.webm;
  if (isOggSound(bytes)) return mediaTypes.ogg;
  // An MP3 comes last, because two bytes are all that a bare one begins with.
  return webpOrWav(bytes) ?? brandedType(bytes);
}
