import { wordsOf } from '../prompt-words.ts';
import type { InputItem, TextRequest } from '../requests/text.ts';

/** The parts of a request's input on which the generated response depends. */
export interface Conversation {
  /** The user's last message. */
  readonly question: string;
  /** The words of the question in lower case, for searches. */
  readonly words: ReadonlySet<string>;
  /** The user's earlier messages, oldest first. */
  readonly earlierMessages: readonly string[];
  readonly imageCount: number;
  readonly audioFileCount: number;
  readonly files: readonly string[];
  /** The outputs of tools that came after the question. */
  readonly outputs: readonly { readonly name: string; readonly output: string }[];
}

export function conversationOf({ input }: TextRequest): Conversation {
  const items: readonly InputItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const userMessages = items.filter(({ role }) => role === 'user');
  const lastMessage = userMessages.at(-1);
  const question = lastMessage ? textOf(lastMessage.content) : '';
  const parts = lastMessage && Array.isArray(lastMessage.content) ? lastMessage.content : [];
  const toolNames = new Map(items.map(({ call_id, name }) => [name === undefined ? undefined : call_id, name]));
  const itemsAfterQuestion = lastMessage ? items.slice(items.lastIndexOf(lastMessage) + 1) : items;
  return {
    question,
    words: new Set(wordsOf(question)),
    earlierMessages: userMessages.slice(0, -1).map(({ content }) => textOf(content)),
    imageCount: parts.filter(({ type }) => type === 'input_image').length,
    audioFileCount: parts.filter(({ type }) => type === 'input_audio').length,
    files: parts.filter(({ type }) => type === 'input_file').map(({ filename }) => filename ?? 'a file'),
    outputs: itemsAfterQuestion
      .filter(({ type }) => type === 'function_call_output')
      .map(({ call_id, output }) => ({ name: toolNames.get(call_id) ?? 'a tool', output: textOf(output) })),
  };
}

function textOf(content: InputItem['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n');
}
