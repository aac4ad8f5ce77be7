import { isRecord } from '../../../lib/exact-json.ts';
import { asText } from '../places.ts';
import type { ToolCall } from '../response-events.ts';

interface Draft {
  call: ToolCall;
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
    finish(this.#identify(item, position), item.arguments);
  }

  /** The answer is complete, so all calls are complete, even if no event said so. */
  completeAll(): void {
    for (const draft of this.#drafts) finish(draft, undefined);
  }

  #addArguments(position: CallPosition, delta: unknown): void {
    if (typeof delta !== 'string') return;
    const draft = this.#find(namesOf({}, position));
    if (!draft.isComplete) draft.call.arguments += delta;
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
    if (!existing) this.#drafts.push(draft);
    for (const name of names) if (!this.#byName.has(name)) this.#byName.set(name, draft);
    return draft;
  }
}

function finish(draft: Draft, finalArguments: unknown): void {
  if (draft.isComplete) return;
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
