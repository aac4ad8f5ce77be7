import { countsIn } from '../read/counts.ts';
import { places } from '../read/places.ts';
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

export const usageFrom = (value: unknown): RealtimeUsage | undefined => countsIn(value, at);
