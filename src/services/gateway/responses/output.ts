import { keysOf } from '../../../lib/entries.ts';
import { isRecord } from '../../../lib/exact-json.ts';
import { asText, places, readCounts } from '../places.ts';
import type { TextUsage } from '../response-events.ts';

/** Where a piece of text belongs: an item of the output, and a part of that item. */
interface TextPosition {
  item: string;
  part: string;
}

/** Four times what the largest models write. The whole answer is kept in memory, stored with its task, and attached as a file. */
export const MAX_ANSWER_LENGTH = 2 * 2 ** 20;

/** Assembles text that arrives in pieces and in several parts, some of which are repeated as a whole. Each call returns the text it added; `text` is everything so far. */
class TextAssembler {
  #text = '';
  #lastPosition: TextPosition | undefined;
  readonly #parts = new Map<string, string>();
  /** Whether text was dropped, because there was too much. */
  isFull = false;
  readonly #partsAreParagraphs: boolean;

  /** A new item starts a new paragraph; with `partsAreParagraphs`, so does every new part. */
  constructor(partsAreParagraphs = false) {
    this.#partsAreParagraphs = partsAreParagraphs;
  }

  get text(): string {
    return this.#text;
  }

  add(position: TextPosition, allOfDelta: string): string {
    const delta = allOfDelta.slice(0, Math.max(0, MAX_ANSWER_LENGTH - this.#text.length)).toWellFormed();
    this.isFull ||= delta.length < allOfDelta.length;
    if (delta === '') return '';
    const { item, part } = this.#lastPosition ?? position;
    const isNew = item !== position.item || (this.#partsAreParagraphs && part !== position.part);
    const needsBreak = isNew && !/\s$/.test(this.#text);
    this.#lastPosition = position;
    const key = keyOf(position);
    this.#parts.set(key, (this.#parts.get(key) ?? '') + delta);
    const added = needsBreak ? `\n\n${delta}` : delta;
    this.#text += added;
    return added;
  }

  /** Adds the missing end of a complete part. Earlier text that contradicts it is kept, because it has already been shown. */
  addFullText(position: TextPosition, fullText: string): string {
    const received = this.#parts.get(keyOf(position));
    if (received !== undefined)
      return fullText.startsWith(received) ? this.add(position, fullText.slice(received.length)) : '';
    // The part was repeated under a different number from its pieces.
    return this.#text.endsWith(fullText) ? '' : this.add(position, fullText);
  }

  /** Adds what is missing from the full text that the last event repeats (which may be empty). */
  addFinal({ text, isFull }: TextAssembler): string {
    if (!text.startsWith(this.#text)) return '';
    const added = text.slice(this.#text.length);
    this.#text = text;
    this.isFull ||= isFull;
    return added;
  }
}

const keyOf = ({ item, part }: TextPosition): string => `${item} ${part}`;

/** The parts of an item may be a single sentence that is split at its citations, but parts of the reasoning are separate thoughts. */
const createTextAssemblers = () => ({
  reasoning: new TextAssembler(true),
  text: new TextAssembler(),
  refusal: new TextAssembler(),
});

type TextKind = keyof ReturnType<typeof createTextAssemblers>;
type TextDelta = { type: TextKind; delta: string };

/** Events with a piece of text, and the field in which their `.done` counterparts repeat all of it. Dialects use different names. */
const TEXT_EVENTS: ReadonlyMap<string, readonly [kind: TextKind, fullTextField: string]> = new Map([
  ['response.output_text', ['text', 'text']],
  ['response.text', ['text', 'text']],
  ['response.output_audio_transcript', ['text', 'transcript']],
  ['response.audio_transcript', ['text', 'transcript']],
  ['response.refusal', ['refusal', 'refusal']],
  ['response.reasoning_text', ['reasoning', 'text']],
  ['response.reasoning_summary_text', ['reasoning', 'text']],
  ['response.reasoning', ['reasoning', 'text']],
  ['response.reasoning_summary', ['reasoning', 'text']],
]);

/** The texts of one response, without repetitions. */
export class ResponseTexts {
  readonly #texts = createTextAssemblers();

  get text(): string {
    return this.#texts.text.text;
  }

  get refusal(): string {
    return this.#texts.refusal.text;
  }

  get reasoning(): string {
    return this.#texts.reasoning.text;
  }

  get isFull(): boolean {
    return Object.values(this.#texts).some(({ isFull }) => isFull);
  }

  /** Returns what an event adds. */
  read(type: string, body: Record<string, unknown>): TextDelta[] {
    const [, name = '', ending] = /^(.+)\.(delta|done)$/.exec(type) ?? [];
    const [kind, fullTextField = ''] = TEXT_EVENTS.get(name) ?? [];
    const part = asText(body.content_index) ?? asText(body.summary_index) ?? '0';
    const position = { item: asText(body.output_index) ?? asText(body.item_id) ?? '', part };
    if (kind && ending === 'delta')
      return this.#added(kind, typeof body.delta === 'string' ? this.#texts[kind].add(position, body.delta) : '');
    if (kind) return this.#addFullText(kind, position, body[fullTextField]);
    if (type === 'response.content_part.done' && isRecord(body.part))
      return this.#addFullText('text', position, body.part.text ?? body.part.transcript);
    if (type !== 'response.output_item.done' || !isRecord(body.item)) return [];
    const parts = textPartsIn(body.item, asText(body.output_index) ?? asText(body.item.id) ?? position.item);
    return parts.flatMap((one) => this.#addFullText(one.kind, one.position, one.text));
  }

  /** Returns what the content adds that the last event repeats. Items may be renumbered there, so the text is compared as a whole. */
  readFinal(items: readonly Record<string, unknown>[]): TextDelta[] {
    const fullTexts = createTextAssemblers();
    for (const [index, item] of items.entries())
      for (const { kind, position, text } of textPartsIn(item, String(index))) fullTexts[kind].add(position, text);
    return keysOf(fullTexts).flatMap((kind) => this.#added(kind, this.#texts[kind].addFinal(fullTexts[kind])));
  }

  #addFullText(kind: TextKind, position: TextPosition, text: unknown): TextDelta[] {
    return this.#added(kind, typeof text === 'string' ? this.#texts[kind].addFullText(position, text) : '');
  }

  #added(type: TextKind, delta: string): TextDelta[] {
    return delta === '' ? [] : [{ type, delta }];
  }
}

interface TextPart {
  kind: TextKind;
  position: TextPosition;
  text: string;
}

function textPartsIn(item: Record<string, unknown>, name: string): TextPart[] {
  if (item.type === 'reasoning') {
    return [...partsOf(item.summary), ...partsOf(item.content)].flatMap((part, index) =>
      typeof part.text === 'string'
        ? [{ kind: 'reasoning', position: { item: name, part: String(index) }, text: part.text }]
        : [],
    );
  }
  if (item.type !== 'message' && item.role !== 'assistant') return [];
  if (typeof item.content === 'string')
    return [{ kind: 'text', position: { item: name, part: '0' }, text: item.content }];
  return partsOf(item.content).flatMap((part, index): TextPart[] => {
    const position = { item: name, part: String(index) };
    // Audio has a transcript.
    const text = part.text ?? part.transcript;
    if (typeof text === 'string') return [{ kind: 'text', position, text }];
    return typeof part.refusal === 'string' ? [{ kind: 'refusal', position, text: part.refusal }] : [];
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

const usagePaths = {
  input: places('input_tokens', 'prompt_tokens'),
  cached: places('input_tokens_details.cached_tokens', 'prompt_tokens_details.cached_tokens'),
  output: places('output_tokens', 'completion_tokens'),
  reasoning: places('output_tokens_details.reasoning_tokens', 'completion_tokens_details.reasoning_tokens'),
  total: places('total_tokens'),
} as const;

/** Reads the fields of this endpoint, or those of chat completions. */
export const readUsage = (value: unknown): TextUsage | undefined => readCounts(value, usagePaths);

/** A short text from the gateway, on one line, safe to show. */
export const shortLine = (value: unknown): string | undefined => asText(value)?.replace(/\s+/g, ' ').slice(0, 80);
