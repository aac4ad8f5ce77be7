import type { TimedEvent } from '../wire/text-events.ts';
import type { Body } from '../wire/view.ts';
import type { Conversation } from './conversation.ts';
import type { Dialect } from './dialect.ts';
import { type Item, itemBody } from './item.ts';
import { spokenWords, type Word, writtenWords } from './pieces.ts';
import type { ReplyPlan } from './plan-reply.ts';
import { argumentsEvent, closingEvents, type ItemPosition, openingEvents, pieceEvent } from './reply-events.ts';
import { MAX_TOKENS, responseHead, type Settings } from './settings.ts';
import { addTokens, NO_TOKENS, sumOf, type Tokens, tokensOf, usageBody } from './tokens.ts';
import { spokenWordsOf } from './voice.ts';

interface ReplyOptions {
  readonly id: string;
  readonly dialect: Dialect;
  readonly settings: Settings;
  readonly metadata: Record<string, string> | null;
  readonly plan: ReplyPlan;
  /** Set if the reply becomes part of the conversation. */
  readonly conversation: Conversation | undefined;
  readonly conversationId: string | null;
  readonly input: Tokens;
  /** The part of the input that counts as cached. */
  readonly cachedInput: Tokens;
  readonly splitsSamples: boolean;
  readonly createId: (prefix: string) => string;
}

type ReplyStatus = 'completed' | 'cancelled' | 'incomplete' | 'failed';

/** The delays before the first item and before each delta of a tool's arguments, in the gateway's own time. */
const THINKING_MS = 300;
const ARGUMENTS_PIECE_MS = 25;

/** Sent with every reply. The limit is never reached: refusals are injected as faults (`fault.ts`). */
const RATE_LIMIT = { name: 'tokens', limit: 40_000, remaining: 40_000, reset_seconds: 0 };

/** One reply: its events in order, and its output so far. */
export class Reply {
  readonly id: string;
  readonly #options: ReplyOptions;
  #items: readonly Item[] = [];
  /** The position of the item that is being sent. */
  #position: ItemPosition | undefined;

  constructor(options: ReplyOptions) {
    this.id = options.id;
    this.#options = options;
  }

  get output(): Tokens {
    return this.#items.map(tokensOf).reduce(addTokens, NO_TOKENS);
  }

  *events(): Generator<TimedEvent, void, void> {
    const { plan } = this.#options;
    yield { wait: 0, event: { type: 'response.created', response: this.#body('in_progress', null) } };
    // A reply that is cancelled during this delay has no items.
    yield { wait: THINKING_MS, event: { type: 'rate_limits.updated', rate_limits: [RATE_LIMIT] } };
    if (plan.type === 'calls') {
      for (const { name, argumentsJson } of plan.calls) yield* this.#callEvents(name, argumentsJson);
      return yield* this.endEvents('completed');
    }
    const isComplete = yield* this.#textEvents(plan.text);
    yield* isComplete ? this.endEvents('completed') : this.endEvents('incomplete', { reason: 'max_output_tokens' });
  }

  /** The events that end the reply, at any stage. */
  *endEvents(finalStatus: ReplyStatus, details: Body = {}): Generator<TimedEvent, void, void> {
    yield* this.#closeItem(finalStatus === 'completed' ? 'completed' : 'incomplete');
    const status_details = finalStatus === 'completed' ? null : { type: finalStatus, ...details };
    yield { wait: 0, event: { type: 'response.done', response: this.#body(finalStatus, status_details) } };
  }

  /** Returns false if the token limit was reached before the end. */
  *#textEvents(text: string): Generator<TimedEvent, boolean, void> {
    const { createId, settings, splitsSamples } = this.#options;
    const { hasAudio, voice, maxTokens } = settings;
    const words: Iterable<Word> = hasAudio ? spokenWords(text, voice, splitsSamples) : writtenWords(text);
    const type = hasAudio ? 'speech' : 'text';
    const head = { id: createId('item'), status: 'in_progress', type: 'message', role: 'assistant' } as const;
    const item: Item = { ...head, parts: [{ type, text: '' }] };
    yield* this.#openItem(item);
    let remainingTokens = maxTokens === 'inf' ? MAX_TOKENS : maxTokens;
    for (const word of words) {
      remainingTokens -= sumOf(tokensOf({ ...head, parts: [{ type, text: word.text }] }));
      if (remainingTokens < 0) return false;
      for (const piece of word.pieces) {
        yield* this.#timedEvents(piece.wait, (position) => [pieceEvent(piece, item, position)]);
        // Only sent text counts as output, because a reply may be cancelled before the next word.
        if (piece.kind !== 'audio') this.#change((current) => withDelta(current, piece.delta));
      }
    }
    return true;
  }

  *#callEvents(name: string, argumentsJson: string): Generator<TimedEvent, void, void> {
    const { createId } = this.#options;
    const head = { id: createId('item'), status: 'in_progress', type: 'function_call' } as const;
    const call = { ...head, callId: createId('call'), name, argumentsJson: '' };
    yield* this.#openItem(call);
    for (const delta of spokenWordsOf(argumentsJson)) {
      yield* this.#timedEvents(ARGUMENTS_PIECE_MS, (position) => [argumentsEvent(delta, call, position)]);
      this.#change((current) => withDelta(current, delta));
    }
    yield* this.#closeItem('completed');
  }

  *#openItem(item: Item): Generator<TimedEvent, void, void> {
    const { id: responseId, dialect, conversation } = this.#options;
    this.#position = { responseId, dialect, index: this.#items.length, previousItemId: conversation?.add(item) };
    this.#items = [...this.#items, item];
    yield* this.#timedEvents(0, (position) => openingEvents(item, position));
  }

  *#closeItem(status: 'completed' | 'incomplete'): Generator<TimedEvent, void, void> {
    if (!this.#position) return;
    const item = this.#change((current) => ({ ...current, status }));
    yield* this.#timedEvents(0, (position) => closingEvents(item, position));
    this.#position = undefined;
  }

  *#timedEvents(
    wait: number,
    eventsAt: (position: ItemPosition) => readonly Body[],
  ): Generator<TimedEvent, void, void> {
    for (const [index, event] of (this.#position ? eventsAt(this.#position) : []).entries())
      yield { wait: index === 0 ? wait : 0, event };
  }

  /** Changes the current item, starting from its version in the conversation, which may have been truncated. */
  #change(change: (current: Item) => Item): Item {
    const { conversation } = this.#options;
    const lastItem = this.#items.at(-1);
    if (!lastItem) throw new Error('The reply has no current item.');
    const changedItem = change(conversation?.find(lastItem.id) ?? lastItem);
    conversation?.update(changedItem);
    this.#items = [...this.#items.slice(0, -1), changedItem];
    return changedItem;
  }

  #body(status: 'in_progress' | ReplyStatus, status_details: Body | null): Body {
    const { id, dialect, settings, metadata, conversationId, input, cachedInput } = this.#options;
    return {
      object: 'realtime.response',
      id,
      status,
      status_details,
      conversation_id: conversationId,
      ...responseHead(settings, dialect),
      output: this.#items.map((item) => itemBody(item, dialect)),
      metadata,
      usage: status === 'in_progress' ? null : usageBody(input, cachedInput, this.output),
    };
  }
}

function withDelta(item: Item, delta: string): Item {
  if (item.type === 'function_call') return { ...item, argumentsJson: `${item.argumentsJson}${delta}` };
  if (item.type !== 'message') return item;
  return {
    ...item,
    parts: item.parts.map((part) => ('text' in part ? { ...part, text: `${part.text}${delta}` } : part)),
  };
}
