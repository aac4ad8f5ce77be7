import sharp from 'sharp';
import type { Size } from './size.ts';

interface Channel {
  /** 0 at full size, 1 at half. */
  readonly shift: number;
  /** Where it begins, in pictures of full size. */
  readonly from: number;
  readonly offset: number;
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Brightness at full size and two of colour at half size, by Rec. 601 in limited range, which players assume. */
const CHANNELS: readonly Channel[] = [
  { shift: 0, from: 0, offset: 16, red: 66, green: 129, blue: 25 },
  { shift: 1, from: 1, offset: 128, red: -38, green: -74, blue: 112 },
  { shift: 1, from: 1.25, offset: 128, red: 112, green: -94, blue: -18 },
];
const ONE = 65_536;
const PAIR = 0x00ff00ff;

/** A layer of a film as the encoder thinks. */
export interface Sheet extends Size {
  /** Of every channel the coverage above the value, sixteen bits apart, so that one multiplication blends both. */
  readonly planes: readonly { readonly channel: Channel; readonly pixels: Int32Array }[];
  /** The first row with anything on it, and the first from which on everything is covered. */
  readonly firstRow: number;
  readonly solidRow: number;
}

/** What is seen of a sheet: its rows of the frame. */
interface Share {
  readonly sheet: Sheet;
  readonly placement: Placement;
  readonly first: number;
  readonly end: number;
}

/** Where a frame lies on a sheet: `x' = x / zoom + left`, bent by a sway along the rows, and `y' = y / zoom + top`. */
export interface Placement {
  readonly zoom: number;
  readonly left: number;
  readonly top: number;
  readonly opacity: number;
  sway(row: number): number;
}

/** Planar YUV 4:2:0, as H.264 takes it. */
export interface Frame extends Size {
  readonly bytes: Uint8Array;
}

export async function sheetOf(svg: Buffer, { width, height }: Size): Promise<Sheet> {
  const whole = await sharp(svg, { unlimited: true }).ensureAlpha().raw().toBuffer();
  const raw = { width, height, channels: 4 } as const;
  const half = await sharp(whole, { raw })
    .resize(width / 2, height / 2, { kernel: 'linear' })
    .raw()
    .toBuffer();
  let [first, clear] = [width * height, -1];
  const planes = CHANNELS.map((channel) => {
    const { shift, offset, red, green, blue } = channel;
    const rgba = shift === 0 ? whole : half;
    const pixels = new Int32Array(rgba.length / 4);
    for (let index = pixels.length - 1; index >= 0; index--) {
      const at = index * 4;
      const alpha = rgba[at + 3] ?? 0;
      if (shift === 0 && alpha > 0) first = index;
      if (shift === 0 && alpha < 255 && clear < 0) clear = index;
      const sum = red * (rgba[at] ?? 0) + green * (rgba[at + 1] ?? 0) + blue * (rgba[at + 2] ?? 0);
      pixels[index] = (alpha << 16) | Math.round(((offset + (sum + 128) / 256) * alpha) / 255);
    }
    return { channel, pixels };
  });
  return { width, height, planes, firstRow: Math.floor(first / width), solidRow: Math.floor(clear / width) + 1 };
}

/** Lays sheets over each other. What a sheet in front hides for certain is not drawn: most of a landscape's far hills. */
export function blendAll(frame: Frame, sheets: readonly Pick<Share, 'sheet' | 'placement'>[]): void {
  let end = frame.height;
  const seen = sheets.toReversed().map(({ sheet, placement }): Share => {
    const rowOf = (row: number) => Math.max(0, Math.floor((row - placement.top) * placement.zoom));
    const share = { sheet, placement, first: rowOf(sheet.firstRow - 2), end };
    if (placement.opacity === 1) end = Math.min(end, rowOf(sheet.solidRow + 1) + 2);
    return share;
  });
  for (const share of seen.reverse())
    for (const { pixels, channel } of share.sheet.planes) blend(frame, channel, pixels, share);
}

/** Smooth enlargement, for films beyond the size that is drawn. */
export async function enlarged(frame: Frame, size: Size): Promise<Buffer> {
  const parts = CHANNELS.map(async ({ shift, from }) => {
    const raw = { width: frame.width / (1 + shift), height: frame.height / (1 + shift), channels: 1 } as const;
    const values = frame.bytes.subarray(frame.width * frame.height * from).subarray(0, raw.width * raw.height);
    const larger = sharp(values, { raw }).resize(size.width / (1 + shift), size.height / (1 + shift), {
      fit: 'fill',
      kernel: 'linear',
    });
    return await larger.extractChannel(0).raw().toBuffer();
  });
  return Buffer.concat(await Promise.all(parts));
}

/** Both halves of a packed pair, a part of the way from one to the other; `part` is 0 to 256. */
function between(one: number, other: number, part: number): number {
  return ((Math.imul(one, 256 - part) + Math.imul(other, part)) >>> 8) & PAIR;
}

function clamped(value: number, last: number): number {
  return value < 0 ? 0 : value > last ? last : value;
}

/** Fixed point throughout: this loop is where a film's time goes. A row of the frame lies between two rows of the plane. */
function blend(
  frame: Frame,
  { shift, from }: Channel,
  pixels: Int32Array,
  { sheet, placement, first, end }: Share,
): void {
  // Whole numbers from shifts: a division would make every address below a fraction's.
  const [across, width, height] = [frame.width >> shift, sheet.width >> shift, sheet.height >> shift];
  const values = frame.bytes.subarray(frame.width * frame.height * from);
  const opacity = Math.round(placement.opacity * 256);
  const step = Math.round(ONE / placement.zoom);
  for (let row = first >> shift; row < Math.min(frame.height >> shift, (end + 1) >> shift); row++) {
    const y = Math.round((row / placement.zoom + placement.top / (1 + shift)) * ONE);
    const line = clamped(y >> 16, height - 2) * width;
    const partY = (y >> 8) & 255;
    const after = (row + 1) * across;
    let x = Math.round(((placement.left + placement.sway(row << shift)) / (1 + shift)) * ONE);
    for (let index = row * across; index < after; index++, x += step) {
      const at = line + clamped(x >> 16, width - 2);
      const topLeft = pixels[at] ?? 0;
      const topRight = pixels[at + 1] ?? 0;
      const bottomLeft = pixels[at + width] ?? 0;
      const bottomRight = pixels[at + width + 1] ?? 0;
      if ((topLeft | topRight | bottomLeft | bottomRight) === 0) continue;
      const partX = (x >> 8) & 255;
      const pair = between(between(topLeft, topRight, partX), between(bottomLeft, bottomRight, partX), partY);
      const cover = ((pair >>> 16) * opacity) >> 8;
      values[index] = (((pair & 255) * opacity) >> 8) + ((((values[index] ?? 0) * (255 - cover) + 127) * 257) >> 16);
    }
  }
}
