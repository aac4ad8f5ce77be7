import { isRecord } from '../../../lib/exact-json.ts';
import { asText } from '../read/places.ts';
import type { TextEvent, ToolCall } from './events.ts';

interface Draft {
  call: ToolCall;
  isStarted: boolean;
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

  /** Undefined if the event is about something else. */
  process(type: string, body: Record<string, unknown>): TextEvent[] | undefined {
    if (type === 'response.function_call_arguments.delta') return this.#addArguments(body, body.delta);
    if (type === 'response.function_call_arguments.done') return this.#completeArguments(body);
    const { item } = body;
    if (!isRecord(item) || item.type !== 'function_call') return undefined;
    if (type === 'response.output_item.added') return this.#identify(item, body).events;
    return type === 'response.output_item.done' ? this.complete(item, body) : undefined;
  }

  /** Completes a call with the item from the output. */
  complete(item: Record<string, unknown>, position: CallPosition): TextEvent[] {
    const { draft, events } = this.#identify(item, position);
    return [...events, ...this.#finish(draft, item.arguments)];
  }

  #addArguments(position: CallPosition, delta: unknown): TextEvent[] {
    if (typeof delta !== 'string') return [];
    const draft = this.#find(namesOf({}, position));
    if (draft.isComplete || delta === '') return [];
    draft.call.arguments += delta;
    return draft.isStarted ? [{ type: 'call-arguments', callId: draft.call.callId, delta }] : [];
  }

  /** Called when the arguments are complete. The name may still be missing, and then arrives with the item. */
  #completeArguments(frame: Record<string, unknown>): TextEvent[] {
    const { draft, events } = this.#identify({ name: frame.name, call_id: frame.call_id }, frame);
    return [...events, ...this.#finish(draft, frame.arguments)];
  }

  /** The answer is complete, so all calls are complete, even if no event said so. */
  completeAll(): TextEvent[] {
    return this.#drafts.flatMap((draft) => this.#finish(draft, undefined));
  }

  #identify(item: Record<string, unknown>, position: CallPosition): { draft: Draft; events: TextEvent[] } {
    const draft = this.#find(namesOf(item, position));
    const { call, isStarted } = draft;
    if (isStarted) return { draft, events: [] };
    call.callId = asText(item.call_id) ?? call.callId;
    call.name = asText(item.name) ?? call.name;
    if (call.name === '') return { draft, events: [] };
    draft.isStarted = true;
    const { callId, name, arguments: earlyArguments } = call;
    const started: TextEvent = { type: 'call-started', callId, name };
    // Arguments may have been received before the tool was known.
    return {
      draft,
      events: earlyArguments === '' ? [started] : [started, { type: 'call-arguments', callId, delta: earlyArguments }],
    };
  }

  #finish(draft: Draft, finalArguments: unknown): TextEvent[] {
    if (draft.isComplete) return [];
    const fullArguments =
      typeof finalArguments === 'string' || finalArguments == null ? finalArguments : JSON.stringify(finalArguments);
    if (fullArguments) draft.call.arguments = fullArguments;
    if (!draft.isStarted) return [];
    draft.isComplete = true;
    return [{ type: 'call', ...draft.call }];
  }

  #find(names: readonly string[]): Draft {
    const existing = names.map((name) => this.#byName.get(name)).find((draft) => draft !== undefined);
    const callId = names[0]?.slice(1) ?? `call_${this.#drafts.length + 1}`;
    const draft = existing ?? { call: { callId, name: '', arguments: '' }, isStarted: false, isComplete: false };
    if (!existing) this.#drafts.push(draft);
    for (const name of names) if (!this.#byName.has(name)) this.#byName.set(name, draft);
    return draft;
  }
}

/** The call's own id comes first, because positions in a list may be renumbered in the last event. */
function namesOf(item: Record<string, unknown>, { item_id, output_index }: CallPosition): string[] {
  const tagged = (mark: string, value: unknown): string[] => {
    const text = asText(value);
    return text === undefined ? [] : [mark + text];
  };
  return [...tagged('c', item.call_id), ...tagged('i', item.id ?? item_id), ...tagged('n', output_index)];
}

type SearchState = Extract<TextEvent, { type: 'web-search' }>['state'];

const SEARCH_STATES: ReadonlyMap<string, SearchState> = new Map([
  ['response.web_search_call.in_progress', 'started'],
  ['response.web_search_call.searching', 'searching'],
  ['response.web_search_call.completed', 'done'],
  ['response.output_item.added', 'started'],
  ['response.output_item.done', 'done'],
]);

/** The web searches of an answer. Each state is reported only once, although both the item and the search event contain it. */
export class Searches {
  readonly #reported = new Map<string, { states: Set<SearchState>; hasQuery: boolean }>();

  /** Undefined if the event is about something else. */
  process(type: string, { item, item_id, output_index }: Record<string, unknown>): TextEvent[] | undefined {
    const state = SEARCH_STATES.get(type);
    if (!state) return undefined;
    if (!type.startsWith('response.output_item.')) return this.#report(state, asText(item_id) ?? asText(output_index));
    return isRecord(item) && item.type === 'web_search_call' ? this.processItem(state, item, output_index) : undefined;
  }

  processItem(state: SearchState, item: Record<string, unknown>, position?: unknown): TextEvent[] {
    const query = isRecord(item.action) ? asText(item.action.query) : asText(item.query);
    return this.#report(state, asText(item.id) ?? asText(position), query);
  }

  #report(state: SearchState, search = '', query?: string): TextEvent[] {
    const reported = this.#reported.get(search) ?? { states: new Set<SearchState>(), hasQuery: false };
    this.#reported.set(search, reported);
    // The query is often only known at the end, but it is still worth reporting.
    const isNew = !reported.states.has(state) || (query !== undefined && !reported.hasQuery);
    reported.states.add(state);
    reported.hasQuery ||= query !== undefined;
    return isNew ? [{ type: 'web-search', state, query }] : [];
  }
}
