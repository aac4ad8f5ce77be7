import { isRecord } from '../../../lib/exact-json.ts';
import { asText } from '../places.ts';
import type { ToolCall } from '../response-events.ts';
import { MAX_ANSWER_LENGTH } from './output.ts';

interface Draft {
  call: ToolCall;
  isComplete: boolean;
}

/** The fields by which events identify a call. */
interface CallPosition {
  item_id?: unknown;
  output_index?: unknown;
}

/** What a call without arguments counts for, so that their number is limited too. */
const EMPTY_CALL_LENGTH = 100;

/** The calls of one answer. Gateways report a call up to four times, and not every report is complete. */
export class Calls {
  readonly #drafts: Draft[] = [];
  readonly #byName = new Map<string, Draft>();
  #length = 0;

  /** Whether there is too much, so that none of it can be run. */
  get isFull(): boolean {
    return this.#length > MAX_ANSWER_LENGTH;
  }

  get completed(): ToolCall[] {
    if (this.isFull) return [];
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
    const draft = this.#identify(item, position);
    if (draft.isComplete) return;
    finish(draft, item.arguments);
    this.#length += draft.call.arguments.length;
  }

  /** The answer is complete, so all calls are complete, even if no event said so. */
  completeAll(): void {
    for (const draft of this.#drafts) if (!draft.isComplete) finish(draft, undefined);
  }

  #addArguments(position: CallPosition, delta: unknown): void {
    if (typeof delta !== 'string') return;
    const draft = this.#find(namesOf({}, position));
    if (draft.isComplete) return;
    draft.call.arguments += delta;
    this.#length += delta.length;
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
    if (!existing) {
      this.#drafts.push(draft);
      this.#length += EMPTY_CALL_LENGTH;
    }
    for (const name of names) if (!this.#byName.has(name)) this.#byName.set(name, draft);
    return draft;
  }
}

function finish(draft: Draft, finalArguments: unknown): void {
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
