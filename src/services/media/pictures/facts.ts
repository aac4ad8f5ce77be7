import { MediaError } from '../errors.ts';
import { type MediaType, mediaTypes } from '../media-types.ts';
import { recognise } from '../recognise.ts';
import { headOf } from './workbench.ts';

export interface PictureFacts {
  /** As it is seen, turned as its notes say. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

/** A file known to be a picture that may be decoded. */
export interface Picture extends PictureFacts {
  readonly bytes: Buffer;
  readonly type: MediaType;
  readonly isTurned: boolean;
  readonly hasAlpha: boolean;
  readonly hasNotes: boolean;
  /** Moves in a way that the decoders do not see: drawn anew it would stand still. */
  readonly movesUnseen: boolean;
}

/** What claims more pixels than are allowed, all frames counted, is refused before anything is decoded. */
export async function examined(bytes: Buffer, mostPixels: number): Promise<Picture> {
  const type = recognise(bytes);
  if (type?.kind !== 'image') throw new MediaError('not-media', 'The file is not a picture.');
  const { width, height, pages = 1, orientation = 1, hasAlpha, exif, xmp, iptc, comments } = await headOf(bytes);
  if (width * height * pages > mostPixels) {
    throw new MediaError('too-large', `The picture has more than ${Math.floor(mostPixels / 1e6)} million pixels.`);
  }
  const isTurned = orientation > 1 && pages === 1;
  const isAside = isTurned && orientation > 4;
  return {
    bytes,
    type,
    width: isAside ? height : width,
    height: isAside ? width : height,
    frames: pages,
    isTurned,
    hasAlpha,
    hasNotes: Boolean(exif ?? xmp ?? iptc ?? comments),
    movesUnseen: movesUnseen(bytes, type),
  };
}

function movesUnseen(bytes: Buffer, type: MediaType): boolean {
  if (type === mediaTypes.avif) return bytes.toString('latin1', 8, 12) === 'avis';
  return type === mediaTypes.png && bytes.subarray(0, bytes.indexOf('IDAT')).includes('acTL');
}
