import sharp from 'sharp';
import { clamp } from './random.ts';
import type { Size } from './size.ts';

interface Channel {
  /** 0 at full size, 1 at half. */
  readonly shift: number;
  /** The channel's offset in a frame, in multiples of a full-size channel. */
  readonly frameOffset: number;
  readonly offset: number;
  readonly weights: readonly [red: number, green: number, blue: number];
}

/** The brightness channel and two colour channels of Rec. 601 in limited range, which players assume. */
const CHANNELS: readonly Channel[] = [
  { shift: 0, frameOffset: 0, offset: 16, weights: [66, 129, 25] },
  { shift: 1, frameOffset: 1, offset: 128, weights: [-38, -74, 112] },
  { shift: 1, frameOffset: 1.25, offset: 128, weights: [112, -94, -18] },
];
const FIXED_POINT_ONE = 65_536;
const BOTH_HALVES = 0x00ff00ff;

/** A layer of a video in the encoder's colour space. */
export interface Sheet extends Size {
  /** For each channel, packed pixels: the alpha in the upper 16 bits, the value in the lower, so one multiplication blends both. */
  readonly planes: readonly { readonly channel: Channel; readonly pixels: Int32Array }[];
}

/** The position of a frame on a sheet: `x' = x / zoom + left`, shifted by `sway` in each row, and `y' = y / zoom + top`. */
export interface Placement {
  readonly zoom: number;
  readonly left: number;
  readonly top: number;
  readonly opacity: number;
  sway(row: number): number;
}

/** Planar YUV 4:2:0, the input format of H.264. */
export interface Frame extends Size {
  readonly bytes: Uint8Array;
}

export async function sheetOf(svg: Buffer, { width, height }: Size): Promise<Sheet> {
  const fullSize = await sharp(svg, { unlimited: true }).ensureAlpha().raw().toBuffer();
  const raw = { width, height, channels: 4 } as const;
  const halfSize = await sharp(fullSize, { raw })
    .resize(width / 2, height / 2, { kernel: 'linear' })
    .raw()
    .toBuffer();
  const planes = CHANNELS.map((channel) => {
    const [red, green, blue] = channel.weights;
    const rgba = channel.shift === 0 ? fullSize : halfSize;
    const pixels = new Int32Array(rgba.length / 4);
    for (let index = 0, offset = 0; index < pixels.length; index++, offset += 4) {
      const alpha = rgba[offset + 3] ?? 0;
      const sum = red * (rgba[offset] ?? 0) + green * (rgba[offset + 1] ?? 0) + blue * (rgba[offset + 2] ?? 0);
      pixels[index] = (alpha << 16) | Math.round(((channel.offset + (sum + 128) / 256) * alpha) / 255);
    }
    return { channel, pixels };
  });
  return { width, height, planes };
}

/** Enlarges a frame smoothly, for videos larger than the maximum drawn size. */
export async function enlarge(frame: Frame, size: Size): Promise<Buffer> {
  const parts = CHANNELS.map(async ({ shift, frameOffset }) => {
    const raw = { width: frame.width >> shift, height: frame.height >> shift, channels: 1 } as const;
    const values = frame.bytes.subarray(frame.width * frame.height * frameOffset).subarray(0, raw.width * raw.height);
    const enlarged = sharp(values, { raw }).resize(size.width >> shift, size.height >> shift, { fit: 'fill' });
    return await enlarged.extractChannel(0).raw().toBuffer();
  });
  return Buffer.concat(await Promise.all(parts));
}

/** Interpolates both halves of two packed pixels; `fraction` is from 0 to 256. */
function interpolate(one: number, other: number, fraction: number): number {
  return ((Math.imul(one, 256 - fraction) + Math.imul(other, fraction)) >>> 8) & BOTH_HALVES;
}

/** Draws a sheet over a frame, in fixed-point arithmetic and without allocations per pixel, because most of a video's encoding time is spent here. */
export function drawSheet(frame: Frame, sheet: Sheet, placement: Placement): void {
  for (const { channel, pixels } of sheet.planes) blend(frame, channel, sheet, pixels, placement);
}

function blend(
  frame: Frame,
  { shift, frameOffset }: Channel,
  sheet: Size,
  pixels: Int32Array,
  placement: Placement,
): void {
  // Shifts keep these numbers integers; a division would turn every index below into a fraction.
  const [rowLength, width, height] = [frame.width >> shift, sheet.width >> shift, sheet.height >> shift];
  const values = frame.bytes.subarray(frame.width * frame.height * frameOffset);
  const opacity = Math.round(placement.opacity * 256);
  const step = Math.round(FIXED_POINT_ONE / placement.zoom);
  for (let row = 0; row < frame.height >> shift; row++) {
    const y = Math.round((row / placement.zoom + placement.top / (1 + shift)) * FIXED_POINT_ONE);
    const rowStart = clamp(y >> 16, 0, height - 2) * width;
    const fractionY = (y >> 8) & 255;
    const end = (row + 1) * rowLength;
    let x = Math.round(((placement.left + placement.sway(row << shift)) / (1 + shift)) * FIXED_POINT_ONE);
    for (let index = row * rowLength; index < end; index++, x += step) {
      const offset = rowStart + clamp(x >> 16, 0, width - 2);
      const topLeft = pixels[offset] ?? 0;
      const topRight = pixels[offset + 1] ?? 0;
      const bottomLeft = pixels[offset + width] ?? 0;
      const bottomRight = pixels[offset + width + 1] ?? 0;
      if ((topLeft | topRight | bottomLeft | bottomRight) === 0) continue;
      const fractionX = (x >> 8) & 255;
      const blended = interpolate(
        interpolate(topLeft, topRight, fractionX),
        interpolate(bottomLeft, bottomRight, fractionX),
        fractionY,
      );
      const alpha = ((blended >>> 16) * opacity) >> 8;
      values[index] = (((blended & 255) * opacity) >> 8) + ((((values[index] ?? 0) * (255 - alpha) + 127) * 257) >> 16);
    }
  }
}
