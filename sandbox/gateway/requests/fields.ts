import { z } from 'zod';
import type { Source } from '../job-details.ts';

/** Text that is not blank, because a blank prompt counts as missing. */
export const nonEmptyText = z.string().refine((text) => text.trim() !== '', 'must not be empty');

const numericText = z.string().regex(/^\d{1,6}(\.\d{1,6})?$/, 'must be a number');
const numericField = z.union([z.number(), numericText]).transform(Number);

const isDuration = (value: number) => value >= 1 && value <= 60;
const DURATION_MESSAGE = 'must be from 1 to 60 seconds';
export const seconds = numericField.refine(isDuration, DURATION_MESSAGE);
/** Accepts integers and numeric strings (specification, 4.4). */
export const integerOrTextSeconds = z
  .union([z.int('must be a whole number or text'), numericText])
  .transform(Number)
  .refine(isDuration, DURATION_MESSAGE);

export const gridIndex = numericField.refine((value) => [1, 2, 3, 4].includes(value), 'must be from 1 to 4');

export const seed = numericField.refine(
  (value) => Number.isSafeInteger(value) && value >= 0,
  'must be a whole number of at least 0',
);

const MAX_SIDE = 8_192;
export const pixelSize = z
  .string()
  .regex(/^\d{2,5}[xX*]\d{2,5}$/, 'must have the form <width>x<height>')
  .transform((text) => {
    const [width = 0, height = 0] = text.split(/[xX*]/).map(Number);
    return { width, height };
  })
  .refine(({ width, height }) => width >= 16 && height >= 16 && width <= MAX_SIDE && height <= MAX_SIDE, {
    message: `must have sides from 16 to ${MAX_SIDE}`,
  });

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?((?:;[\w.+-]+=[\w.+-]+)*);base64,/;

/** A data URI, a URL, or plain base64 (specification, 4.3 and 4.4). */
export const source = z.string().transform((text, context): Source => {
  if (/^https?:\/\//i.test(text)) {
    if (URL.canParse(text)) return { from: 'address', url: text };
    context.addIssue('is not a URL');
    return z.NEVER;
  }
  const head = text.startsWith('data:') ? DATA_URI.exec(text) : undefined;
  if (head === null) {
    context.addIssue('is not a base64 data URI');
    return z.NEVER;
  }
  const bytes = decodeBase64(head ? text.slice(head[0].length) : text);
  if (bytes) return { from: 'request', bytes, mime: head?.[1] };
  context.addIssue(head ? 'is malformed base64' : 'is neither a URL nor well-formed base64');
  return z.NEVER;
});

function decodeBase64(text: string): Buffer | undefined {
  if (text.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const unpaddedLength = text.replace(/={1,2}$/, '').length;
  if (unpaddedLength % 4 === 1 || (text.endsWith('=') && text.length % 4 !== 0)) return undefined;
  return Buffer.from(text, 'base64');
}

/** Accepts a single value as a list with one item. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(item));

export const booleanField = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
