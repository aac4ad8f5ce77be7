import { isRecord } from '../../../lib/exact-json.ts';
import { asText, places, readCounts } from '../read/places.ts';
import type { TextUsage } from './events.ts';

/** Where a piece of text belongs: an item of the output, and a part of that item. */
export interface TextPosition {
  item: string;
  part: string;
}

/** Assembles text that arrives in pieces and in several parts, some of which are repeated as a whole. Each call returns the new text; all of it together is `text`. */
export class TextAssembler {
  #text = '';
  #last: TextPosition | undefined;
  readonly #parts = new Map<string, string>();
  readonly #partsAreParagraphs: boolean;

  /** A new item starts a new paragraph; with `partsAreParagraphs`, so does every new part. */
  constructor(partsAreParagraphs = false) {
    this.#partsAreParagraphs = partsAreParagraphs;
  }

  get text(): string {
    return this.#text;
  }

  add(spot: TextPosition, delta: string): string {
    if (delta === '') return '';
    const { item, part } = this.#last ?? spot;
    const isNew = item !== spot.item || (this.#partsAreParagraphs && part !== spot.part);
    const needsBreak = isNew && !/\s$/.test(this.#text);
    this.#last = spot;
    const key = keyOf(spot);
    this.#parts.set(key, (this.#parts.get(key) ?? '') + delta);
    const added = needsBreak ? `\n\n${delta}` : delta;
    this.#text += added;
    return added;
  }

  /** Adds the missing end of a complete part. Contradicting earlier text stays, because it has already been shown. */
  addWhole(spot: TextPosition, whole: string): string {
    const received = this.#parts.get(keyOf(spot));
    if (received !== undefined) return whole.startsWith(received) ? this.add(spot, whole.slice(received.length)) : '';
    // The part was repeated under another number than its pieces.
    return this.#text.endsWith(whole) ? '' : this.add(spot, whole);
  }

  /** The whole text, repeated by the last event; may be empty. */
  addFinal(whole: string): string {
    if (!whole.startsWith(this.#text)) return '';
    const added = whole.slice(this.#text.length);
    this.#text = whole;
    return added;
  }
}

const keyOf = ({ item, part }: TextPosition): string => `${item} ${part}`;

/** The parts of an item may be a single sentence that is split at its sources, but parts of the reasoning are separate thoughts. */
export const createTexts = () => ({
  text: new TextAssembler(),
  refusal: new TextAssembler(),
  reasoning: new TextAssembler(true),
});

export type TextKind = keyof ReturnType<typeof createTexts>;

interface TextPart {
  voice: TextKind;
  spot: TextPosition;
  text: string;
}

/** The text of an output item, part by part. */
export function textPartsIn(item: Record<string, unknown>, name: string): TextPart[] {
  if (item.type === 'reasoning') {
    return [...partsOf(item.summary), ...partsOf(item.content)].flatMap((part, at) =>
      typeof part.text === 'string'
        ? [{ voice: 'reasoning', spot: { item: name, part: String(at) }, text: part.text }]
        : [],
    );
  }
  if (item.type !== 'message' && item.role !== 'assistant') return [];
  if (typeof item.content === 'string') return [{ voice: 'text', spot: { item: name, part: '0' }, text: item.content }];
  return partsOf(item.content).flatMap((part, at): TextPart[] => {
    const spot = { item: name, part: String(at) };
    if (typeof part.text === 'string') return [{ voice: 'text', spot, text: part.text }];
    return typeof part.refusal === 'string' ? [{ voice: 'refusal', spot, text: part.refusal }] : [];
  });
}

/** The items of a whole response, or its `output_text` if there are none. */
export function outputItems(response: Record<string, unknown>): Record<string, unknown>[] {
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

/** Reads the fields of this endpoint, or those of chat completions. */
export const readUsage = (value: unknown): TextUsage | undefined => readCounts(value, at);

/** A short word from the gateway on one line, safe to show. */
export const shortWord = (value: unknown): string | undefined => asText(value)?.replace(/\s+/g, ' ').slice(0, 80);
