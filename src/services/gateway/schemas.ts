import { z } from 'zod';
import { GatewayError, ownReason } from './errors.ts';

export const nonEmptyText = (message: string) => z.string(message).refine((text) => text.trim() !== '', message);

export const promptText = nonEmptyText('the prompt is empty: write what you want to see');

export const modelId = nonEmptyText('the model is missing: name one from the list of models');

export const taskId = nonEmptyText('the task id is missing');

/** The index of an image in a grid of four (specification, part 8). */
const INDEX_RANGE = 'the index goes from 1 to 4';
export const gridIndex = z.number(INDEX_RANGE).int(INDEX_RANGE).min(1, INDEX_RANGE).max(4, INDEX_RANGE);

const IMAGE_URI = /^data:image\/[\w.+-]+(?:;[\w.+-]+=[\w.+-]+)*;base64,/i;
const MEDIA_URI = /^data:(?:image|video)\/[\w.+-]+(?:;[\w.+-]+=[\w.+-]+)*;base64,/i;

export const imageDataUri = z
  .string()
  .refine((text) => isDataUri(text, IMAGE_URI), 'this is not an image as a data URI (data:image/png;base64,…)');

export const webAddress = z
  .string()
  .refine(isWebAddress, 'this is not a web address: it should begin with https:// or http://');

/** A public URL or a data URI; some models accept videos where others accept images (4.4). */
export const imageSource = z
  .string()
  .refine(
    (text) => isWebAddress(text) || isDataUri(text, MEDIA_URI),
    'this is neither a web address nor an image as a data URI (data:image/png;base64,…)',
  );

export const day = z.iso.date('this is not a date: write it as YYYY-MM-DD, for example 2026-01-31');

export const frameSize = z
  .string()
  .regex(/^[1-9]\d{0,4}x[1-9]\d{0,4}$/, 'this is not a size: write <width>x<height>, for example 1280x720');

/** Seconds. The specification (4.4) accepts an integer or a numeric string; the input is sent unchanged. */
export const seconds = z.custom<number | string>((value) => {
  const isNumeric = typeof value === 'string' ? /^\d+(?:\.\d+)?$/.test(value) : Number.isInteger(value);
  return isNumeric && Number(value) > 0 && Number.isFinite(Number(value));
}, 'this is not a duration: write whole seconds, for example 5');

function isDataUri(text: string, pattern: RegExp): boolean {
  const head = pattern.exec(text.slice(0, 200));
  if (!head) return false;
  const payload = text.slice(head[0].length);
  // Base64 that does not consist of complete groups of four characters is truncated or damaged (RFC 4648, 4).
  return payload.length > 0 && payload.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(payload);
}

function isWebAddress(text: string): boolean {
  // The URL parser tolerates spaces and missing slashes, but the server that fetches the URL may not.
  const url = /^https?:\/\/\S+$/i.test(text) ? URL.parse(text) : undefined;
  return (url?.protocol === 'https:' || url?.protocol === 'http:') && url.username === '' && url.password === '';
}

export function validate<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = bestIssue(result.error.issues[0]);
  const path = issue?.path.map(String).join('.') ?? '';
  const message = issue?.message ?? 'this is invalid';
  const details = { kind: 'invalid', reason: ownReason('badInput'), code: 'bad_input' } as const;
  throw new GatewayError(path === '' ? message : `${path}: ${message}`, details);
}

/** For a union, the problem of the most likely branch, if that is more helpful than "none of them". */
function bestIssue(issue: z.core.$ZodIssue | undefined): { path: PropertyKey[]; message: string } | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const [best] = issue.errors
    .map((branch) => ({ issueCount: branch.length, inner: bestIssue(branch[0]) }))
    .filter(({ inner }) => (inner?.path.length ?? 0) > 0)
    .toSorted((one, other) => one.issueCount - other.issueCount);
  return best?.inner ? { path: [...issue.path, ...best.inner.path], message: best.inner.message } : issue;
}
