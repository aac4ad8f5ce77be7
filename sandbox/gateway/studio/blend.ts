import type { Placement } from './camera.ts';
import type { Frame, Plane } from './planes.ts';

const PAIR = 0x00ff00ff;
const ONE = 65536;

export interface Sheet {
  readonly plane: Plane;
  readonly placement: Placement;
}

/** Lays sheets over each other. What a sheet in front hides for certain is not drawn: most of a landscape's far hills. */
export function blendAll(frame: Frame, sheets: readonly Sheet[]): void {
  const limits = new Array<number>(sheets.length).fill(frame.height);
  let limit = frame.height;
  for (let index = sheets.length - 1; index >= 0; index--) {
    const sheet = sheets[index];
    if (!sheet) continue;
    limits[index] = limit;
    limit = Math.min(limit, hiddenFrom(sheet));
  }
  for (const [index, sheet] of sheets.entries()) blend(frame, sheet, limits[index]);
}

function hiddenFrom({ plane, placement }: Sheet): number {
  if (placement.b !== 0 || placement.opacity < 256) return Number.POSITIVE_INFINITY;
  return Math.ceil((Math.max(plane.solidRow, 0) + 1 - placement.ty) / placement.a) + 1;
}

/** Fixed point throughout: these loops are where a film's time goes. */
function blend(frame: Frame, { plane, placement }: Sheet, limit = frame.height): void {
  const level = placement.b === 0;
  const first = level ? Math.max(0, Math.floor((plane.firstRow - 2 - placement.ty) / placement.a)) : 0;
  const end = Math.min(frame.height, Math.max(0, limit));
  for (let row = first; row < end; row++) {
    if (level) blendLevelRow(frame, plane, placement, row);
    else blendTurnedRow(frame, plane, placement, row);
  }
  const chromaEnd = Math.min(frame.height >> 1, (end + 1) >> 1);
  for (let row = first >> 1; row < chromaEnd; row++) blendChromaRow(frame, plane, placement, row);
}

/** Both halves of a packed pair, a part of the way from one to the other; `part` is 0 to 256. */
function between(one: number, other: number, part: number): number {
  return ((Math.imul(one, 256 - part) + Math.imul(other, part)) >>> 8) & PAIR;
}

function bent(placement: Placement, row: number): number {
  return placement.sway === 0 ? 0 : placement.sway * Math.sin(row * placement.wave + placement.phase);
}

function clamped(value: number, last: number): number {
  return value < 0 ? 0 : value > last ? last : value;
}

function laid(under: number, value: number, cover: number): number {
  return value + (((under * (255 - cover) + 127) * 257) >> 16);
}

/** Without a turn, a row of the frame lies between the same two rows of the plane from end to end. */
function blendLevelRow(frame: Frame, { luma, width, height }: Plane, placement: Placement, row: number): void {
  const { opacity } = placement;
  const out = frame.y;
  const y = Math.round((placement.a * row + placement.ty) * ONE);
  const base = clamped(y >> 16, height - 2) * width;
  const partY = (y >> 8) & 255;
  const step = Math.round(placement.a * ONE);
  const last = width - 2;
  const end = (row + 1) * frame.width;
  let x = Math.round((placement.tx + bent(placement, row)) * ONE);
  for (let index = row * frame.width; index < end; index++, x += step) {
    const at = base + clamped(x >> 16, last);
    const [topLeft, topRight] = [luma[at] as number, luma[at + 1] as number];
    const [bottomLeft, bottomRight] = [luma[at + width] as number, luma[at + width + 1] as number];
    if ((topLeft | topRight | bottomLeft | bottomRight) === 0) continue;
    const partX = (x >> 8) & 255;
    const pair = between(between(topLeft, topRight, partX), between(bottomLeft, bottomRight, partX), partY);
    out[index] = laid(out[index] as number, ((pair & 255) * opacity) >> 8, ((pair >>> 16) * opacity) >> 8);
  }
}

function blendTurnedRow(frame: Frame, { luma, width, height }: Plane, placement: Placement, row: number): void {
  const { opacity } = placement;
  const out = frame.y;
  const [stepX, stepY] = [Math.round(placement.a * ONE), Math.round(-placement.b * ONE)];
  const end = (row + 1) * frame.width;
  let x = Math.round((placement.b * row + placement.tx + bent(placement, row)) * ONE);
  let y = Math.round((placement.a * row + placement.ty) * ONE);
  for (let index = row * frame.width; index < end; index++, x += stepX, y += stepY) {
    const at = clamped(y >> 16, height - 2) * width + clamped(x >> 16, width - 2);
    const [topLeft, topRight] = [luma[at] as number, luma[at + 1] as number];
    const [bottomLeft, bottomRight] = [luma[at + width] as number, luma[at + width + 1] as number];
    if ((topLeft | topRight | bottomLeft | bottomRight) === 0) continue;
    const partX = (x >> 8) & 255;
    const pair = between(between(topLeft, topRight, partX), between(bottomLeft, bottomRight, partX), (y >> 8) & 255);
    out[index] = laid(out[index] as number, ((pair & 255) * opacity) >> 8, ((pair >>> 16) * opacity) >> 8);
  }
}

function blendChromaRow(frame: Frame, plane: Plane, placement: Placement, row: number): void {
  const { chroma, chromaCoverage } = plane;
  const { opacity } = placement;
  const width = plane.width >> 1;
  const frameWidth = frame.width >> 1;
  const [lastX, lastY] = [width - 2, (plane.height >> 1) - 2];
  const [stepX, stepY] = [Math.round(placement.a * ONE), Math.round(-placement.b * ONE)];
  const { u, v } = frame;
  const end = (row + 1) * frameWidth;
  let x = Math.round((placement.b * row + (placement.tx + bent(placement, row * 2)) / 2) * ONE);
  let y = Math.round((placement.a * row + placement.ty / 2) * ONE);
  for (let index = row * frameWidth; index < end; index++, x += stepX, y += stepY) {
    const one = clamped(y >> 16, lastY) * width + clamped(x >> 16, lastX);
    const [two, three, four] = [one + 1, one + width, one + width + 1];
    const [partX, partY] = [(x >> 8) & 255, (y >> 8) & 255];
    const coverage = between(
      between(chromaCoverage[one] as number, chromaCoverage[two] as number, partX),
      between(chromaCoverage[three] as number, chromaCoverage[four] as number, partX),
      partY,
    );
    if (coverage === 0) continue;
    const pair = between(
      between(chroma[one] as number, chroma[two] as number, partX),
      between(chroma[three] as number, chroma[four] as number, partX),
      partY,
    );
    const cover = (coverage * opacity) >> 8;
    u[index] = laid(u[index] as number, ((pair & 255) * opacity) >> 8, cover);
    v[index] = laid(v[index] as number, ((pair >>> 16) * opacity) >> 8, cover);
  }
}
