import type { Body } from '../wire/view.ts';
import { type Item, speechMs } from './item.ts';

export interface Tokens {
  readonly text: number;
  readonly audio: number;
}

/** As a rule of thumb, a token is four characters, 0.1 s of audio input or 0.05 s of audio output. */
const CHARACTERS_PER_TOKEN = 4;
const INPUT_MS_PER_TOKEN = 100;
const OUTPUT_MS_PER_TOKEN = 50;

export const NO_TOKENS: Tokens = { text: 0, audio: 0 };
export const sumOf = ({ text, audio }: Tokens): number => text + audio;
export const addTokens = (one: Tokens, other: Tokens): Tokens => ({
  text: one.text + other.text,
  audio: one.audio + other.audio,
});

export const tokensIn = (text: string): Tokens => ({ text: Math.ceil(text.length / CHARACTERS_PER_TOKEN), audio: 0 });

export function tokensOf(item: Item): Tokens {
  if (item.type === 'function_call') return tokensIn(item.name + item.argumentsJson);
  if (item.type === 'function_call_output') return tokensIn(item.output);
  return item.parts
    .map((part): Tokens => {
      if (part.type === 'sound') return { text: 0, audio: Math.ceil(part.ms / INPUT_MS_PER_TOKEN) };
      if (part.type === 'speech')
        return { text: tokensIn(part.text).text, audio: Math.ceil(speechMs(part.text) / OUTPUT_MS_PER_TOKEN) };
      return part.type === 'text' ? tokensIn(part.text) : NO_TOKENS;
    })
    .reduce(addTokens, NO_TOKENS);
}

/** `previousInput` is the input of the previous response, which counts as cached. */
export function usageBody(input: Tokens, previousInput: Tokens, output: Tokens): Body {
  const cached = { text: Math.min(previousInput.text, input.text), audio: Math.min(previousInput.audio, input.audio) };
  return {
    total_tokens: sumOf(input) + sumOf(output),
    input_tokens: sumOf(input),
    output_tokens: sumOf(output),
    input_token_details: {
      text_tokens: input.text,
      audio_tokens: input.audio,
      image_tokens: 0,
      cached_tokens: sumOf(cached),
      cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: 0 },
    },
    output_token_details: { text_tokens: output.text, audio_tokens: output.audio },
  };
}
