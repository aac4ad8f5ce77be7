import type { Beat } from '../wire/text-events.ts';
import type { Body } from '../wire/view.ts';
import type { Conversation } from './conversation.ts';
import type { Dialect } from './dialect.ts';
import { type Item, itemBody } from './item.ts';
import { spokenWords, type Word, writtenWords } from './pieces.ts';
import { argumentsEvent, closingEvents, openingEvents, type Place, pieceEvent } from './reply-events.ts';
import { MOST_TOKENS, responseHead, type Settings } from './settings.ts';
import { both, NO_TOKENS, sumOf, type Tokens, tokensOf, usageBody } from './tokens.ts';
import { wordsSpoken } from './voice.ts';
import type { Plan } from './words.ts';

interface ReplyOptions {
  readonly id: string;
  readonly dialect: Dialect;
  readonly settings: Settings;
  readonly metadata: Record<string, string> | null;
  readonly plan: Plan;
  /** Where it is remembered, unless it is said beside the conversation. */
  readonly conversation: Conversation | undefined;
  readonly conversationId: string | null;
  readonly input: Tokens;
  /** What of the input the model had read before. */
  readonly known: Tokens;
  readonly splitsOddly: boolean;
  readonly freshId: (prefix: string) => string;
}

type End = 'completed' | 'cancelled' | 'incomplete' | 'failed';

/** Until the model begins, and for each piece of a tool's arguments: milliseconds of the gateway's own time. */
const THINKING = 300;
const WRITING = 25;

/** Told with every answer, and never used up: refusals are ordered (`fault.ts`). */
const RATE_LIMIT = { name: 'tokens', limit: 40_000, remaining: 40_000, reset_seconds: 0 };

/** One answer: its events in their order, and what of it has been said. */
export class Reply {
  readonly id: string;
  readonly #given: ReplyOptions;
  #items: readonly Item[] = [];
  /** Of the item that is being said. */
  #place: Place | undefined;

  constructor(given: ReplyOptions) {
    this.id = given.id;
    this.#given = given;
  }

  get output(): Tokens {
    return this.#items.map(tokensOf).reduce(both, NO_TOKENS);
  }

  *beats(): Generator<Beat, void, void> {
    const { plan } = this.#given;
    yield { wait: 0, event: { type: 'response.created', response: this.#body('in_progress', null) } };
    // What was broken off while the model thought has no item.
    yield { wait: THINKING, event: { type: 'rate_limits.updated', rate_limits: [RATE_LIMIT] } };
    if (plan.type === 'calls') {
      for (const { name, written } of plan.calls) yield* this.#call(name, written);
      return yield* this.ending('completed');
    }
    const isWhole = yield* this.#say(plan.text);
    yield* isWhole ? this.ending('completed') : this.ending('incomplete', { reason: 'max_output_tokens' });
  }

  /** Ends it at any stage. */
  *ending(end: End, details: Body = {}): Generator<Beat, void, void> {
    yield* this.#close(end === 'completed' ? 'completed' : 'incomplete');
    const status_details = end === 'completed' ? null : { type: end, ...details };
    yield { wait: 0, event: { type: 'response.done', response: this.#body(end, status_details) } };
  }

  /** False where the most tokens were reached before the end. */
  *#say(text: string): Generator<Beat, boolean, void> {
    const { freshId, settings, splitsOddly } = this.#given;
    const { speaks, voice, most } = settings;
    const words: Iterable<Word> = speaks ? spokenWords(text, voice, splitsOddly) : writtenWords(text);
    const type = speaks ? 'speech' : 'text';
    const head = { id: freshId('item'), status: 'in_progress', type: 'message', role: 'assistant' } as const;
    const item: Item = { ...head, parts: [{ type, text: '' }] };
    yield* this.#open(item);
    let left = most === 'inf' ? MOST_TOKENS : most;
    for (const word of words) {
      left -= sumOf(tokensOf({ ...head, parts: [{ type, text: word.text }] }));
      if (left < 0) return false;
      for (const piece of word.pieces) {
        yield* this.#at(piece.wait, (place) => [pieceEvent(piece, item, place)]);
        // Only what has left was said: an answer may be broken off while a word waits.
        if (piece.kind !== 'audio') this.#change((now) => longer(now, piece.delta));
      }
    }
    return true;
  }

  *#call(name: string, written: string): Generator<Beat, void, void> {
    const { freshId } = this.#given;
    const head = { id: freshId('item'), status: 'in_progress', type: 'function_call' } as const;
    const call = { ...head, callId: freshId('call'), name, written: '' };
    yield* this.#open(call);
    for (const delta of wordsSpoken(written)) {
      yield* this.#at(WRITING, (place) => [argumentsEvent(delta, call, place)]);
      this.#change((now) => longer(now, delta));
    }
    yield* this.#close('completed');
  }

  *#open(item: Item): Generator<Beat, void, void> {
    const { id: responseId, dialect, conversation } = this.#given;
    this.#place = { responseId, dialect, index: this.#items.length, before: conversation?.add(item) };
    this.#items = [...this.#items, item];
    yield* this.#at(0, (place) => openingEvents(item, place));
  }

  *#close(status: 'completed' | 'incomplete'): Generator<Beat, void, void> {
    if (!this.#place) return;
    const item = this.#change((now) => ({ ...now, status }));
    yield* this.#at(0, (place) => closingEvents(item, place));
    this.#place = undefined;
  }

  *#at(wait: number, eventsAt: (place: Place) => readonly Body[]): Generator<Beat, void, void> {
    for (const [at, event] of (this.#place ? eventsAt(this.#place) : []).entries())
      yield { wait: at === 0 ? wait : 0, event };
  }

  /** The item that is being said, as the conversation has it: what was cut off there meanwhile stays so. */
  #change(change: (now: Item) => Item): Item {
    const { conversation } = this.#given;
    const own = this.#items.at(-1);
    if (!own) throw new Error('Nothing is being said.');
    const changed = change(conversation?.find(own.id) ?? own);
    conversation?.update(changed);
    this.#items = [...this.#items.slice(0, -1), changed];
    return changed;
  }

  #body(status: 'in_progress' | End, status_details: Body | null): Body {
    const { id, dialect, settings, metadata, conversationId, input, known } = this.#given;
    return {
      ...{ object: 'realtime.response', id, status, status_details, conversation_id: conversationId },
      ...responseHead(settings, dialect),
      ...{ output: this.#items.map((item) => itemBody(item, dialect)), metadata },
      usage: status === 'in_progress' ? null : usageBody(input, known, this.output),
    };
  }
}

function longer(item: Item, by: string): Item {
  if (item.type === 'function_call') return { ...item, written: `${item.written}${by}` };
  if (item.type !== 'message') return item;
  return { ...item, parts: item.parts.map((part) => ('text' in part ? { ...part, text: `${part.text}${by}` } : part)) };
}
