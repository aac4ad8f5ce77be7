import { isRecord } from '../../../lib/exact-json.ts';
import { firstAt, places } from '../read/places.ts';
import { asNumber } from '../read/values.ts';
import type { RealtimeUsage } from './events.ts';

/** The wild is not of one mind about the plural. */
const details = (side: 'input' | 'output', field: string) =>
  places(`${side}_token_details.${field}`, `${side}_tokens_details.${field}`);

const at = {
  input: places('input_tokens', 'prompt_tokens'),
  cached: details('input', 'cached_tokens'),
  output: places('output_tokens', 'completion_tokens'),
  audioInput: details('input', 'audio_tokens'),
  audioOutput: details('output', 'audio_tokens'),
} as const;

export function usageFrom(value: unknown): RealtimeUsage | undefined {
  if (!isRecord(value)) return undefined;
  const count = (name: keyof typeof at): number | undefined => firstAt(value, at[name], asCount);
  const usage = {
    input: count('input'),
    cached: count('cached'),
    output: count('output'),
    audioInput: count('audioInput'),
    audioOutput: count('audioOutput'),
  };
  return Object.values(usage).some((tokens) => tokens !== undefined) ? usage : undefined;
}

function asCount(value: unknown): number | undefined {
  const number = asNumber(value);
  return number !== undefined && number >= 0 ? Math.round(number) : undefined;
}
