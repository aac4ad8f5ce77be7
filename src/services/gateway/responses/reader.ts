import { isRecord } from '../../../lib/exact-json.ts';
import { errorOf, statusOf, toldLater } from '../error-responses.ts';
import { type GatewayError, malformed } from '../errors.ts';
import { CHAT_END, DONE, type Frame, framesOfChat, isChat } from '../event-stream.ts';
import { asText } from '../read/places.ts';
import { Calls, Searches } from './calls.ts';
import type { TextEnd, TextEvent, TextResponse, TextUsage } from './events.ts';
import { asWord, itemsOf, newVoices, type Spot, spokenIn, usageFrom, type Voice } from './output.ts';

/** Events with a piece of text; their `.done` twins repeat it whole. */
const SPOKEN: ReadonlyMap<string, { voice: Voice; whole: string }> = new Map([
  ['response.output_text', { voice: 'text', whole: 'text' }],
  ['response.refusal', { voice: 'refusal', whole: 'refusal' }],
  ['response.reasoning_text', { voice: 'reasoning', whole: 'text' }],
  ['response.reasoning_summary_text', { voice: 'reasoning', whole: 'text' }],
  ['response.reasoning', { voice: 'reasoning', whole: 'text' }],
  ['response.reasoning_summary', { voice: 'reasoning', whole: 'text' }],
]);

const ENDS: ReadonlyMap<string, TextEnd> = new Map([
  ['response.completed', 'completed'],
  ['response.done', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  ['response.cancelled', 'failed'],
]);

/** Statuses of the response that override the name of its event. */
const END_OF_STATUS: ReadonlyMap<unknown, TextEnd> = new Map<unknown, TextEnd>([
  ['incomplete', 'incomplete'],
  ['failed', 'failed'],
  ['cancelled', 'failed'],
]);

/** A response in the background: there is no way to query it later. */
const UNDER_WAY: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** Turns the gateway's events for one answer into ours, without repetition; the end comes once and holds everything. */
export class AnswerReader {
  readonly #errorIn: (body: unknown, status: number) => GatewayError;
  readonly #said = newVoices();
  readonly #calls = new Calls();
  readonly #searches = new Searches();
  #isBegun = false;
  #isOver = false;
  #isDone = false;
  #id: string | undefined;
  #model: string | undefined;
  #usage: TextUsage | undefined;
  #chatEnd: { reason: string | undefined } | undefined;

  constructor(errorIn: (body: unknown, status: number) => GatewayError) {
    this.#errorIn = errorIn;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  take(frame: Frame): TextEvent[] {
    if (this.#isOver) return [];
    if (frame === DONE) {
      this.#isDone = true;
      return [];
    }
    const isError = frame.type === 'error' || (!ENDS.has(frame.type) && saysError(frame.body.error));
    if (isError) return this.#fail(frame.body);
    if (isChat(frame.body)) return framesOfChat(frame.body).flatMap((one) => this.#read(one));
    return this.#read(frame);
  }

  /** A response that came whole, like the last event of a stream. */
  takeWhole(body: unknown): TextEvent[] {
    if (!isRecord(body)) return [];
    if (isChat(body)) return [...this.take({ type: '', body }), ...this.close()];
    const inside = [body.response, body.data].find((value) => isRecord(value) && isAnswer(value));
    const response = inside ?? body;
    const isOne = isRecord(response) && isAnswer(response) && !UNDER_WAY.has(response.status);
    return isOne ? this.#read({ type: 'response.completed', body: { response } }) : [];
  }

  close(error?: GatewayError): TextEvent[] {
    if (this.#isOver) return [];
    // A stream that says it is done counts as complete, even without an end event.
    if (this.#chatEnd || (this.#isDone && this.#hasOutput)) {
      const reason = this.#chatEnd?.reason;
      if (reason !== undefined) return this.#end('incomplete', { reason });
      return [...this.#calls.endAll(), ...this.#end('completed', {})];
    }
    const cut = malformed(
      this.#isBegun
        ? 'The gateway ended its response in the middle.'
        : 'The response of the gateway cannot be understood.',
      { code: 'ended_early', mayHaveTakenEffect: true },
    );
    return this.#end('ended-early', { error: error ?? cut });
  }

  get #hasOutput(): boolean {
    const { text, refusal, reasoning } = this.#said;
    return text.text !== '' || refusal.text !== '' || reasoning.text !== '' || this.#calls.hasAny;
  }

  #read({ type, body }: Frame): TextEvent[] {
    const response = isRecord(body.response) ? body.response : {};
    this.#id ??= asText(response.id) ?? asText(body.response_id);
    this.#model ??= asText(response.model);
    const end = ENDS.get(type);
    if (end !== undefined) return this.#finish(end, response, body);
    const events = this.#newsIn(type, body);
    const isKnown = events.length > 0 || type.startsWith('response.');
    return isKnown ? [...this.#begin(), ...events] : events;
  }

  #begin(): TextEvent[] {
    if (this.#isBegun) return [];
    this.#isBegun = true;
    return [{ type: 'created', id: this.#id, model: this.#model }];
  }

  #newsIn(type: string, body: Record<string, unknown>): TextEvent[] {
    if (type === CHAT_END) {
      this.#chatEnd = { reason: asWord(body.reason) };
      return [];
    }
    const [, name = '', ending] = /^(.+)\.(delta|done)$/.exec(type) ?? [];
    const spoken = SPOKEN.get(name);
    if (spoken) {
      const words = ending === 'delta' ? body.delta : body[spoken.whole];
      return typeof words === 'string' ? this.#say(spoken.voice, spotOf(body), words, ending === 'done') : [];
    }
    if (type === 'usage') return this.#count(body.usage);
    return this.#calls.took(type, body) ?? this.#searches.took(type, body) ?? this.#item(type, body);
  }

  #item(type: string, { item, output_index }: Record<string, unknown>): TextEvent[] {
    if (type !== 'response.output_item.done' || !isRecord(item)) return [];
    const name = asText(output_index) ?? asText(item.id) ?? '';
    return spokenIn(item, name).flatMap(({ voice, spot, text }) => this.#say(voice, spot, text, true));
  }

  #say(voice: Voice, spot: Spot, words: string, isWhole: boolean): TextEvent[] {
    const fresh = isWhole ? this.#said[voice].whole(spot, words) : this.#said[voice].add(spot, words);
    return fresh === '' ? [] : [{ type: voice, delta: fresh }];
  }

  #finish(end: TextEnd, response: Record<string, unknown>, body: Record<string, unknown>): TextEvent[] {
    const told = END_OF_STATUS.get(response.status) ?? end;
    const news = [...this.#output(response), ...this.#count(response.usage ?? body.usage)];
    // A refusal before the first word does not start an answer.
    const events = news.length > 0 || told !== 'failed' ? [...this.#begin(), ...news] : [];
    if (told === 'failed') return [...events, ...this.#fail(body)];
    if (told === 'completed') return [...events, ...this.#calls.endAll(), ...this.#end(told, {})];
    const { incomplete_details: details } = response;
    return [...events, ...this.#end(told, { reason: asWord(isRecord(details) ? details.reason : details) })];
  }

  /** What the last event repeats. Its places may be renumbered, so the text is compared as a whole. */
  #output(response: Record<string, unknown>): TextEvent[] {
    const items = itemsOf(response);
    const whole = newVoices();
    for (const [at, item] of items.entries()) {
      for (const { voice, spot, text } of spokenIn(item, String(at))) whole[voice].add(spot, text);
    }
    const voices = ['reasoning', 'text', 'refusal'] as const;
    const spoken = voices.flatMap((voice): TextEvent[] => {
      const delta = this.#said[voice].complete(whole[voice].text);
      return delta === '' ? [] : [{ type: voice, delta }];
    });
    const rest = items.flatMap((item) => (item.type === 'message' ? [] : this.#lateItem(item)));
    return [...rest, ...spoken];
  }

  #lateItem(item: Record<string, unknown>): TextEvent[] {
    if (item.type === 'function_call') return this.#calls.ended(item, {});
    return item.type === 'web_search_call' && asText(item.id) !== undefined ? this.#searches.item('done', item) : [];
  }

  #count(value: unknown): TextEvent[] {
    const usage = usageFrom(value);
    if (!usage) return [];
    this.#usage = usage;
    return [{ type: 'usage', usage }];
  }

  #fail(body: Record<string, unknown>): TextEvent[] {
    const error = errorOf(body);
    return this.#end('failed', { error: toldLater(this.#errorIn({ error }, statusOf(error)), this.#hasOutput) });
  }

  #end(end: TextEnd, why: { reason?: string | undefined; error?: GatewayError }): TextEvent[] {
    this.#isOver = true;
    const { text, refusal, reasoning } = this.#said;
    const response: TextResponse = {
      ...{ end, id: this.#id, model: this.#model, text: text.text, refusal: refusal.text, reasoning: reasoning.text },
      ...{ calls: this.#calls.whole, usage: this.#usage, reason: why.reason, error: why.error },
    };
    return [{ type: end, response }];
  }
}

function spotOf(body: Record<string, unknown>): Spot {
  const part = asText(body.content_index) ?? asText(body.summary_index) ?? '0';
  return { item: asText(body.output_index) ?? asText(body.item_id) ?? '', part };
}

/** An empty `error` field is not an error. */
const saysError = (error: unknown): boolean =>
  isRecord(error) ? Object.values(error).some((value) => value !== null && value !== '') : asText(error) !== undefined;

const isAnswer = (body: Record<string, unknown>): boolean =>
  Array.isArray(body.output) || typeof body.output_text === 'string' || body.object === 'response';
