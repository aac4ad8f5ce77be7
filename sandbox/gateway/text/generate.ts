import type { TextRequest } from '../requests/text.ts';
import { type Conversation, conversationOf } from './conversation.ts';
import { proseFor, quoted } from './prose.ts';
import { valueForSchema } from './schema-value.ts';

/** One item of a response. */
export type OutputItem =
  | { readonly type: 'reasoning'; readonly thoughts: readonly string[] }
  | { readonly type: 'web-search'; readonly query: string }
  | { readonly type: 'call'; readonly name: string; readonly argumentsJson: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'refusal'; readonly text: string };

export interface GeneratedResponse {
  readonly items: readonly OutputItem[];
  /** Whether the text was truncated at the token limit. */
  readonly isIncomplete: boolean;
  readonly tokens: { readonly input: number; readonly output: number; readonly reasoning: number };
}

const THOUGHTS_BY_EFFORT: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1,
  low: 1,
  medium: 3,
  high: 6,
  xhigh: 8,
};
const SEARCH_WORDS = ['search', 'web', 'news', 'latest', 'today', 'weather'];
/** A rule of thumb: a token is about four characters. */
const CHARACTERS_PER_TOKEN = 4;
/** An image or a sound counts the same in any size, roughly as for real models. */
const TOKENS_PER_FILE = 1_000;

/** Generates a response without a model: the same request always results in the same response. */
export function generateResponse(request: TextRequest, canReason: boolean, mustCall = false): GeneratedResponse {
  const conversation = conversationOf(request);
  const thoughts = canReason ? thoughtsOn(conversation, request.reasoning?.effort) : [];
  const calls = callsFor(request, conversation, mustCall);
  const maxTokens = request.max_output_tokens;
  const messages = calls.length > 0 ? [] : [messageFor(request, conversation)];
  const truncatedMessages = messages.map((item) =>
    maxTokens === undefined ? item : { ...item, text: item.text.slice(0, maxTokens * CHARACTERS_PER_TOKEN) },
  );
  const items: OutputItem[] = [
    ...(thoughts.length > 0 ? [{ type: 'reasoning', thoughts } as const] : []),
    ...(requestsSearch(request, conversation)
      ? [{ type: 'web-search', query: conversation.question.slice(0, 200) } as const]
      : []),
    ...calls,
    ...truncatedMessages,
  ];
  const reasoning = countTokens(thoughts.join(''));
  const output =
    countTokens(
      [...calls.map(({ argumentsJson }) => argumentsJson), ...truncatedMessages.map(({ text }) => text)].join(''),
    ) + reasoning;
  return {
    items,
    isIncomplete: truncatedMessages.some(({ text }, index) => text !== messages[index]?.text),
    tokens: { input: inputTokens(request), output, reasoning },
  };
}

function inputTokens({ input, instructions = '' }: TextRequest): number {
  let files = 0;
  const text = JSON.stringify(input, (key, value: unknown) => {
    if (key !== 'image_url' && key !== 'input_audio') return value;
    files++;
    return undefined;
  });
  return countTokens(text + instructions) + files * TOKENS_PER_FILE;
}

const countTokens = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

function thoughtsOn({ question }: Conversation, effort = 'medium'): readonly string[] {
  return Array.from(
    { length: THOUGHTS_BY_EFFORT[effort] ?? 3 },
    (_, index) =>
      `Thought ${index + 1}: the sandbox turns ${quoted(question)} over and finds nothing that a model would.`,
  );
}

/** Calls a tool if the question contains all words of its name, or if the request requires a tool; never after a tool's output, unless a fault makes it. */
function callsFor({ tools, tool_choice }: TextRequest, { question, words, outputs }: Conversation, mustCall: boolean) {
  if (!mustCall && (tool_choice === 'none' || outputs.length > 0)) return [];
  const functions = tools.filter(({ type, name }) => type === 'function' && name !== undefined);
  const namedFunctions = functions.filter(({ name = '' }) =>
    name
      .toLowerCase()
      .split(/[_-]+/)
      .every((word) => words.has(word)),
  );
  const calledFunctions =
    namedFunctions.length === 0 && (mustCall || tool_choice !== 'auto') ? functions.slice(0, 1) : namedFunctions;
  return calledFunctions.map(({ name = '', parameters }) => ({
    type: 'call' as const,
    name,
    argumentsJson: JSON.stringify(valueForSchema(parameters ?? { type: 'object', properties: {} }, question)),
  }));
}

function requestsSearch({ tools }: TextRequest, { words }: Conversation): boolean {
  return tools.some(({ type }) => type.startsWith('web_search')) && SEARCH_WORDS.some((word) => words.has(word));
}

function messageFor({ text, instructions }: TextRequest, conversation: Conversation) {
  const { question, words } = conversation;
  if (words.has('refuse'))
    return { type: 'refusal' as const, text: `The sandbox will not do that: ${quoted(question)}.` };
  const format = text?.format;
  if (format?.type === 'json_schema')
    return {
      type: 'message' as const,
      text: JSON.stringify(proposalsFor(format.name, question) ?? valueForSchema(format.schema, question)),
    };
  const prose = proseFor(conversation, instructions);
  return {
    type: 'message' as const,
    text: format?.type === 'json_object' ? JSON.stringify({ sandbox: true, answer: prose }) : prose,
  };
}

const VERSIONS = ['in soft morning light', 'as a detailed oil painting', 'seen from far above'];

/** If the question is a JSON string and a format with this name is asked for, other versions of the string. */
function proposalsFor(formatName: string | undefined, question: string) {
  if (formatName !== 'proposals' || !/^"(?:[^"\\]|\\.)*"$/.test(question)) return undefined;
  return { proposals: VERSIONS.map((version) => `${JSON.parse(question)}, ${version}`) };
}
