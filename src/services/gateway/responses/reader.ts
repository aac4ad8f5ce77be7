import { isRecord } from '../../../lib/exact-json.ts';
import { errorInEvent, statusOfError, toMidStreamError } from '../error-responses.ts';
import { type GatewayError, malformedError, ownReason, responseTooLargeError } from '../errors.ts';
import { CHAT_END, DONE, type EventFrame, framesFromChat, isChat } from '../event-stream.ts';
import { asText } from '../places.ts';
import { readCost } from '../read/cost.ts';
import type { TextEnd, TextEvent, TextResponse, TextUsage } from '../response-events.ts';
import {
  Calls,
  createTextAssemblers,
  MAX_ANSWER_LENGTH,
  outputItems,
  readUsage,
  shortLine,
  type TextKind,
  type TextPosition,
  textPartsIn,
} from './output.ts';

/** Events with a piece of text; their `.done` counterparts repeat all of it. */
const TEXT_EVENTS: ReadonlyMap<string, { kind: TextKind; fullTextField: string }> = new Map([
  ['response.output_text', { kind: 'text', fullTextField: 'text' }],
  ['response.refusal', { kind: 'refusal', fullTextField: 'refusal' }],
  ['response.reasoning_text', { kind: 'reasoning', fullTextField: 'text' }],
  ['response.reasoning_summary_text', { kind: 'reasoning', fullTextField: 'text' }],
  ['response.reasoning', { kind: 'reasoning', fullTextField: 'text' }],
  ['response.reasoning_summary', { kind: 'reasoning', fullTextField: 'text' }],
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

/** Statuses of a response that is generated in the background, which the bot cannot query later. */
const UNFINISHED_STATUSES: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** Translates the gateway's events for one answer, without repetitions. The end comes only once and contains everything. */
export class AnswerReader {
  readonly #parseError: (body: unknown, status: number) => GatewayError;
  readonly #texts = createTextAssemblers();
  readonly #calls = new Calls();
  #isStarted = false;
  #isOver = false;
  #hasDoneMarker = false;
  #id: string | undefined;
  #model: string | undefined;
  #usage: TextUsage | undefined;
  #cost: string | undefined;
  #chatEnd: { reason: string | undefined } | undefined;

  constructor(parseError: (body: unknown, status: number) => GatewayError) {
    this.#parseError = parseError;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  readFrame(frame: EventFrame): TextEvent[] {
    if (this.#isOver) return [];
    if (frame === DONE) {
      this.#hasDoneMarker = true;
      return [];
    }
    const isError = frame.type === 'error' || (!ENDS.has(frame.type) && hasError(frame.body.error));
    if (isError) return this.#fail(frame.body);
    const frames = isChat(frame.body) ? framesFromChat(frame.body) : [frame];
    const events = frames.flatMap((one) => this.#read(one));
    return this.#hasTooMuchText && !this.#isOver ? [...events, ...this.#end('ended-early', {})] : events;
  }

  /** Reads a response that arrived in one piece, in the same way as the last event of a stream. */
  readFullResponse(body: unknown): TextEvent[] {
    if (!isRecord(body)) return [];
    if (isChat(body)) return [...this.readFrame({ type: '', body }), ...this.close()];
    const nested = [body.response, body.data].find((value) => isRecord(value) && isAnswer(value));
    const response = nested ?? body;
    const isFinished = isRecord(response) && isAnswer(response) && !UNFINISHED_STATUSES.has(response.status);
    return isFinished ? this.#read({ type: 'response.completed', body: { response } }) : [];
  }

  close(error?: GatewayError): TextEvent[] {
    if (this.#isOver) return [];
    // A stream that ends with the `[DONE]` marker counts as complete, even without an end event.
    if (this.#chatEnd || (this.#hasDoneMarker && this.#hasOutput)) {
      const reason = this.#chatEnd?.reason;
      if (reason !== undefined) return this.#end('incomplete', { reason });
      this.#calls.completeAll();
      return this.#end('completed', {});
    }
    const details = { code: 'ended_early', mayHaveTakenEffect: true };
    const endError = this.#isStarted
      ? malformedError('The gateway ended its response in the middle.', { ...details, reason: ownReason('broken') })
      : malformedError('The response from the gateway cannot be understood.', details);
    return this.#end('ended-early', { error: error ?? endError });
  }

  get #hasOutput(): boolean {
    const { text, refusal, reasoning } = this.#texts;
    return text.text !== '' || refusal.text !== '' || reasoning.text !== '' || this.#calls.hasAny;
  }

  get #hasTooMuchText(): boolean {
    return Object.values(this.#texts).some(({ isFull }) => isFull);
  }

  #read({ type, body }: EventFrame): TextEvent[] {
    const response = isRecord(body.response) ? body.response : {};
    this.#id ??= asText(response.id) ?? asText(body.response_id);
    this.#model ??= asText(response.model);
    const end = ENDS.get(type);
    if (end !== undefined) return this.#finish(end, response, body);
    const events = this.#readEvent(type, body);
    const isKnown = events.length > 0 || type.startsWith('response.');
    return isKnown ? [...this.#start(), ...events] : events;
  }

  #start(): TextEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [{ type: 'created', id: this.#id, model: this.#model }];
  }

  #readEvent(type: string, body: Record<string, unknown>): TextEvent[] {
    if (type === CHAT_END) {
      this.#chatEnd = { reason: shortLine(body.reason) };
      return [];
    }
    const [, name = '', ending] = /^(.+)\.(delta|done)$/.exec(type) ?? [];
    const textEvent = TEXT_EVENTS.get(name);
    if (textEvent) {
      const text = ending === 'delta' ? body.delta : body[textEvent.fullTextField];
      return typeof text === 'string' ? this.#addText(textEvent.kind, positionOf(body), text, ending === 'done') : [];
    }
    if (type === 'usage') this.#readUsage(body.usage);
    this.#calls.process(type, body);
    return searchEvents(type, body) ?? this.#readItem(type, body);
  }

  #readItem(type: string, { item, output_index }: Record<string, unknown>): TextEvent[] {
    if (type !== 'response.output_item.done' || !isRecord(item)) return [];
    const name = asText(output_index) ?? asText(item.id) ?? '';
    return textPartsIn(item, name).flatMap(({ kind, position, text }) => this.#addText(kind, position, text, true));
  }

  #addText(kind: TextKind, position: TextPosition, text: string, isFullText: boolean): TextEvent[] {
    const added = isFullText ? this.#texts[kind].addFullText(position, text) : this.#texts[kind].add(position, text);
    return added === '' ? [] : [{ type: kind, delta: added }];
  }

  #finish(end: TextEnd, response: Record<string, unknown>, body: Record<string, unknown>): TextEvent[] {
    const finalEnd = END_OF_STATUS.get(response.status) ?? end;
    const newEvents = this.#readOutput(response);
    this.#readUsage(response.usage ?? body.usage);
    // A refusal before the first word does not start an answer.
    const isStart = this.#hasOutput || this.#usage !== undefined || finalEnd !== 'failed';
    const events = isStart ? [...this.#start(), ...newEvents] : [];
    if (finalEnd === 'failed') return [...events, ...this.#fail(body)];
    if (finalEnd === 'completed') {
      this.#calls.completeAll();
      return [...events, ...this.#end(finalEnd, {})];
    }
    const { incomplete_details: details } = response;
    return [...events, ...this.#end(finalEnd, { reason: shortLine(isRecord(details) ? details.reason : details) })];
  }

  /** The content that the last event repeats. Items may be renumbered there, so the text is compared as a whole. */
  #readOutput(response: Record<string, unknown>): TextEvent[] {
    const items = outputItems(response);
    const fullTexts = createTextAssemblers();
    for (const [index, item] of items.entries()) {
      for (const { kind, position, text } of textPartsIn(item, String(index))) fullTexts[kind].add(position, text);
    }
    const kinds = ['reasoning', 'text', 'refusal'] as const;
    for (const item of items) if (item.type === 'function_call') this.#calls.complete(item, {});
    return kinds.flatMap((kind): TextEvent[] => {
      const delta = this.#texts[kind].addFinal(fullTexts[kind]);
      return delta === '' ? [] : [{ type: kind, delta }];
    });
  }

  #readUsage(value: unknown): void {
    this.#cost = readCost({ usage: value }) ?? this.#cost;
    this.#usage = readUsage(value) ?? this.#usage;
  }

  #fail(body: Record<string, unknown>): TextEvent[] {
    const error = errorInEvent(body);
    return this.#end('failed', {
      error: toMidStreamError(this.#parseError({ error }, statusOfError(error)), this.#hasOutput),
    });
  }

  #end(end: TextEnd, cause: { reason?: string | undefined; error?: GatewayError }): TextEvent[] {
    this.#isOver = true;
    const { text, refusal, reasoning } = this.#texts;
    const calls = this.#calls.completed;
    const isTooLong = this.#hasTooMuchText || JSON.stringify(calls).length > MAX_ANSWER_LENGTH;
    const response: TextResponse = {
      end: isTooLong ? 'ended-early' : end,
      id: this.#id,
      model: this.#model,
      text: text.text,
      refusal: refusal.text,
      reasoning: reasoning.text,
      calls: isTooLong ? [] : calls,
      usage: this.#usage,
      cost: this.#cost,
      reason: cause.reason,
      error: isTooLong ? responseTooLargeError(MAX_ANSWER_LENGTH, { mayHaveTakenEffect: true }) : cause.error,
    };
    return [{ type: response.end, response }];
  }
}

const SEARCH_EVENT = /^response\.web_search_call\.(?:in_progress|searching|completed)$/;

/** Undefined if the event is not about a web search. */
function searchEvents(type: string, { item }: Record<string, unknown>): TextEvent[] | undefined {
  const isSearchItem = isRecord(item) && item.type === 'web_search_call' && type.startsWith('response.output_item.');
  if (!isSearchItem && !SEARCH_EVENT.test(type)) return undefined;
  return [{ type: 'web-search', isDone: /\.(?:completed|done)$/.test(type) }];
}

function positionOf(body: Record<string, unknown>): TextPosition {
  const part = asText(body.content_index) ?? asText(body.summary_index) ?? '0';
  return { item: asText(body.output_index) ?? asText(body.item_id) ?? '', part };
}

/** An empty `error` field is not an error. */
const hasError = (error: unknown): boolean =>
  isRecord(error) ? Object.values(error).some((value) => value !== null && value !== '') : asText(error) !== undefined;

const isAnswer = (body: Record<string, unknown>): boolean =>
  Array.isArray(body.output) || typeof body.output_text === 'string' || body.object === 'response';
