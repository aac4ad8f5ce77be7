import { isRecord } from '../../../lib/exact-json.ts';
import { statusOf, toldLater } from '../error-responses.ts';
import type { GatewayError } from '../errors.ts';
import { asNumber, asText, countsIn, places } from '../read/places.ts';
import { Calls } from '../responses/calls.ts';
import type { TextEvent } from '../responses/events.ts';
import { asWord, Growing, type Spot } from '../responses/output.ts';
import type { RealtimeEnd, RealtimeEvent, RealtimeResponse, RealtimeUsage } from './events.ts';
import { type Frame, SampleReader } from './wire.ts';

/** Events with text; their `.done` twins repeat it whole. The names of both dialects are distinct. */
const WORDS = new Map([
  ['response.output_text', 'text'],
  ['response.text', 'text'],
  ['response.output_audio_transcript', 'transcript'],
  ['response.audio_transcript', 'transcript'],
]);
const SOUND = new Set(['response.output_audio.delta', 'response.audio.delta']);

const ENDS = new Map<unknown, RealtimeEnd>([
  ['completed', 'completed'],
  ['cancelled', 'cancelled'],
  ['incomplete', 'incomplete'],
  ['failed', 'failed'],
]);

/** How much audio of an answer has arrived. */
interface SoundSoFar {
  itemId: string;
  contentIndex: number;
  samples: number;
}

type Parts = Record<string, unknown>;

/** Turns the gateway's events for one answer into ours, without repetition; the end comes once and holds everything. */
export class ResponseReader {
  readonly #id: string;
  readonly #errorIn: (body: unknown, status: number) => GatewayError;
  readonly #text = new Growing();
  readonly #calls = new Calls();
  readonly #samples = new Map<string, SampleReader>();
  readonly #taken = new Set<string>();
  #sound: SoundSoFar | undefined;
  #usage: RealtimeUsage | undefined;
  #isFrozen = false;

  constructor(id: string, errorIn: (body: unknown, status: number) => GatewayError) {
    this.#id = id;
    this.#errorIn = errorIn;
  }

  /** Of the part that spoke last. */
  get sound(): SoundSoFar | undefined {
    return this.#sound;
  }

  /** Ignores everything from now on except how it ended and its usage. */
  freeze(): void {
    this.#isFrozen = true;
  }

  take({ type, body }: Frame): RealtimeEvent[] {
    const name = asText(body.event_id);
    if (name !== undefined && this.#taken.has(name)) return [];
    if (name !== undefined) this.#taken.add(name);
    if (type === 'response.done') return this.#finish(isRecord(body.response) ? body.response : {});
    return this.#isFrozen ? [] : this.#news(type, body);
  }

  end(end: RealtimeEnd, why: { reason?: string | undefined; error?: GatewayError | undefined } = {}): RealtimeResponse {
    const { reason, error } = why;
    const said = { text: this.#text.text, calls: this.#calls.whole, usage: this.#usage };
    return { id: this.#id, end, ...said, reason, error };
  }

  #news(type: string, body: Parts): RealtimeEvent[] {
    if (SOUND.has(type)) return this.#hear(body);
    const [, name = '', ending] = /^(.+)\.(delta|done)$/.exec(type) ?? [];
    const whole = WORDS.get(name);
    if (whole) return this.#say(spotOf(body), ending === 'done' ? body[whole] : body.delta, ending === 'done');
    if (type === 'response.content_part.done') return this.#say(spotOf(body), wordsOf(body.part), true);
    const calls = this.#calls.took(type, body);
    if (calls) return callsIn(calls);
    return type === 'response.output_item.done' && isRecord(body.item) ? this.#item(body.item, body) : [];
  }

  #item(item: Parts, address: Parts): RealtimeEvent[] {
    return partsOf(item).flatMap((part, at) => {
      const spot = { item: asText(item.id) ?? asText(address.item_id) ?? '', part: String(at) };
      return this.#say(spot, wordsOf(part), true);
    });
  }

  #say(spot: Spot, words: unknown, isWhole: boolean): RealtimeEvent[] {
    if (typeof words !== 'string') return [];
    const delta = isWhole ? this.#text.whole(spot, words) : this.#text.add(spot, words);
    return delta === '' ? [] : [{ type: 'text', delta }];
  }

  #hear(body: Parts): RealtimeEvent[] {
    if (typeof body.delta !== 'string') return [];
    const { item: itemId, part } = spotOf(body);
    const key = `${itemId} ${part}`;
    const reader = this.#samples.get(key) ?? new SampleReader();
    this.#samples.set(key, reader);
    const pcm = reader.read(body.delta);
    if (pcm.length === 0) return [];
    const contentIndex = asNumber(part) ?? 0;
    const isSame = this.#sound?.itemId === itemId && this.#sound.contentIndex === contentIndex;
    this.#sound = { itemId, contentIndex, samples: (isSame ? (this.#sound?.samples ?? 0) : 0) + pcm.length };
    return [{ type: 'audio', pcm }];
  }

  #finish(response: Parts): RealtimeEvent[] {
    this.#usage = usageFrom(response.usage) ?? this.#usage;
    const details = isRecord(response.status_details) ? response.status_details : {};
    const reason = asWord(details.reason);
    // An interrupted answer stays interrupted, even if the gateway had finished it.
    if (this.#isFrozen) return [{ type: 'end', response: this.end('cancelled', { reason }) }];
    const end =
      ENDS.get(response.status) ?? ENDS.get(details.type) ?? (isRecord(details.error) ? 'failed' : 'completed');
    const late = this.#late(response);
    const calls = end === 'completed' ? callsIn(this.#calls.endAll()) : [];
    const error = end === 'failed' ? this.#failure(details) : undefined;
    return [...late, ...calls, { type: 'end', response: this.end(end, { reason, error }) }];
  }

  /** What the last event repeats; some gateways send it only there. */
  #late({ output }: Parts): RealtimeEvent[] {
    const items = Array.isArray(output) ? output.filter(isRecord) : [];
    const whole = new Growing();
    for (const [at, item] of items.entries()) {
      const spot = { item: String(at), part: '' };
      for (const part of partsOf(item)) whole.add(spot, wordsOf(part) ?? '');
    }
    const delta = this.#text.complete(whole.text);
    const calls = items.flatMap((item) =>
      item.type === 'function_call' && item.status !== 'incomplete' ? callsIn(this.#calls.ended(item, {})) : [],
    );
    return delta === '' ? calls : [{ type: 'text', delta }, ...calls];
  }

  #failure({ error }: Parts): GatewayError {
    const said = isRecord(error) ? error : {};
    const hasOutput = this.#text.text !== '' || this.#sound !== undefined || this.#calls.hasAny;
    return toldLater(this.#errorIn({ error: said }, statusOf(said)), hasOutput);
  }
}

function spotOf(body: Parts): Spot {
  return { item: asText(body.item_id) ?? asText(body.output_index) ?? '', part: asText(body.content_index) ?? '0' };
}

function partsOf({ content, role, type }: Parts): Parts[] {
  const isSpoken = type === 'message' || role === 'assistant';
  return isSpoken && Array.isArray(content) ? content.filter(isRecord) : [];
}

function wordsOf(part: unknown): string | undefined {
  if (!isRecord(part)) return undefined;
  const words = part.text ?? part.transcript;
  return typeof words === 'string' ? words : undefined;
}

/** A call is reported only when it is complete. */
function callsIn(events: readonly TextEvent[]): RealtimeEvent[] {
  return events.flatMap((event): RealtimeEvent[] => {
    if (event.type !== 'call') return [];
    const { type, ...call } = event;
    return [{ type, call }];
  });
}

/** Gateways disagree about the plural. */
const details = (side: 'input' | 'output', field: string) =>
  places(`${side}_token_details.${field}`, `${side}_tokens_details.${field}`);

const at = {
  input: places('input_tokens', 'prompt_tokens'),
  cached: details('input', 'cached_tokens'),
  output: places('output_tokens', 'completion_tokens'),
  audioInput: details('input', 'audio_tokens'),
  audioOutput: details('output', 'audio_tokens'),
} as const;

const usageFrom = (value: unknown): RealtimeUsage | undefined => countsIn(value, at);
