import type { EarlierTurn } from './events.ts';
import { type Dialect, memberMessage, modelMessage } from './wire.ts';

/** Stands for an untranscribed utterance in a new session, so that its answer is not left without a question. */
export const UNTRANSCRIBED = '[A spoken message that was not written down.]';

/** Limits for the history of a new session: enough context, without the cost of resending hours of conversation. */
const MAX_TURNS = 40;
const MAX_CHARACTERS = 60_000;

/** The conversation so far as text, for a connection that was not open at the time. */
export class ConversationMemory {
  #turns: EarlierTurn[];

  constructor(pastTurns: readonly EarlierTurn[]) {
    this.#turns = pastTurns.filter(({ text }) => text.trim() !== '').map((turn) => ({ ...turn }));
  }

  addTurn(by: EarlierTurn['by'], text: string): void {
    if (text.trim() !== '') this.#add({ by, text });
  }

  /** Adds a spoken utterance. The returned function sets its transcript later. */
  addUtterance(): (text: string) => void {
    const turn: EarlierTurn = { by: 'member', text: UNTRANSCRIBED };
    this.#add(turn);
    return (text) => {
      turn.text = text;
    };
  }

  /** The conversation as items for the gateway, oldest first. */
  items(dialect: Dialect): Record<string, unknown>[] {
    return withinLimits(this.#turns).map(({ by, text }) =>
      by === 'member' ? memberMessage(text) : modelMessage(text, dialect),
    );
  }

  #add(turn: EarlierTurn): void {
    this.#turns.push(turn);
    this.#turns = this.#turns.slice(-MAX_TURNS);
  }
}

/** The newest turns within the limits. */
function withinLimits(turns: readonly EarlierTurn[]): EarlierTurn[] {
  const recent: EarlierTurn[] = [];
  let remaining = MAX_CHARACTERS;
  for (const { by, text } of turns.slice(-MAX_TURNS).toReversed()) {
    if (text.length > remaining && recent.length > 0) break;
    remaining -= text.length;
    recent.unshift({ by, text: text.slice(0, MAX_CHARACTERS) });
  }
  return recent;
}
