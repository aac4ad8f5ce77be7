import { Refusal } from '../../lib/refusal.ts';
import { objectIn } from './extra.ts';

/** How large the film should be, under the name by which what was typed is sent (specification, 4.4). */
export interface SizeWish {
  size?: string;
  aspectRatio?: string;
  resolution?: string;
}

export function sizeWish(typed = ''): SizeWish {
  const text = typed.trim();
  if (text === '') return {};
  // Discord's own keyboards write × for x.
  const [, width, height] = /^([1-9]\d{1,4})\s*[x×*]\s*([1-9]\d{1,4})$/i.exec(text) ?? [];
  if (width && height) return { size: `${width}x${height}` };
  const [, across, down] = /^([1-9]\d{0,2}(?:\.\d+)?)\s*:\s*([1-9]\d{0,2}(?:\.\d+)?)$/.exec(text) ?? [];
  if (across && down) return { aspectRatio: `${across}:${down}` };
  if (/^[1-9]\d{2,3}p$/i.test(text)) return { resolution: text.toLowerCase() };
  throw new Refusal('refusals.sizeUnusable', { size: text.slice(0, LONGEST_SHOWN) });
}

/** Seconds, sent as given: a whole number in its plain form as a number, everything else in the letters that were typed. */
export function durationWish(typed = ''): number | string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const seconds = Number(text);
  if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text) || seconds <= 0)
    throw new Refusal('refusals.durationUnusable', { duration: text.slice(0, LONGEST_SHOWN) });
  return Number.isInteger(seconds) && String(seconds) === text ? seconds : text;
}

/** In the model's own words; a model that wants more than words gets the object that was typed. */
export function cameraWish(typed = ''): string | Record<string, unknown> | undefined {
  const text = typed.trim();
  if (!text.startsWith('{')) return text === '' ? undefined : text;
  try {
    return objectIn(text);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal('refusals.cameraUnusable') : error;
  }
}

const LONGEST_SHOWN = 60;
