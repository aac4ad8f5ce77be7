import { largestOf } from '../../lib/decimals.ts';
import { isRecord } from '../../lib/exact-json.ts';
import type { Tokens } from '../tasks/answer.ts';
import type { CommonRequest } from '../tasks/kind-spec.ts';

export const measureNames = ['size', 'resolution', 'quality', 'mode', 'sound'] as const;

/**
 * The properties of a request that affect its price. A member may set one in several places, and the gateway decides which applies, so the estimate
 * takes the most expensive.
 */
export interface Measures extends Partial<Record<(typeof measureNames)[number], readonly string[]>> {
  /** The number of images, or of repetitions. */
  count: number;
  /** A decimal as text. */
  seconds?: string;
}

const COUNT_FIELDS = ['n', 'count', 'num_images', 'batch_size'];
const LENGTH_FIELDS = ['duration', 'seconds'];
const SOUND_FIELDS = ['sound', 'audio', 'with_audio', 'generate_audio', 'enable_audio'];
/** More than any gateway generates for one request. */
export const MAX_COUNT = 100;
const MAX_VALUE_LENGTH = 40;

/** Reads the properties from the request's own fields, from fields that the member added, and from flags in the prompt. */
export function measuresOf(request: CommonRequest): Measures {
  // Only the prompts of jobs without a model contain flags.
  const flags = request.model === undefined ? flagsIn(request.prompt ?? '') : {};
  const valuesOf = (names: readonly string[]): Value[] => valuesIn({ ...request, flags }, names);
  const textsOf = (name: string): string[] => valuesOf([name]).flatMap(textIn);
  const counts = valuesOf(COUNT_FIELDS)
    .map(Number)
    .filter((count) => count >= 1);
  const lengths = valuesOf(LENGTH_FIELDS)
    .flatMap(textIn)
    .filter((text) => /^\d{1,6}(\.\d{1,6})?$/.test(text));
  const measures: Measures = { count: Math.ceil(Math.max(1, ...counts)) };
  const seconds = largestOf(lengths);
  if (seconds !== undefined) measures.seconds = seconds;
  for (const name of measureNames) {
    const texts = new Set(name === 'sound' ? valuesOf(SOUND_FIELDS).map(soundOf) : textsOf(name));
    if (texts.size > 0) measures[name] = [...texts];
  }
  return measures;
}

type Value = string | number | boolean;

/** The values of all fields with these names, at any depth. */
function valuesIn(value: unknown, names: readonly string[], isNamed = false): Value[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesIn(one, names, isNamed));
  if (isRecord(value)) return Object.entries(value).flatMap(([key, one]) => valuesIn(one, names, names.includes(key)));
  const isValue = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isNamed && isValue ? [value] : [];
}

function textIn(value: Value): string[] {
  const text = String(value).trim().toLowerCase();
  return typeof value === 'boolean' || text === '' || text.length > MAX_VALUE_LENGTH ? [] : [text];
}

const soundOf = (value: Value): 'on' | 'off' => (/^(false|off|no|none|0)$/i.test(String(value)) ? 'off' : 'on');

const SPEEDS = ['turbo', 'fast', 'relax', 'draft'];

function flagsIn(prompt: string): { quality: string[]; mode: string[]; n: string[] } {
  // Phones replace two hyphens with a dash.
  const words = prompt
    .toLowerCase()
    .replace(/[–—]/g, '--')
    .split(/[\s=:]+/);
  const valuesAfter = (...names: string[]): string[] =>
    words.filter((_, index) => names.includes(words[index - 1] ?? ''));
  return {
    quality: valuesAfter('--quality', '--q'),
    n: valuesAfter('--repeat', '--r'),
    mode: SPEEDS.filter((speed) => words.includes(`--${speed}`)),
  };
}

/** Few answers are longer; a model that reasons for long may exceed this. */
const OUTPUT_TOKENS = 4_000;
/** Reserved for descriptions of tools and the envelope of a request. */
const ENVELOPE_TOKENS = 1_000;
/** Reserved for the conversation so far; its oldest turns are left out. */
const CONTEXT_TOKENS = 20_000;
const IMAGE_TOKENS = 2_000;
const DOCUMENT_TOKENS = 20_000;
/** Five minutes of a member's audio, at the usual ten tokens per second. */
const AUDIO_INPUT_TOKENS = 3_000;

/** The number of tokens that an answer rarely exceeds. A token has at least one byte. */
export function maxTokens(request: CommonRequest): Tokens {
  const { prompt = '', instructions = '', documents = [], sound } = request;
  const images = request.pictures?.length ?? 0;
  const hasContext = 'after' in request && request.after !== undefined;
  const textTokens = [
    ENVELOPE_TOKENS + Buffer.byteLength(prompt) + Buffer.byteLength(instructions),
    hasContext ? CONTEXT_TOKENS : 0,
    IMAGE_TOKENS * images + DOCUMENT_TOKENS * documents.length,
  ].reduce((sum, count) => sum + count);
  const audioInput = sound === undefined ? 0 : AUDIO_INPUT_TOKENS;
  return { input: textTokens + audioInput, output: OUTPUT_TOKENS, audioInput, audioOutput: 0 };
}

/** The instructions and a short conversation so far. */
const TURN_CONTEXT_TOKENS = 300;
/** Fifteen seconds of speech each way, at the usual ten and twenty tokens per second, and the transcript of the reply. */
const TURN_AUDIO_INPUT_TOKENS = 150;
const TURN_AUDIO_OUTPUT_TOKENS = 300;
const TURN_TRANSCRIPT_TOKENS = 75;

export function turnTokens({ prompt = '', sound }: CommonRequest): Tokens {
  const audioInput = sound === undefined ? 0 : TURN_AUDIO_INPUT_TOKENS;
  return {
    input: TURN_CONTEXT_TOKENS + Buffer.byteLength(prompt) + audioInput,
    output: TURN_TRANSCRIPT_TOKENS + TURN_AUDIO_OUTPUT_TOKENS,
    audioInput,
    audioOutput: TURN_AUDIO_OUTPUT_TOKENS,
  };
}
