import type { Frame } from './planes.ts';

/** Smooth enlargement of a film's frame, for sizes beyond what is drawn. */
export function enlarge(from: Frame, to: Frame): void {
  stretch(from.y, from.width, from.height, to.y, to.width, to.height);
  stretch(from.u, from.width >> 1, from.height >> 1, to.u, to.width >> 1, to.height >> 1);
  stretch(from.v, from.width >> 1, from.height >> 1, to.v, to.width >> 1, to.height >> 1);
}

function stretch(
  from: Uint8Array,
  fromWidth: number,
  fromHeight: number,
  to: Uint8Array,
  width: number,
  height: number,
): void {
  const stepX = Math.floor(((fromWidth - 1) * 65536) / Math.max(1, width - 1));
  for (let row = 0; row < height; row++) {
    const y = (row * (fromHeight - 1)) / Math.max(1, height - 1);
    const line = Math.min(fromHeight - 2, Math.floor(y));
    const partY = Math.round((y - line) * 256);
    for (let column = 0, x = 0; column < width; column++, x += stepX) {
      const at = line * fromWidth + (x >> 16);
      const partX = (x >> 8) & 255;
      const top = (from[at] as number) * (256 - partX) + (from[at + 1] as number) * partX;
      const bottom = (from[at + fromWidth] as number) * (256 - partX) + (from[at + fromWidth + 1] as number) * partX;
      to[row * width + column] = (top * (256 - partY) + bottom * partY) >> 16;
    }
  }
}
