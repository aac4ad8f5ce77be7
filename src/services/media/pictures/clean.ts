import type { Sharp } from 'sharp';
import { type MediaType, mediaTypes } from '../recognise/types.ts';
import type { Picture } from './facts.ts';
import { strippedGif } from './strip-gif.ts';
import { strippedJpeg } from './strip-jpeg.ts';
import { strippedPng } from './strip-png.ts';
import { strippedWebp } from './strip-webp.ts';
import type { Workbench } from './workbench.ts';

export interface Cleaned {
  readonly bytes: Buffer;
  readonly type: MediaType;
  readonly isRedrawn: boolean;
}

/**
 * A picture without anybody's notes: no place, no camera, no prompt, no preview of what was cut away. The notes are taken out
 * of the file and every pixel stays as it was; without notes the file itself comes back. Only what has to be turned, and AVIF,
 * whose boxes point at each other by their distance, is drawn anew.
 */
export async function cleaned(picture: Picture, bench: Workbench, signal: AbortSignal): Promise<Cleaned> {
  const { type, isTurned, hasNotes } = picture;
  if (isTurned || (type === mediaTypes.avif && hasNotes)) return await redrawn(picture, bench, signal);
  return { bytes: stripped(picture), type, isRedrawn: false };
}

/** Of each pixel, while a WebP is made. */
const WEBP_BYTES = 14;

/** Upright, in sRGB, and hardly to be told from the original; in a format that everybody reads. */
export async function redrawn(
  { bytes, type, width, height }: Picture,
  bench: Workbench,
  signal: AbortSignal,
): Promise<Cleaned> {
  const format = type === mediaTypes.gif ? mediaTypes.png : type === mediaTypes.avif ? mediaTypes.webp : type;
  const outputBytes = format === mediaTypes.webp ? WEBP_BYTES * width * height : 0;
  const drawing = { outputBytes, draw: (picture: Sharp) => inFormat(picture.autoOrient(), format) };
  const drawn = await bench.draw(bytes, drawing, signal);
  return { bytes: drawn, type: format, isRedrawn: true };
}

function inFormat(picture: Sharp, format: MediaType): Sharp {
  if (format === mediaTypes.png) return picture.png();
  if (format === mediaTypes.webp) return picture.webp({ quality: 95 });
  return picture.jpeg({ quality: 95, chromaSubsampling: '4:4:4', optimiseCoding: false });
}

function stripped({ bytes, type }: Picture): Buffer {
  switch (type) {
    case mediaTypes.png:
      return strippedPng(bytes);
    case mediaTypes.jpeg:
      return strippedJpeg(bytes);
    case mediaTypes.webp:
      return strippedWebp(bytes);
    case mediaTypes.gif:
      return strippedGif(bytes);
    default:
      return bytes;
  }
}
