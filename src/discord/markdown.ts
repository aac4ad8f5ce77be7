import { messageAddress } from '../services/tasks/own-data/member-erasure.ts';
import type { MessageAddress, Task } from '../services/tasks/task.ts';

/** Text from others as inline code: a backtick would end it. */
export const inCode = (text: string): string => `\`${text.replaceAll('`', 'ˋ').replace(/\s+/g, ' ')}\``;

/** Overrides change the direction of all text behind them; letters of right-to-left languages need no overrides. */
const DIRECTION_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;
const ADDRESS = /(https?:\/\/[^\s<>]+)/;
/** Marks that would pair with others outside of a URL; percent-encoded they mean the same in it. */
const CODES: Readonly<Record<string, string>> = { '*': '%2A', '`': '%60', '|': '%7C', '~': '%7E' };

/** Text from others within a sentence: on one line, with all of Discord's marks escaped. */
export function escapeText(text: string, max: number): string {
  const line = text.replace(DIRECTION_OVERRIDES, '').replace(/\s+/g, ' ').trim();
  let shown = '';
  for (const [index, part] of line.split(ADDRESS).entries()) {
    // Discord shows a preview for a bare URL; angle brackets, which it hides, prevent that.
    const pieces = index % 2 === 1 ? [`<${encoded(part)}>`] : Array.from(part, escaped);
    for (const piece of pieces) {
      // Escaping makes text longer; the sent length counts.
      if (shown.length + piece.length > max - 1) return `${shown.trimEnd()}…`;
      shown += piece;
    }
  }
  return shown;
}

const escaped = (letter: string): string => (/[\\*_~`|<>[\]()]/.test(letter) ? `\\${letter}` : letter);
const encoded = (address: string): string => address.replace(/[*`|~]/g, (mark) => CODES[mark] ?? mark);

export const commandMention = (name: string, id: string | undefined): string =>
  id === undefined ? `\`/${name}\`` : `</${name}:${id}>`;

export function messageLink(task: Task): string | undefined {
  const address = messageAddress(task);
  return address && linkToMessage(address);
}

export const linkToMessage = ({ guildId = '@me', channelId, id }: MessageAddress): string =>
  `https://discord.com/channels/${guildId}/${channelId}/${id}`;
