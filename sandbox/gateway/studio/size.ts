import { clamp } from './random.ts';

export interface Size {
  width: number;
  height: number;
}

const MIN_ASPECT = 1 / 4;
const MAX_ASPECT = 4;
const MIN_SIDE = 16;
const ASPECT_FLAG =
  /(?:^|\s)(?:--|—)(?:ar|aspect)[\s=]+(\d{1,5}(?:\.\d{1,4})?)\s*[:x/]\s*(\d{1,5}(?:\.\d{1,4})?)(?![\w.])/gi;

/** The last flag takes precedence, as for all other flags in a prompt. */
export function aspectOf(prompt: string): number {
  const [, width = 0, height = 0] = [...prompt.matchAll(ASPECT_FLAG)].at(-1)?.map(Number) ?? [];
  return width > 0 && height > 0 ? clamp(width / height, MIN_ASPECT, MAX_ASPECT) : 1;
}

/** The sides are even, because H.264 encodes colour for blocks of two by two pixels. */
export function sizeOf(aspect: number, longSide: number): Size {
  const ratio = Number.isFinite(aspect) && aspect > 0 ? clamp(aspect, MIN_ASPECT, MAX_ASPECT) : 1;
  return ratio >= 1
    ? { width: roundToEven(longSide), height: roundToEven(longSide / ratio) }
    : { width: roundToEven(longSide * ratio), height: roundToEven(longSide) };
}

export function roundToEven(length: number): number {
  return Math.max(MIN_SIDE, Math.round((Number.isFinite(length) ? length : MIN_SIDE) / 2) * 2);
}
