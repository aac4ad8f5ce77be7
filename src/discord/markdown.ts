import type { Say } from '../locales/index.ts';
import { messageAddress } from '../services/orders/member-erasure.ts';
import type { MessageAddress, Task } from '../services/tasks/task.ts';

/** Text from outside as inline code; a backtick would end the code, so it is replaced. */
export const inlineCode = (text: string): string => `\`${text.replaceAll('`', 'ˋ').replace(/\s+/g, ' ')}\``;

/** Overrides change the direction of all text after them. Right-to-left languages work without them. */
const DIRECTION_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;
const URL_PATTERN = /(https?:\/\/[^\s<>]+)/;
/** Markdown characters that could pair with others outside of a URL. Percent-encoded, they mean the same in the URL. */
const PERCENT_CODES: Readonly<Record<string, string>> = { '*': '%2A', '`': '%60', '|': '%7C', '~': '%7E' };

/** Text from outside for use within a sentence: on one line, with all Markdown characters escaped. */
export function escapeText(text: string, max: number): string {
  const line = text.replace(DIRECTION_OVERRIDES, '').replace(/\s+/g, ' ').trim();
  // Most texts are short and plain.
  if (line.length < max && !MARKDOWN.test(line) && !URL_PATTERN.test(line)) return line;
  let result = '';
  for (const [index, part] of line.split(URL_PATTERN).entries()) {
    // Discord shows a preview of a bare URL. Angle brackets prevent that, and are not shown.
    const url = part.replace(/[*`|~]/g, (character) => PERCENT_CODES[character] ?? character);
    const pieces = index % 2 === 1 ? [`<${url}>`] : Array.from(part, (one) => (MARKDOWN.test(one) ? `\\${one}` : one));
    for (const piece of pieces) {
      // The limit applies to the escaped text, which is longer.
      if (result.length + piece.length > max - 1) return `${result.trimEnd()}…`;
      result += piece;
    }
  }
  return result;
}

const MARKDOWN = /[\\*_~`|<>[\]()]/;

export const commandMention = (name: string, id: string | undefined): string =>
  id === undefined ? `\`/${name}\`` : `</${name}:${id}>`;

/** A member's mention, until their data is erased. */
export const memberMention = (memberId: string | undefined, say: Say): string =>
  memberId === undefined ? say('deletedMember') : `<@${memberId}>`;

export const subjectLink = ({ guildId, channelId, request: { about: id } }: Task): string | undefined =>
  channelId === undefined || id === undefined ? undefined : linkToMessage({ guildId, channelId, id });

export function messageLink(task: Task): string | undefined {
  const address = messageAddress(task);
  return address && linkToMessage(address);
}

export const linkToMessage = ({ guildId = '@me', channelId, id }: MessageAddress): string =>
  `https://discord.com/channels/${guildId}/${channelId}/${id}`;
