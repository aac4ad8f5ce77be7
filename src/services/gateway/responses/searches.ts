import { isRecord } from '../../../lib/exact-json.ts';
import { asText } from '../read/values.ts';
import type { TextEvent } from './events.ts';

type State = Extract<TextEvent, { type: 'web-search' }>['state'];

const STATES: ReadonlyMap<string, State> = new Map([
  ['response.web_search_call.in_progress', 'started'],
  ['response.web_search_call.searching', 'searching'],
  ['response.web_search_call.completed', 'done'],
]);

interface Told {
  states: Set<State>;
  hasQuery: boolean;
}

/** Searches of the web; each of their states is told once, although the list and the search itself both tell it. */
export class Searches {
  readonly #told = new Map<string, Told>();

  took(type: string, frame: Record<string, unknown>): TextEvent[] {
    const state = STATES.get(type);
    return state === undefined ? [] : this.#tell(state, asText(frame.item_id) ?? asText(frame.output_index), undefined);
  }

  item(isDone: boolean, item: Record<string, unknown>, place: unknown): TextEvent[] {
    const query = isRecord(item.action) ? asText(item.action.query) : asText(item.query);
    return this.#tell(isDone ? 'done' : 'started', asText(item.id) ?? asText(place), query);
  }

  #tell(state: State, search = '', query: string | undefined): TextEvent[] {
    const told = this.#told.get(search) ?? { states: new Set(), hasQuery: false };
    this.#told.set(search, told);
    // What was searched for is often known only at the end, and worth telling then.
    const isNews = !told.states.has(state) || (query !== undefined && !told.hasQuery);
    told.states.add(state);
    told.hasQuery ||= query !== undefined;
    return isNews ? [{ type: 'web-search', state, query }] : [];
  }
}
