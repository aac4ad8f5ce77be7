import { z } from 'zod';
import { isRecord, parsePlainJson } from '../../lib/exact-json.ts';
import { Refusal } from '../../lib/refusal.ts';

export const fields = z.record(z.string(), z.json());
export type Fields = z.output<typeof fields>;

const MAX_SHOWN_LENGTH = 60;

/** The size of the video, in the field that matches the format in which it was entered (specification, 4.4). */
export function readSize(input = '') {
  const text = input.trim();
  if (text === '') return {};
  // Some keyboards type × instead of x.
  const [, width, height] = /^([1-9]\d{1,4})\s*[x×*]\s*([1-9]\d{1,4})$/i.exec(text) ?? [];
  if (width && height) return { size: `${width}x${height}` };
  const [, ratioWidth, ratioHeight] = /^([1-9]\d{0,2}(?:\.\d+)?)\s*:\s*([1-9]\d{0,2}(?:\.\d+)?)$/.exec(text) ?? [];
  if (ratioWidth && ratioHeight) return { aspectRatio: `${ratioWidth}:${ratioHeight}` };
  if (/^[1-9]\d{2,3}p$/i.test(text)) return { resolution: text.toLowerCase() };
  throw new Refusal('refusals.sizeInvalid', { size: text.slice(0, MAX_SHOWN_LENGTH) });
}

/** Seconds, sent as typed: a plain whole number as a number, everything else as text. */
export function readDuration(input = ''): number | string | undefined {
  const text = input.trim();
  if (text === '') return undefined;
  const seconds = Number(text);
  if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text) || seconds <= 0)
    throw new Refusal('refusals.durationInvalid', { text: text.slice(0, MAX_SHOWN_LENGTH) });
  return Number.isInteger(seconds) && String(seconds) === text ? seconds : text;
}

/** A camera movement in the model's own terms: plain text, or a typed JSON object for models that need more. */
export function readCamera(input = ''): string | Fields | undefined {
  const text = input.trim();
  if (!text.startsWith('{')) return text === '' ? undefined : text;
  try {
    return parseObject(text);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal('refusals.cameraInvalid') : error;
  }
}

/** Prefix of the keys that go to the top level (specification, 4.4, rule 1). */
const TOP_LEVEL_PREFIX = '!';

/** No model has parameters that are nested deeper. */
const MAX_DEPTH = 6;

/** Fields that belong to an option. They are refused in `extra`, because it would be unclear which value counts. */
const RESERVED_EVERYWHERE = { model: 'model', model_name: 'model', prompt: 'prompt', image: 'image', images: 'image' };
const RESERVED_IN_METADATA = {
  ...RESERVED_EVERYWHERE,
  negative_prompt: 'negative',
  seed: 'seed',
  camera_control: 'camera',
};
const RESERVED_AT_TOP_LEVEL = {
  ...RESERVED_EVERYWHERE,
  size: 'size',
  aspect_ratio: 'size',
  resolution: 'size',
  duration: 'duration',
  mode: 'mode',
  input_reference: 'image',
  metadata: 'extra',
};

/** A model's further parameters, from the option `extra`. `reservedFields` are further fields that belong to options. */
export function readExtra(input = '', reservedFields: Readonly<Record<string, string>> = {}) {
  const extra: Record<'metadata' | 'topLevel', Fields> = { metadata: {}, topLevel: {} };
  if (input.trim() === '') return extra;
  for (const [key, value] of Object.entries(parseObject(input))) {
    const isTopLevel = key.startsWith(TOP_LEVEL_PREFIX);
    refuseReservedField(key, isTopLevel ? { ...RESERVED_AT_TOP_LEVEL, ...reservedFields } : RESERVED_IN_METADATA);
    const name = isTopLevel ? key.slice(TOP_LEVEL_PREFIX.length) : key;
    if (name.trim() === '') throw new Refusal('refusals.extraKeyInvalid', { key });
    extra[isTopLevel ? 'topLevel' : 'metadata'][name] = value;
  }
  return extra;
}

export function refuseReservedField(key: string, options: Readonly<Record<string, string>>): void {
  const name = key.startsWith(TOP_LEVEL_PREFIX) ? key.slice(TOP_LEVEL_PREFIX.length) : key;
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option !== undefined) throw new Refusal('refusals.extraHasOption', { key, option });
}

/** Reads a typed JSON object whose values can be sent unchanged. */
function parseObject(input: string): Fields {
  const value = parsePlainJson(input);
  if (value === undefined) throw new Refusal('refusals.extraInvalid');
  if (!isRecord(value)) throw new Refusal('refusals.extraNotAnObject');
  checkValue(value, 1);
  return fields.parse(value);
}

/** Names that have a special meaning in JavaScript. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

function checkValue(value: unknown, depth: number): void {
  if (typeof value === 'number' && !(Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    throw new Refusal('refusals.extraNumberTooLarge');
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw new Refusal('refusals.extraTooDeep', { max: String(MAX_DEPTH) });
  for (const [key, inner] of Object.entries(value)) {
    if (FORBIDDEN_NAMES.has(key.replace(TOP_LEVEL_PREFIX, ''))) throw new Refusal('refusals.extraKeyInvalid', { key });
    checkValue(inner, depth + 1);
  }
}
