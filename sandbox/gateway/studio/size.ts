import { clamped } from './random.ts';

export interface Size {
  width: number;
  height: number;
}

const MIN_ASPECT = 1 / 4;
const MAX_ASPECT = 4;
const MIN_SIDE = 16;
const ASPECT =
  /(?:^|\s)(?:--|—)(?:ar|aspect)[\s=]+(\d{1,5}(?:\.\d{1,4})?)\s*[:x/]\s*(\d{1,5}(?:\.\d{1,4})?)(?![\w.])/gi;

/** The last flag takes precedence, as for all other flags in a prompt. */
export function aspectOf(prompt: string): number {
  const [, width = 0, height = 0] = [...prompt.matchAll(ASPECT)].at(-1)?.map(Number) ?? [];
  return width > 0 && height > 0 ? clamped(width / height, MIN_ASPECT, MAX_ASPECT) : 1;
}

/** The sides are even, because H.264 encodes colour for blocks of two by two pixels. */
export function sizeOf(aspect: number, longSide: number): Size {
  const ratio = Number.isFinite(aspect) && aspect > 0 ? clamped(aspect, MIN_ASPECT, MAX_ASPECT) : 1;
  return ratio >= 1
    ? { width: even(longSide), height: even(longSide / ratio) }
    : { width: even(longSide * ratio), height: even(longSide) };
}

export function even(length: number): number {
  return Math.max(MIN_SIDE, Math.round((Number.isFinite(length) ? length : MIN_SIDE) / 2) * 2);
}
