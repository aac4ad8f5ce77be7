import { addressOf } from '../services/tasks/own-data/wish.ts';
import type { MessageAddress, Task } from '../services/tasks/task.ts';

/** Text of others inside code: a backtick would end it. */
export function inCode(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ').replace(/\s+/g, ' ')}\``;
}

/** They turn the direction of everything behind them; letters of any language find theirs by themselves. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const ADDRESS = /(https?:\/\/[^\s<>]+)/;
/** Marks that would pair with others outside of an address; as codes they mean the same in it. */
const CODES: Readonly<Record<string, string>> = { '*': '%2A', '`': '%60', '|': '%7C', '~': '%7E' };

/** Text of others in running text: on one line, every sign that Discord would read as more than itself taken literally. */
export function asText(text: string, most: number): string {
  const line = text.replace(TURNS, '').replace(/\s+/g, ' ').trim();
  let shown = '';
  for (const [index, part] of line.split(ADDRESS).entries()) {
    // An address would unfold into a preview; angle brackets around it, which nobody sees, keep it from that.
    const pieces = index % 2 === 1 ? [`<${coded(part)}>`] : Array.from(part, literal);
    for (const piece of pieces) {
      // What is taken literally is longer than it was: the length that counts is the one that is sent.
      if (shown.length + piece.length > most - 1) return `${shown.trimEnd()}…`;
      shown += piece;
    }
  }
  return shown;
}

const literal = (letter: string): string => (/[\\*_~`|<>[\]()]/.test(letter) ? `\\${letter}` : letter);
const coded = (address: string): string => address.replace(/[*`|~]/g, (mark) => CODES[mark] ?? mark);

/** A command by its name; where its id is known, it can be pressed. */
export function mentionOf(name: string, id: string | undefined): string {
  return id === undefined ? `\`/${name}\`` : `</${name}:${id}>`;
}

/** Where a task's message stands. */
export function messageLink(task: Task): string | undefined {
  const address = addressOf(task);
  return address && linkTo(address);
}

export const linkTo = ({ guildId = '@me', channelId, id }: MessageAddress): string =>
  `https://discord.com/channels/${guildId}/${channelId}/${id}`;
