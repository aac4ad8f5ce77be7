import { withoutUndefined } from '../../lib/entries.ts';
import { isRecord } from '../../lib/exact-json.ts';
import type { Tokens } from '../tasks/answer.ts';
import type { CommonRequest } from '../tasks/kind-spec.ts';

/** The text options that affect the price. */
export const measureNames = ['size', 'resolution', 'quality', 'mode', 'sound'] as const;

/** The properties of a request that affect its price. */
export interface Measures extends Partial<Record<(typeof measureNames)[number], string>> {
  /** The number of images, or of repetitions. */
  count: number;
  /** A decimal as text. */
  seconds?: string;
}

const COUNT_FIELDS = ['n', 'count', 'num_images', 'batch_size'];
const SOUND_FIELDS = ['sound', 'audio', 'with_audio', 'generate_audio', 'enable_audio'];
const MAX_COUNT = 100;
const MAX_VALUE_LENGTH = 40;

/** Reads the properties from the request's own fields, from fields that the member added, and from flags in the prompt. */
export function measuresOf(request: CommonRequest): Measures {
  const requestFields: Record<string, unknown> = { ...request };
  const addedFields = { ...recordIn(requestFields.metadata), ...recordIn(requestFields.extra) };
  // Only the prompts of jobs without a model contain flags.
  const flags = request.model === undefined ? flagsIn(request.prompt ?? '') : {};
  const allFields: Record<string, unknown> = { ...addedFields, ...flags, ...requestFields };
  const seconds = textIn(allFields.duration ?? allFields.seconds);
  const measures: Measures = { count: countIn(COUNT_FIELDS.map((name) => allFields[name])) };
  if (seconds !== undefined && /^\d{1,6}(\.\d{1,6})?$/.test(seconds)) measures.seconds = seconds;
  for (const name of measureNames) {
    const text = name === 'sound' ? soundIn(addedFields) : textIn(allFields[name]);
    if (text !== undefined) measures[name] = text;
  }
  return measures;
}

const recordIn = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

function textIn(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim().toLowerCase();
  return text === '' || text.length > MAX_VALUE_LENGTH ? undefined : text;
}

function countIn(values: readonly unknown[]): number {
  const count = Number(values.find((value) => value !== undefined) ?? 1);
  return Number.isInteger(count) && count >= 1 && count <= MAX_COUNT ? count : 1;
}

function soundIn(addedFields: Readonly<Record<string, unknown>>): 'on' | 'off' | undefined {
  const value = SOUND_FIELDS.map((name) => addedFields[name]).find((one) => one !== undefined);
  if (value === undefined) return undefined;
  return value === false || /^(false|off|no|none|0)$/i.test(String(value)) ? 'off' : 'on';
}

const SPEEDS = ['turbo', 'fast', 'relax', 'draft'];

function flagsIn(prompt: string): { quality?: string; mode?: string; n?: string } {
  const words = prompt.toLowerCase().split(/\s+/);
  const valueAfter = (...names: string[]): string | undefined => {
    const index = words.findLastIndex((word) => names.includes(word));
    return index < 0 ? undefined : words[index + 1];
  };
  const mode = SPEEDS.find((speed) => words.includes(`--${speed}`));
  return withoutUndefined({
    quality: valueAfter('--quality', '--q'),
    n: valueAfter('--repeat', '--r'),
    mode,
  });
}

/** Few answers are longer; a model that reasons for long may exceed this. */
const OUTPUT_TOKENS = 4_000;
/** Reserved for descriptions of tools and the envelope of a request. */
const ENVELOPE_TOKENS = 1_000;
/** Reserved for the conversation so far; its oldest turns are left out. */
const CONTEXT_TOKENS = 20_000;
const IMAGE_TOKENS = 2_000;
const DOCUMENT_TOKENS = 20_000;
/** Five minutes of a member's audio and one minute of a reply, at the usual ten and twenty tokens per second. */
const AUDIO_INPUT_TOKENS = 3_000;
const AUDIO_OUTPUT_TOKENS = 1_200;

/** The number of tokens that an answer rarely exceeds. A token has at least one byte. */
export function maxTokens(request: CommonRequest, isUtterance: boolean): Tokens {
  const { prompt = '', instructions = '', documents = [], sound } = request;
  const images = request.pictures?.length ?? 0;
  const hasContext = isUtterance || ('after' in request && request.after !== undefined);
  const textTokens = [
    ENVELOPE_TOKENS + Buffer.byteLength(prompt) + Buffer.byteLength(instructions),
    hasContext ? CONTEXT_TOKENS : 0,
    IMAGE_TOKENS * images + DOCUMENT_TOKENS * documents.length,
  ].reduce((sum, count) => sum + count);
  const audioInput = sound === undefined ? 0 : AUDIO_INPUT_TOKENS;
  const audioOutput = isUtterance ? AUDIO_OUTPUT_TOKENS : 0;
  return { input: textTokens + audioInput, output: OUTPUT_TOKENS + audioOutput, audioInput, audioOutput };
}
