export interface Size {
  width: number;
  height: number;
}

const NARROWEST = 1 / 4;
const WIDEST = 4;
const SMALLEST_SIDE = 16;

/** The last one written wins, as it does for every other flag of a prompt. */
export function aspectOf(prompt: string): number {
  const written = [
    ...prompt.matchAll(
      /(?:^|\s)(?:--|—)(?:ar|aspect)[\s=]+(\d{1,5}(?:\.\d{1,4})?)\s*[:x/]\s*(\d{1,5}(?:\.\d{1,4})?)(?![\w.])/gi,
    ),
  ];
  const last = written.at(-1);
  const width = Number(last?.[1]);
  const height = Number(last?.[2]);
  if (!(width > 0 && height > 0)) return 1;
  return Math.min(WIDEST, Math.max(NARROWEST, width / height));
}

/** Even sides, because H.264 codes colour for squares of two by two pixels. */
export function sizeOf(aspect: number, longSide: number): Size {
  const ratio = Number.isFinite(aspect) && aspect > 0 ? Math.min(WIDEST, Math.max(NARROWEST, aspect)) : 1;
  return ratio >= 1
    ? { width: even(longSide), height: even(longSide / ratio) }
    : { width: even(longSide * ratio), height: even(longSide) };
}

export function even(length: number): number {
  return Math.max(SMALLEST_SIDE, Math.round((Number.isFinite(length) ? length : SMALLEST_SIDE) / 2) * 2);
}
