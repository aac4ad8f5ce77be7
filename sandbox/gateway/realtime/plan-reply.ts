import type { TextRequest } from '../requests/text.ts';
import { conversationOf } from '../text/conversation.ts';
import { generateResponse } from '../text/generate.ts';
import { proseFor, quoted } from '../text/prose.ts';
import type { Conversation } from './conversation.ts';
import type { Settings } from './settings.ts';

/** What a reply contains: a text, or tool calls instead. */
export type ReplyPlan =
  | { readonly type: 'words'; readonly text: string }
  | { readonly type: 'calls'; readonly calls: readonly { readonly name: string; readonly argumentsJson: string }[] };

/** The number of words to repeat from the previous reply. */
const REPEATED_WORD_COUNT = 8;

/** Plans a reply without a model. The reply quotes the first and last messages and the previous reply, to show that the session has the whole conversation. */
export function planFor(conversation: Conversation, model: string, settings: Settings): ReplyPlan {
  const textRequest: TextRequest = {
    model,
    input: conversation.input,
    stream: true,
    instructions: settings.instructions,
    tools: settings.tools,
    tool_choice: settings.toolChoice,
  };
  const calls = generateResponse(textRequest, false).items.flatMap((item) => (item.type === 'call' ? [item] : []));
  if (calls.length > 0) return { type: 'calls', calls };
  const request = conversationOf(textRequest);
  // Drops the first paragraph, which quotes the question, as the introduction already does.
  const [, ...paragraphs] = proseFor(request, undefined).split('\n\n');
  return {
    type: 'words',
    text: withoutMarkdown([introduction(request, conversation, settings), ...paragraphs].join(' ')),
  };
}

function introduction(
  { question, earlierMessages }: ReturnType<typeof conversationOf>,
  { lastReply }: Conversation,
  { instructions }: Settings,
): string {
  const [first] = earlierMessages;
  const last = lastReply?.split(/\s+/).slice(-REPEATED_WORD_COUNT).join(' ');
  return [
    'This is the sandbox speaking.',
    question === '' ? 'You have not said anything yet.' : `You said: ${quoted(question)}.`,
    ...(first === undefined ? [] : [`The first of ${earlierMessages.length + 1} things was: ${quoted(first)}.`]),
    ...(last === undefined ? [] : [`My last words were: ${quoted(last)}.`]),
    ...(instructions === '' ? [] : [`I was told: ${quoted(instructions)}.`]),
  ].join(' ');
}

/** Removes Markdown, which cannot be spoken. */
const withoutMarkdown = (text: string) =>
  text
    .replace(/[*#`|]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
