import type { Size } from './size.ts';

/**
 * A layer of a film as the encoder thinks: brightness at full size, colour at half size, both with their coverage and
 * multiplied by it. Two values share a number sixteen bits apart, so one multiplication blends both.
 */
export interface Plane extends Size {
  /** Coverage above brightness. */
  readonly luma: Int32Array;
  /** V above U. */
  readonly chroma: Int32Array;
  readonly chromaCoverage: Int32Array;
  /** The first row with anything on it, and the first from which on everything is covered. */
  readonly firstRow: number;
  readonly solidRow: number;
}

/** Rec. 601, limited range: what players assume of a film that does not say. */
export function planeOf(rgba: Uint8Array, { width, height }: Size): Plane {
  const luma = new Int32Array(width * height);
  const [halfWidth, halfHeight] = [width >> 1, height >> 1];
  const chroma = new Int32Array(halfWidth * halfHeight);
  const chromaCoverage = new Int32Array(halfWidth * halfHeight);
  for (let index = 0; index < luma.length; index++) {
    const at = index * 4;
    const alpha = rgba[at + 3] as number;
    if (alpha === 0) continue;
    const y =
      16 + (66 * (rgba[at] as number) + 129 * (rgba[at + 1] as number) + 25 * (rgba[at + 2] as number) + 128) / 256;
    luma[index] = (alpha << 16) | Math.round((y * alpha) / 255);
  }
  for (let row = 0; row < halfHeight; row++) {
    for (let column = 0; column < halfWidth; column++) {
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (const offset of [0, 1, width, width + 1]) {
        const at = (row * 2 * width + column * 2 + offset) * 4;
        const weight = rgba[at + 3] as number;
        red += (rgba[at] as number) * weight;
        green += (rgba[at + 1] as number) * weight;
        blue += (rgba[at + 2] as number) * weight;
        alpha += weight;
      }
      if (alpha === 0) continue;
      const cover = alpha / 4;
      const u = 128 + (-38 * red - 74 * green + 112 * blue) / alpha / 256;
      const v = 128 + (112 * red - 94 * green - 18 * blue) / alpha / 256;
      const index = row * halfWidth + column;
      chroma[index] = (Math.round((v * cover) / 255) << 16) | Math.round((u * cover) / 255);
      chromaCoverage[index] = Math.round(cover);
    }
  }
  return { width, height, luma, chroma, chromaCoverage, ...reachOf(luma, width, height) };
}

function reachOf(luma: Int32Array, width: number, height: number): { firstRow: number; solidRow: number } {
  const first = luma.findIndex((value) => value !== 0);
  const clear = luma.findLastIndex((value) => value >>> 16 < 255);
  return { firstRow: first < 0 ? height : Math.floor(first / width), solidRow: Math.floor(clear / width) + 1 };
}

/** Planar YUV 4:2:0, as H.264 takes it. */
export class Frame {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly y: Uint8Array;
  readonly u: Uint8Array;
  readonly v: Uint8Array;

  constructor({ width, height }: Size) {
    this.width = width;
    this.height = height;
    const pixels = width * height;
    this.bytes = new Uint8Array(pixels * 1.5);
    this.y = this.bytes.subarray(0, pixels);
    this.u = this.bytes.subarray(pixels, pixels * 1.25);
    this.v = this.bytes.subarray(pixels * 1.25);
  }
}
