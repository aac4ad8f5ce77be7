import sharp, { type Metadata, type Sharp } from 'sharp';
import { damagedFileError, MediaError } from '../errors.ts';
import { recognise } from '../files/recognise.ts';
import { type MediaType, mediaTypes } from '../media-types.ts';
import { hasLocation, hasManifest, sourceTypeIn } from './provenance.ts';

interface RenderOptions {
  /** Decodes all frames instead of only the first. */
  isAnimated?: boolean;
  /** At most 1. */
  scale?: number;
  /** How many bytes of the result the encoder holds in memory. */
  outputBytes?: number;
  render(image: Sharp): Sharp;
}

/** Decodes and re-encodes images after claiming the memory for each of them. Only used in the media process. */
export class ImageEditor {
  readonly maxPixels: number;
  readonly #claim: (bytes: number) => Promise<() => void>;

  /** `claim` waits for the memory; the function that it returns releases it. Rendering is always finished once it has begun. */
  constructor(maxPixels: number, claim: (bytes: number) => Promise<() => void>) {
    this.maxPixels = maxPixels;
    this.#claim = claim;
    // Global settings: no image is rendered twice, and the memory is calculated for one thread per image.
    sharp.cache(false);
    sharp.concurrency(1);
  }

  async render(
    image: Buffer | ExaminedImage,
    { isAnimated = false, scale = 1, outputBytes = 0, render }: RenderOptions,
  ): Promise<Buffer> {
    const { bytes, metadata } = Buffer.isBuffer(image) ? { bytes: image, metadata: await readMetadata(image) } : image;
    const release = await this.#claim(bytes.length + decodedBytes(metadata, { isAnimated, scale }) + outputBytes);
    try {
      const options = { limitInputPixels: this.maxPixels, failOn: 'error', sequentialRead: true } as const;
      return await render(sharp(bytes, { ...options, animated: isAnimated })).toBuffer();
    } catch (error) {
      throw damagedFileError(error);
    } finally {
      release();
    }
  }
}

/** Reads the header of an image, which takes a few milliseconds and almost no memory, even if the header claims a huge image. */
async function readMetadata(bytes: Buffer): Promise<Metadata> {
  try {
    return await sharp(bytes, { limitInputPixels: false, failOn: 'error' }).metadata();
  } catch (error) {
    throw damagedFileError(error);
  }
}

export interface ImageFacts {
  /** As displayed, after rotation. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

export type ExaminedImage = Awaited<ReturnType<typeof examineImage>>;

/** An image that claims more pixels than are allowed, over all frames, is refused before anything is decoded. */
export async function examineImage(bytes: Buffer, maxPixels: number) {
  const type = recognise(bytes);
  if (type?.kind !== 'image') throw new MediaError('not-media', 'The file is not an image.');
  const metadata = await readMetadata(bytes);
  const { width, height, pages = 1, orientation = 1, hasAlpha, exif, xmp, iptc, comments } = metadata;
  if (width * height * pages > maxPixels) {
    throw new MediaError('too-large', `The image has more than ${Math.floor(maxPixels / 1e6)} million pixels.`);
  }
  const isRotated = orientation > 1 && pages === 1;
  const swapsSides = isRotated && orientation > 4;
  return {
    bytes,
    metadata,
    type,
    width: swapsSides ? height : width,
    height: swapsSides ? width : height,
    frames: pages,
    isRotated,
    hasAlpha,
    hasMetadata: Boolean(exif ?? xmp ?? iptc ?? comments),
    /** Whether the file contains a C2PA manifest. */
    hasManifest: hasManifest(bytes, type),
    hasLocation: hasLocation({ exif, xmp }),
    /** The source type that the file's own metadata gives. */
    sourceType: sourceTypeIn(xmp),
    /** Whether the image is animated in a way that the decoders ignore, so that re-encoding would make it a still image. */
    isUndecodedAnimation: isUndecodedAnimation(bytes, type),
  };
}

function isUndecodedAnimation(bytes: Buffer, type: MediaType): boolean {
  if (type === mediaTypes.avif) return bytes.toString('latin1', 8, 12) === 'avis';
  return type === mediaTypes.png && bytes.subarray(0, bytes.indexOf('IDAT')).includes('acTL');
}

/** The image lines between decoder and encoder, and the encoder's own memory. */
const OVERHEAD_BYTES = 32 * 2 ** 20;
const DEPTH_BYTES = new Map(Object.entries({ char: 1, uchar: 1, short: 2, ushort: 2, int: 4, uint: 4, float: 4 }));
const MAX_DEPTH_BYTES = 8;

/** If a format cannot be decoded line by line, the whole image is in memory, in the decoder's own format. */
function decodedBytes(metadata: Metadata, { isAnimated, scale }: { isAnimated: boolean; scale: number }): number {
  const { width, height, pages = 1, orientation = 1 } = metadata;
  const pixels = width * height;
  const bytesHeld = decoderBytesPerPixel.get(metadata.format)?.(metadata) ?? 4 * rawBytesPerPixel(metadata);
  if (isAnimated) return OVERHEAD_BYTES + pixels * (metadata.format === 'webp' ? pages * WEBP_FRAME_BYTES : bytesHeld);
  // A rotated image is decoded completely first.
  if (orientation > 1) return OVERHEAD_BYTES + pixels * (bytesHeld + rawBytesPerPixel(metadata));
  // Only WebP is decoded at the target size, or at twice that size.
  const areaFactor = metadata.format === 'webp' ? Math.min(1, 4 * scale ** 2) : 1;
  return OVERHEAD_BYTES + pixels * areaFactor * bytesHeld;
}

const rawBytesPerPixel = ({ channels, depth = 'uchar' }: Metadata): number =>
  channels * (DEPTH_BYTES.get(depth) ?? MAX_DEPTH_BYTES);

/** Measured bytes per pixel if the whole image is held in memory. */
const decoderBytesPerPixel = new Map<string, (metadata: Metadata) => number>([
  ['png', (metadata) => (metadata.isProgressive ? rawBytesPerPixel(metadata) : 0)],
  // All scans are needed for the first line, with two bytes per coefficient.
  ['jpeg', ({ isProgressive, channels }) => (isProgressive ? 2 * channels : 0)],
  // A canvas, and the frame drawn on it.
  ['gif', () => 6],
  // Brightness and colour planes, and the result.
  ['webp', () => 9],
  // The decoder's frames, a copy of its planes, and the result.
  ['heif', (metadata) => (rawBytesPerPixel(metadata) > metadata.channels ? 32 : 20)],
]);

/** For every frame, because the whole animation is decoded before the first line is available. */
const WEBP_FRAME_BYTES = 4;
