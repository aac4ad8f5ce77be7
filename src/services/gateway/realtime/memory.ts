import type { ToolCall } from '../responses/events.ts';
import { callItem, outputItem } from '../responses/request.ts';
import type { EarlierTurn } from './events.ts';
import { type Dialect, memberSaid, modelSaid } from './wire.ts';

/** What a session made anew is told in place of a sound that nobody wrote down: without it the answer to it would come from nowhere. */
export const UNWRITTEN = '[A spoken message that was not written down.]';

/** As much as a model is told again: enough to go on, and not the price of hours. */
const MOST_ENTRIES = 40;
const MOST_LETTERS = 60_000;

type Output = { callId: string; output: string };
type Entry = { turn: EarlierTurn } | { call: ToolCall } | { output: Output };

/** The conversation so far, in words, for a connection that did not hear it. */
export class Memory {
  #entries: Entry[];

  constructor(earlier: readonly EarlierTurn[]) {
    this.#entries = earlier.filter(({ text }) => text.trim() !== '').map((turn) => ({ turn: { ...turn } }));
  }

  said(by: EarlierTurn['by'], text: string): void {
    if (text.trim() !== '') this.#add({ turn: { by, text } });
  }

  /** A sound; what is returned takes the words that become known later. */
  heard(): (text: string) => void {
    const turn: EarlierTurn = { by: 'member', text: UNWRITTEN };
    this.#add({ turn });
    return (text) => {
      turn.text = text;
    };
  }

  called(call: ToolCall): void {
    this.#add({ call });
  }

  answered(output: Output): void {
    this.#add({ output });
  }

  /** As items of a conversation, oldest first. */
  items(dialect: Dialect): Record<string, unknown>[] {
    const kept = bounded(this.#entries);
    const calls = new Set(kept.flatMap((entry) => ('call' in entry ? [entry.call.callId] : [])));
    return kept.flatMap((entry) => {
      if ('call' in entry) return [callItem(entry.call)];
      // Without its call it is refused.
      if ('output' in entry) return calls.has(entry.output.callId) ? [outputItem(entry.output)] : [];
      const { by, text } = entry.turn;
      return [by === 'member' ? memberSaid(text) : modelSaid(text, dialect)];
    });
  }

  #add(entry: Entry): void {
    this.#entries.push(entry);
    this.#entries = this.#entries.slice(-MOST_ENTRIES);
  }
}

/** The newest, as far as they go. */
function bounded(entries: readonly Entry[]): Entry[] {
  const kept: Entry[] = [];
  let left = MOST_LETTERS;
  for (const entry of entries.slice(-MOST_ENTRIES).toReversed()) {
    const letters = lettersOf(entry);
    if (letters > left && kept.length > 0) break;
    left -= letters;
    kept.unshift('turn' in entry ? { turn: { ...entry.turn, text: entry.turn.text.slice(0, MOST_LETTERS) } } : entry);
  }
  return kept;
}

function lettersOf(entry: Entry): number {
  if ('turn' in entry) return entry.turn.text.length;
  return 'call' in entry ? entry.call.arguments.length : entry.output.output.length;
}
