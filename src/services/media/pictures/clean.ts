import type { Sharp } from 'sharp';
import { type MediaType, mediaTypes } from '../media-types.ts';
import { examined, type Picture } from './facts.ts';
import { strippedGif, strippedJpeg, strippedPng, strippedWebp } from './strip.ts';
import type { Workbench } from './workbench.ts';

export interface CheckedPicture {
  readonly bytes: Buffer;
  readonly type: MediaType;
}

/** What gateways take as a reference. */
const TAKEN: readonly MediaType[] = [mediaTypes.png, mediaTypes.jpeg, mediaTypes.webp];

/** A member's picture without notes about the member, decoded once to its end to know that it can be. */
export async function checkedPicture(bytes: Buffer, bench: Workbench): Promise<CheckedPicture> {
  const picture = await examined(bytes, bench.pixels);
  const isTaken = TAKEN.includes(picture.type);
  const { bytes: clean, type, isRedrawn } = await (isTaken ? cleaned : redrawn)(picture, bench);
  if (!isRedrawn) await bench.draw(clean, { draw: (whole) => whole.resize(16, 16, { fit: 'fill' }).raw() });
  return { bytes: clean, type };
}

interface Cleaned extends CheckedPicture {
  readonly isRedrawn: boolean;
}

/**
 * A picture without anybody's notes: no place, no camera, no prompt, no preview of what was cut away. The notes are taken out
 * of the file and every pixel stays as it was; without notes the file itself comes back. Only what has to be turned, and AVIF,
 * whose boxes point at each other by their distance, is drawn anew.
 */
export async function cleaned(picture: Picture, bench: Workbench): Promise<Cleaned> {
  const { bytes, type, isTurned, hasNotes } = picture;
  if (isTurned || (type === mediaTypes.avif && hasNotes)) return await redrawn(picture, bench);
  return { bytes: stripped.get(type)?.(bytes) ?? bytes, type, isRedrawn: false };
}

const stripped = new Map<MediaType, (bytes: Buffer) => Buffer>([
  [mediaTypes.png, strippedPng],
  [mediaTypes.jpeg, strippedJpeg],
  [mediaTypes.webp, strippedWebp],
  [mediaTypes.gif, strippedGif],
]);

/** Of each pixel, while a WebP is made. */
const WEBP_BYTES = 14;

/** Upright, in sRGB, and hardly to be told from the original; in a format that everybody reads. */
async function redrawn({ bytes, type, width, height }: Picture, bench: Workbench): Promise<Cleaned> {
  const format = type === mediaTypes.gif ? mediaTypes.png : type === mediaTypes.avif ? mediaTypes.webp : type;
  const outputBytes = format === mediaTypes.webp ? WEBP_BYTES * width * height : 0;
  const draw = (picture: Sharp): Sharp => inFormat(picture.autoOrient(), format);
  return { bytes: await bench.draw(bytes, { outputBytes, draw }), type: format, isRedrawn: true };
}

function inFormat(picture: Sharp, format: MediaType): Sharp {
  if (format === mediaTypes.png) return picture.png();
  if (format === mediaTypes.webp) return picture.webp({ quality: 95 });
  return picture.jpeg({ quality: 95, chromaSubsampling: '4:4:4', optimiseCoding: false });
}
