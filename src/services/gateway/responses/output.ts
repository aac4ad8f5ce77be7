import { isRecord } from '../../../lib/exact-json.ts';
import { asText, places, readCounts } from '../places.ts';
import type { TextUsage, ToolCall } from '../response-events.ts';

/** Where a piece of text belongs: an item of the output, and a part of that item. */
export interface TextPosition {
  item: string;
  part: string;
}

/** Four times what the largest models write. The whole answer is kept in memory, stored with its task, and attached as a file. */
export const MAX_ANSWER_LENGTH = 2 * 2 ** 20;

/** Assembles text that arrives in pieces and in several parts, some of which are repeated as a whole. Each call returns the text it added; `text` is everything so far. */
export class TextAssembler {
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
export const createTextAssemblers = () => ({
  text: new TextAssembler(),
  refusal: new TextAssembler(),
  reasoning: new TextAssembler(true),
});

export type TextKind = keyof ReturnType<typeof createTextAssemblers>;

interface TextPart {
  kind: TextKind;
  position: TextPosition;
  text: string;
}

export function textPartsIn(item: Record<string, unknown>, name: string): TextPart[] {
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

interface Draft {
  call: ToolCall;
  isComplete: boolean;
}

/** The fields by which events identify a call. */
interface CallPosition {
  item_id?: unknown;
  output_index?: unknown;
}

/** The calls of one answer. Gateways report a call up to four times, and not every report is complete. */
export class Calls {
  readonly #drafts: Draft[] = [];
  readonly #byName = new Map<string, Draft>();

  get completed(): ToolCall[] {
    return this.#drafts.flatMap(({ isComplete, call }) => (isComplete ? [{ ...call }] : []));
  }

  get hasAny(): boolean {
    return this.#drafts.length > 0;
  }

  /** Reads an event; those about something else are ignored. */
  process(type: string, body: Record<string, unknown>): void {
    if (type === 'response.function_call_arguments.delta') this.#addArguments(body, body.delta);
    // The name may still be missing, and then arrives with the item.
    else if (type === 'response.function_call_arguments.done')
      this.complete({ name: body.name, call_id: body.call_id, arguments: body.arguments }, body);
    const { item } = body;
    if (!isRecord(item) || item.type !== 'function_call') return;
    if (type === 'response.output_item.added') this.#identify(item, body);
    else if (type === 'response.output_item.done') this.complete(item, body);
  }

  complete(item: Record<string, unknown>, position: CallPosition): void {
    finish(this.#identify(item, position), item.arguments);
  }

  /** The answer is complete, so all calls are complete, even if no event said so. */
  completeAll(): void {
    for (const draft of this.#drafts) finish(draft, undefined);
  }

  #addArguments(position: CallPosition, delta: unknown): void {
    if (typeof delta !== 'string') return;
    const draft = this.#find(namesOf({}, position));
    if (!draft.isComplete) draft.call.arguments += delta;
  }

  #identify(item: Record<string, unknown>, position: CallPosition): Draft {
    const draft = this.#find(namesOf(item, position));
    const { call } = draft;
    if (call.name !== '') return draft;
    call.callId = asText(item.call_id) ?? call.callId;
    call.name = asText(item.name) ?? '';
    return draft;
  }

  #find(names: readonly string[]): Draft {
    const existing = names.map((name) => this.#byName.get(name)).find((draft) => draft !== undefined);
    const callId = names[0]?.slice(1) ?? `call_${this.#drafts.length + 1}`;
    const draft = existing ?? { call: { callId, name: '', arguments: '' }, isComplete: false };
    if (!existing) this.#drafts.push(draft);
    for (const name of names) if (!this.#byName.has(name)) this.#byName.set(name, draft);
    return draft;
  }
}

function finish(draft: Draft, finalArguments: unknown): void {
  if (draft.isComplete) return;
  const fullArguments =
    typeof finalArguments === 'string' || finalArguments == null ? finalArguments : JSON.stringify(finalArguments);
  if (fullArguments) draft.call.arguments = fullArguments;
  draft.isComplete = draft.call.name !== '';
}

/** The call's own id comes first, because positions in a list may be renumbered in the last event. */
function namesOf(item: Record<string, unknown>, { item_id, output_index }: CallPosition): string[] {
  const tagged = (mark: string, value: unknown): string[] => {
    const text = asText(value);
    return text === undefined ? [] : [mark + text];
  };
  return [...tagged('c', item.call_id), ...tagged('i', item.id ?? item_id), ...tagged('n', output_index)];
}
