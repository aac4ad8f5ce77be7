import type { ToolCall } from '../responses/events.ts';
import { callItem, outputItem } from '../responses/request.ts';
import type { EarlierTurn } from './events.ts';
import { type Dialect, memberSaid, modelSaid } from './wire.ts';

/** Stands in for an untranscribed utterance in a new session: without it the answer would lack its question. */
export const UNWRITTEN = '[A spoken message that was not written down.]';

/** Limits of what a new session is told: enough context without the cost of hours. */
const MOST_ENTRIES = 40;
const MOST_LETTERS = 60_000;

type Output = { callId: string; output: string };
type Entry = { turn: EarlierTurn } | { call: ToolCall } | { output: Output };

/** The conversation so far as text, for a connection that did not hear it. */
export class Memory {
  #entries: Entry[];

  constructor(earlier: readonly EarlierTurn[]) {
    this.#entries = earlier.filter(({ text }) => text.trim() !== '').map((turn) => ({ turn: { ...turn } }));
  }

  said(by: EarlierTurn['by'], text: string): void {
    if (text.trim() !== '') this.#add({ turn: { by, text } });
  }

  /** Adds an utterance in audio; the returned function sets its transcript later. */
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

  /** As conversation items, oldest first. */
  items(dialect: Dialect): Record<string, unknown>[] {
    const kept = bounded(this.#entries);
    const calls = new Set(kept.flatMap((entry) => ('call' in entry ? [entry.call.callId] : [])));
    return kept.flatMap((entry) => {
      if ('call' in entry) return [callItem(entry.call)];
      // An output without its call is refused.
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

/** The newest entries within the limits. */
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
