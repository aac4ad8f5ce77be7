import type { TextRequest } from '../requests/text.ts';
import { fitting } from './fitting.ts';
import { type Conversation, conversationOf } from './heard.ts';
import { proseFor, quoted } from './prose.ts';

/** A thing that an answer consists of. */
export type Item =
  | { readonly type: 'reasoning'; readonly thoughts: readonly string[] }
  | { readonly type: 'web-search'; readonly query: string }
  | { readonly type: 'call'; readonly name: string; readonly written: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'refusal'; readonly text: string };

export interface Answer {
  readonly items: readonly Item[];
  /** Cut where the most tokens were reached. */
  readonly isIncomplete: boolean;
  readonly tokens: { readonly input: number; readonly output: number; readonly reasoning: number };
}

const THOUGHTS: Readonly<Record<string, number>> = { none: 0, minimal: 1, low: 1, medium: 3, high: 6, xhigh: 8 };
const SEARCHING = ['search', 'web', 'news', 'latest', 'today', 'weather'];
/** As a rule of thumb a token is four letters. */
const LETTERS_A_TOKEN = 4;

/** Answers without a model: everything follows from the request, so that the same request has the same answer. */
export function answerTo(order: TextRequest, canReason: boolean): Answer {
  const asked = conversationOf(order);
  const thoughts = canReason ? thoughtsOn(asked, order.reasoning?.effort) : [];
  const calls = callsFor(order, asked);
  const most = order.max_output_tokens;
  const whole = calls.length > 0 ? [] : [messageFor(order, asked)];
  const said = whole.map((item) =>
    most === undefined ? item : { ...item, text: item.text.slice(0, most * LETTERS_A_TOKEN) },
  );
  const items: Item[] = [
    ...(thoughts.length > 0 ? [{ type: 'reasoning', thoughts } as const] : []),
    ...(searchesFor(order, asked) ? [{ type: 'web-search', query: asked.question.slice(0, 200) } as const] : []),
    ...calls,
    ...said,
  ];
  const reasoning = tokensIn(thoughts.join(''));
  const output =
    tokensIn([...calls.map(({ written }) => written), ...said.map(({ text }) => text)].join('')) + reasoning;
  return {
    items,
    isIncomplete: said.some(({ text }, at) => text !== whole[at]?.text),
    tokens: { input: tokensIn(JSON.stringify(order.input) + (order.instructions ?? '')), output, reasoning },
  };
}

const tokensIn = (text: string) => Math.ceil(text.length / LETTERS_A_TOKEN);

function thoughtsOn({ question }: Conversation, effort = 'medium'): readonly string[] {
  return Array.from(
    { length: THOUGHTS[effort] ?? 3 },
    (_, at) => `Thought ${at + 1}: the sandbox turns ${quoted(question)} over and finds nothing that a model would.`,
  );
}

/** A tool is called when all words of its name are in the question, or when one has to be; never after its output has come. */
function callsFor({ tools, tool_choice }: TextRequest, { question, words, outputs }: Conversation) {
  if (tool_choice === 'none' || outputs.length > 0) return [];
  const offered = tools.filter(({ type, name }) => type === 'function' && name !== undefined);
  const asked = offered.filter(({ name = '' }) =>
    name
      .toLowerCase()
      .split(/[_-]+/)
      .every((word) => words.has(word)),
  );
  const called = asked.length === 0 && tool_choice !== 'auto' ? offered.slice(0, 1) : asked;
  return called.map(({ name = '', parameters }) => ({
    type: 'call' as const,
    name,
    written: JSON.stringify(fitting(parameters ?? { type: 'object', properties: {} }, question)),
  }));
}

function searchesFor({ tools }: TextRequest, { words }: Conversation): boolean {
  return tools.some(({ type }) => type.startsWith('web_search')) && SEARCHING.some((word) => words.has(word));
}

function messageFor({ text, instructions }: TextRequest, asked: Conversation) {
  const { question, words } = asked;
  if (words.has('refuse'))
    return { type: 'refusal' as const, text: `The sandbox will not do that: ${quoted(question)}.` };
  const format = text?.format;
  if (format?.type === 'json_schema')
    return { type: 'message' as const, text: JSON.stringify(fitting(format.schema, question)) };
  const prose = proseFor(asked, instructions);
  return {
    type: 'message' as const,
    text: format?.type === 'json_object' ? JSON.stringify({ sandbox: true, answer: prose }) : prose,
  };
}
