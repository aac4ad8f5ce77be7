import { isRecord } from '../../../lib/exact-json.ts';
import { statusOfError, toMidStreamError } from '../error-responses.ts';
import type { GatewayError } from '../errors.ts';
import { asNumber, asText, places, readCounts } from '../places.ts';
import { readCost } from '../read/cost.ts';
import type { RealtimeEnd, RealtimeEvent, RealtimeResponse, RealtimeUsage } from '../realtime-events.ts';
import { outputItems, ResponseTexts, shortLine } from '../responses/output.ts';
import { type RealtimeFrame, SampleReader } from './wire.ts';

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
  readonly #texts = new ResponseTexts();
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
    if (this.#isFrozen) return [];
    return AUDIO_EVENTS.has(type) ? this.#readAudio(body) : spokenOf(this.#texts.read(type, body));
  }

  buildEnd(
    end: RealtimeEnd,
    cause: { reason?: string | undefined; error?: GatewayError | undefined } = {},
  ): RealtimeResponse {
    const { reason, error } = cause;
    const content = { text: this.#texts.text, usage: this.#usage, cost: this.#cost };
    return { id: this.#id, end, ...content, reason, error };
  }

  #readAudio(body: JsonRecord): RealtimeEvent[] {
    if (typeof body.delta !== 'string') return [];
    const itemId = asText(body.item_id) ?? asText(body.output_index) ?? '';
    const part = asText(body.content_index) ?? '0';
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
    const repeated = spokenOf(this.#texts.readFinal(outputItems(response)));
    const error = end === 'failed' ? this.#failure(details) : undefined;
    return [...repeated, { type: 'end', response: this.buildEnd(end, { reason, error }) }];
  }

  #failure({ error }: JsonRecord): GatewayError {
    const eventError = isRecord(error) ? error : {};
    const hasOutput = this.#texts.text !== '' || this.#audioProgress !== undefined;
    return toMidStreamError(this.#parseError({ error: eventError }, statusOfError(eventError)), hasOutput);
  }
}

const spokenOf = (deltas: readonly { type: string; delta: string }[]): RealtimeEvent[] =>
  deltas.flatMap(({ type, delta }) => (type === 'text' ? [{ type, delta }] : []));

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
