import { brandedType } from './brands.ts';
import { isWebm } from './ebml.ts';
import { isMp3 } from './mp3.ts';
import { isOggSound } from './ogg.ts';
import { isGif, isJpeg, isPng, webpOrWav } from './signatures.ts';
import { type MediaType, mediaTypes } from './types.ts';

/**
 * What the bytes are, never what a name or a header says they are. Each look goes a step beyond the first bytes, so that
 * a signature with nonsense behind it is not taken for a file.
 */
export function recognise(bytes: Buffer): MediaType | undefined {
  if (isPng(bytes)) return mediaTypes.png;
  if (isJpeg(bytes)) return mediaTypes.jpeg;
  if (isGif(bytes)) return mediaTypes.gif;
  if (isWebm(bytes)) return mediaTypes.webm;
  if (isOggSound(bytes)) return mediaTypes.ogg;
  // Last, because two bytes are all that a bare MP3 begins with.
  return webpOrWav(bytes) ?? brandedType(bytes) ?? (isMp3(bytes) ? mediaTypes.mp3 : undefined);
}
