import type { ToolCall } from '../responses/events.ts';
import { callItem, outputItem } from '../responses/request.ts';
import type { EarlierTurn } from './events.ts';
import { type Dialect, memberMessage, modelMessage } from './wire.ts';

/** Stands for an untranscribed utterance in a new session, so that its answer is not left without a question. */
export const UNTRANSCRIBED = '[A spoken message that was not written down.]';

/** Limits for the history of a new session: enough context, without the cost of resending hours of conversation. */
const MAX_ENTRIES = 40;
const MAX_CHARACTERS = 60_000;

type Output = { callId: string; output: string };
type Entry = { turn: EarlierTurn } | { call: ToolCall } | { output: Output };

/** The conversation so far as text, for a connection that was not open at the time. */
export class ConversationMemory {
  #entries: Entry[];

  constructor(pastTurns: readonly EarlierTurn[]) {
    this.#entries = pastTurns.filter(({ text }) => text.trim() !== '').map((turn) => ({ turn: { ...turn } }));
  }

  addTurn(by: EarlierTurn['by'], text: string): void {
    if (text.trim() !== '') this.#add({ turn: { by, text } });
  }

  /** Adds a spoken utterance. The returned function sets its transcript later. */
  addUtterance(): (text: string) => void {
    const turn: EarlierTurn = { by: 'member', text: UNTRANSCRIBED };
    this.#add({ turn });
    return (text) => {
      turn.text = text;
    };
  }

  addCall(call: ToolCall): void {
    this.#add({ call });
  }

  addOutput(output: Output): void {
    this.#add({ output });
  }

  /** The conversation as items for the gateway, oldest first. */
  items(dialect: Dialect): Record<string, unknown>[] {
    const recent = withinLimits(this.#entries);
    const calls = new Set(recent.flatMap((entry) => ('call' in entry ? [entry.call.callId] : [])));
    return recent.flatMap((entry) => {
      if ('call' in entry) return [callItem(entry.call)];
      // Gateways refuse an output without its call.
      if ('output' in entry) return calls.has(entry.output.callId) ? [outputItem(entry.output)] : [];
      const { by, text } = entry.turn;
      return [by === 'member' ? memberMessage(text) : modelMessage(text, dialect)];
    });
  }

  #add(entry: Entry): void {
    this.#entries.push(entry);
    this.#entries = this.#entries.slice(-MAX_ENTRIES);
  }
}

/** The newest entries within the limits. */
function withinLimits(entries: readonly Entry[]): Entry[] {
  const recent: Entry[] = [];
  let remaining = MAX_CHARACTERS;
  for (const entry of entries.slice(-MAX_ENTRIES).toReversed()) {
    const length = lengthOf(entry);
    if (length > remaining && recent.length > 0) break;
    remaining -= length;
    recent.unshift(
      'turn' in entry ? { turn: { ...entry.turn, text: entry.turn.text.slice(0, MAX_CHARACTERS) } } : entry,
    );
  }
  return recent;
}

function lengthOf(entry: Entry): number {
  if ('turn' in entry) return entry.turn.text.length;
  return 'call' in entry ? entry.call.arguments.length : entry.output.output.length;
}
