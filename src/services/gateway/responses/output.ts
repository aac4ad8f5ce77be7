import { isRecord } from '../../../lib/exact-json.ts';
import { countsIn } from '../read/counts.ts';
import { places } from '../read/places.ts';
import { asText } from '../read/values.ts';
import { Growing, type Spot } from './growing.ts';
import type { TextUsage } from './response.ts';

/** A new paragraph begins where another item does; one item's parts may be a sentence cut at its sources. */
export const newText = (): Growing => new Growing((last, next) => last.item !== next.item);
export const newReasoning = (): Growing =>
  new Growing((last, next) => last.item !== next.item || last.part !== next.part);

export type Voice = 'text' | 'refusal' | 'reasoning';

interface Spoken {
  voice: Voice;
  spot: Spot;
  text: string;
}

/** What an item of an output says, part by part. */
export function spokenIn(item: Record<string, unknown>, name: string): Spoken[] {
  if (item.type === 'reasoning') {
    return [...partsOf(item.summary), ...partsOf(item.content)].flatMap((part, at) =>
      typeof part.text === 'string'
        ? [{ voice: 'reasoning', spot: { item: name, part: String(at) }, text: part.text }]
        : [],
    );
  }
  if (item.type !== 'message' && item.role !== 'assistant') return [];
  if (typeof item.content === 'string') return [{ voice: 'text', spot: { item: name, part: '0' }, text: item.content }];
  return partsOf(item.content).flatMap((part, at): Spoken[] => {
    const spot = { item: name, part: String(at) };
    if (typeof part.text === 'string') return [{ voice: 'text', spot, text: part.text }];
    return typeof part.refusal === 'string' ? [{ voice: 'refusal', spot, text: part.refusal }] : [];
  });
}

/** The items of a whole response; where only a convenience of some clients is on the wire, that. */
export function itemsOf(response: Record<string, unknown>): Record<string, unknown>[] {
  const items = partsOf(response.output);
  const text = response.output_text;
  return items.length === 0 && typeof text === 'string' ? [{ type: 'message', content: text }] : items;
}

function partsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

const at = {
  input: places('input_tokens', 'prompt_tokens'),
  cached: places('input_tokens_details.cached_tokens', 'prompt_tokens_details.cached_tokens'),
  output: places('output_tokens', 'completion_tokens'),
  reasoning: places('output_tokens_details.reasoning_tokens', 'completion_tokens_details.reasoning_tokens'),
  total: places('total_tokens'),
} as const;

/** In the words of this endpoint or of chats. */
export const usageFrom = (value: unknown): TextUsage | undefined => countsIn(value, at);

/** A word of the gateway that may be shown: short, one line. */
export const asWord = (value: unknown): string | undefined => asText(value)?.replace(/\s+/g, ' ').slice(0, 80);
