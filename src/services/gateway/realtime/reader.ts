import { isRecord } from '../../../lib/exact-json.ts';
import { statusOfError, toMidStreamError } from '../error-responses.ts';
import type { GatewayError } from '../errors.ts';
import { asNumber, asText, places, readCounts } from '../places.ts';
import { readCost } from '../read/cost.ts';
import type { RealtimeEnd, RealtimeEvent, RealtimeResponse, RealtimeUsage } from '../realtime-events.ts';
import { outputItems, shortLine, TextAssembler, type TextPosition, textPartsIn } from '../responses/output.ts';
import { type RealtimeFrame, SampleReader } from './wire.ts';

/** Events with text; their `.done` counterparts repeat all of it. The two dialects use different names. */
const TEXT_EVENTS = new Map([
  ['response.output_text', 'text'],
  ['response.text', 'text'],
  ['response.output_audio_transcript', 'transcript'],
  ['response.audio_transcript', 'transcript'],
]);
const AUDIO_EVENTS = new Set(['response.output_audio.delta', 'response.audio.delta']);

const ENDS = new Map<unknown, RealtimeEnd>([
  ['completed', 'completed'],
  ['cancelled', 'cancelled'],
  ['incomplete', 'incomplete'],
  ['failed', 'failed'],
]);

/** How much audio of an answer has arrived. */
interface AudioProgress {
  itemId: string;
  contentIndex: number;
  samples: number;
}

type JsonRecord = Record<string, unknown>;

/** Translates the gateway's events for one answer, without repetitions. The end comes only once and contains everything. */
export class ResponseReader {
  readonly #id: string;
  readonly #parseError: (body: unknown, status: number) => GatewayError;
  readonly #text = new TextAssembler();
  readonly #samples = new Map<string, SampleReader>();
  readonly #seenEventIds = new Set<string>();
  #audioProgress: AudioProgress | undefined;
  #usage: RealtimeUsage | undefined;
  #cost: string | undefined;
  #isFrozen = false;

  constructor(id: string, parseError: (body: unknown, status: number) => GatewayError) {
    this.#id = id;
    this.#parseError = parseError;
  }

  /** The progress of the part that was spoken last. */
  get audioProgress(): AudioProgress | undefined {
    return this.#audioProgress;
  }

  /** From now on, ignores everything except how the answer ends and its usage. */
  freeze(): void {
    this.#isFrozen = true;
  }

  processFrame({ type, body }: RealtimeFrame): RealtimeEvent[] {
    const eventId = asText(body.event_id);
    if (eventId !== undefined && this.#seenEventIds.has(eventId)) return [];
    if (eventId !== undefined) this.#seenEventIds.add(eventId);
    if (type === 'response.done') return this.#finish(isRecord(body.response) ? body.response : {});
    return this.#isFrozen ? [] : this.#readEvent(type, body);
  }

  buildEnd(
    end: RealtimeEnd,
    cause: { reason?: string | undefined; error?: GatewayError | undefined } = {},
  ): RealtimeResponse {
    const { reason, error } = cause;
    const content = { text: this.#text.text, usage: this.#usage, cost: this.#cost };
    return { id: this.#id, end, ...content, reason, error };
  }

  #readEvent(type: string, body: JsonRecord): RealtimeEvent[] {
    if (AUDIO_EVENTS.has(type)) return this.#readAudio(body);
    const [, name = '', ending] = /^(.+)\.(delta|done)$/.exec(type) ?? [];
    const fullTextField = TEXT_EVENTS.get(name);
    if (fullTextField)
      return this.#readText(positionOf(body), ending === 'done' ? body[fullTextField] : body.delta, ending === 'done');
    if (type === 'response.content_part.done') return this.#readText(positionOf(body), textOf(body.part), true);
    return type === 'response.output_item.done' && isRecord(body.item) ? this.#readItem(body.item, body) : [];
  }

  #readItem(item: JsonRecord, eventBody: JsonRecord): RealtimeEvent[] {
    const name = asText(item.id) ?? asText(eventBody.item_id) ?? '';
    return textPartsIn(item, name).flatMap(({ kind, position, text }) =>
      kind === 'text' ? this.#readText(position, text, true) : [],
    );
  }

  #readText(position: TextPosition, text: unknown, isFullText: boolean): RealtimeEvent[] {
    if (typeof text !== 'string') return [];
    const delta = isFullText ? this.#text.addFullText(position, text) : this.#text.add(position, text);
    return delta === '' ? [] : [{ type: 'text', delta }];
  }

  #readAudio(body: JsonRecord): RealtimeEvent[] {
    if (typeof body.delta !== 'string') return [];
    const { item: itemId, part } = positionOf(body);
    const key = `${itemId} ${part}`;
    const reader = this.#samples.get(key) ?? new SampleReader();
    this.#samples.set(key, reader);
    const pcm = reader.read(body.delta);
    if (pcm.length === 0) return [];
    const contentIndex = asNumber(part) ?? 0;
    const isSamePart = this.#audioProgress?.itemId === itemId && this.#audioProgress.contentIndex === contentIndex;
    this.#audioProgress = {
      itemId,
      contentIndex,
      samples: (isSamePart ? (this.#audioProgress?.samples ?? 0) : 0) + pcm.length,
    };
    return [{ type: 'audio', pcm }];
  }

  #finish(response: JsonRecord): RealtimeEvent[] {
    this.#usage = usageFrom(response.usage) ?? this.#usage;
    this.#cost = readCost({ usage: response.usage }) ?? this.#cost;
    const details = isRecord(response.status_details) ? response.status_details : {};
    const reason = shortLine(details.reason);
    // An interrupted answer stays interrupted, even if the gateway had already finished it.
    if (this.#isFrozen) return [{ type: 'end', response: this.buildEnd('cancelled', { reason }) }];
    const end =
      ENDS.get(response.status) ?? ENDS.get(details.type) ?? (isRecord(details.error) ? 'failed' : 'completed');
    const repeated = this.#readRepeated(response);
    const error = end === 'failed' ? this.#failure(details) : undefined;
    return [...repeated, { type: 'end', response: this.buildEnd(end, { reason, error }) }];
  }

  /** The content that the last event repeats; some gateways send it only there. */
  #readRepeated(response: JsonRecord): RealtimeEvent[] {
    const fullTexts = new TextAssembler();
    for (const [index, item] of outputItems(response).entries())
      for (const { kind, position, text } of textPartsIn(item, String(index)))
        if (kind === 'text') fullTexts.add(position, text);
    const delta = this.#text.addFinal(fullTexts);
    return delta === '' ? [] : [{ type: 'text', delta }];
  }

  #failure({ error }: JsonRecord): GatewayError {
    const eventError = isRecord(error) ? error : {};
    const hasOutput = this.#text.text !== '' || this.#audioProgress !== undefined;
    return toMidStreamError(this.#parseError({ error: eventError }, statusOfError(eventError)), hasOutput);
  }
}

function positionOf(body: JsonRecord): TextPosition {
  return { item: asText(body.item_id) ?? asText(body.output_index) ?? '', part: asText(body.content_index) ?? '0' };
}

function textOf(part: unknown): string | undefined {
  if (!isRecord(part)) return undefined;
  const text = part.text ?? part.transcript;
  return typeof text === 'string' ? text : undefined;
}

/** Some gateways write `tokens` here, others `token`. */
const detailPlaces = (direction: 'input' | 'output', field: string) =>
  places(`${direction}_token_details.${field}`, `${direction}_tokens_details.${field}`);

const usagePlaces = {
  input: places('input_tokens', 'prompt_tokens'),
  cached: detailPlaces('input', 'cached_tokens'),
  output: places('output_tokens', 'completion_tokens'),
  audioInput: detailPlaces('input', 'audio_tokens'),
  audioOutput: detailPlaces('output', 'audio_tokens'),
} as const;

const usageFrom = (value: unknown): RealtimeUsage | undefined => readCounts(value, usagePlaces);
