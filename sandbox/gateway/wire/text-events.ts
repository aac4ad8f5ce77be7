import type { OutputItem } from '../text/generate.ts';
import { chatBody, itemBodies, itemBody, itemId, responseBody, statusOf, type TextResponse } from './text.ts';
import type { Body } from './view.ts';

/** An event and its delay in milliseconds of the gateway's own time. */
export interface TimedEvent {
  readonly wait: number;
  readonly event: Body;
}

const FIRST_EVENT_MS = 400;
const THOUGHT_MS = 120;
const PIECE_MS = 25;
const SEARCH_STEP_MS = 900;

/** The events of a stream in order, without sequence numbers. */
export function* responseEvents(response: TextResponse, hasEmptyOutput = false): Generator<TimedEvent, void, void> {
  const startedResponse = responseBody(response, 'in_progress', []);
  yield { wait: 0, event: { type: 'response.created', response: startedResponse } };
  yield { wait: FIRST_EVENT_MS, event: { type: 'response.in_progress', response: startedResponse } };
  for (const [itemIndex, item] of response.generated.items.entries()) {
    const position = { output_index: itemIndex };
    const fullItem = itemBody(response, item, itemIndex);
    yield { wait: PIECE_MS, event: { type: 'response.output_item.added', ...position, item: emptyItem(fullItem) } };
    yield* itemEvents(item, { item_id: itemId(response, item, itemIndex), ...position }, response);
    yield { wait: 0, event: { type: 'response.output_item.done', ...position, item: fullItem } };
  }
  const status = statusOf(response);
  const finalResponse = responseBody(response, status, hasEmptyOutput ? [] : itemBodies(response));
  yield { wait: 0, event: { type: `response.${status}`, response: finalResponse } };
}

/** An item as it is when it starts, without content. */
function emptyItem(item: Body): Body {
  const empty = { summary: [], content: [], arguments: '' };
  const fields = Object.entries(item).map(([name, value]) => [
    name,
    name in empty ? empty[name as keyof typeof empty] : value,
  ]);
  return { ...Object.fromEntries(fields), status: 'in_progress' };
}

function* itemEvents(item: OutputItem, position: Body, { profile }: TextResponse): Generator<TimedEvent, void, void> {
  switch (item.type) {
    case 'message':
      return yield* deltaEvents('response.output_text', { ...position, content_index: 0 }, item.text, 'text');
    case 'refusal':
      return yield* deltaEvents('response.refusal', { ...position, content_index: 0 }, item.text, 'refusal');
    case 'call':
      return yield* deltaEvents('response.function_call_arguments', position, item.argumentsJson, 'arguments');
    case 'web-search':
      for (const step of ['in_progress', 'searching', 'completed'])
        yield { wait: SEARCH_STEP_MS, event: { type: `response.web_search_call.${step}`, ...position } };
      return;
    case 'reasoning':
      for (const [partIndex, thought] of item.thoughts.entries()) {
        const isSummary = profile === 'spec';
        const name = isSummary ? 'response.reasoning_summary_text' : 'response.reasoning_text';
        yield* deltaEvents(
          name,
          { ...position, [isSummary ? 'summary_index' : 'content_index']: partIndex },
          thought,
          'text',
          THOUGHT_MS,
        );
      }
  }
}

function* deltaEvents(
  name: string,
  position: Body,
  text: string,
  field: string,
  wait = PIECE_MS,
): Generator<TimedEvent, void, void> {
  for (const delta of piecesOf(text)) yield { wait, event: { type: `${name}.delta`, ...position, delta } };
  yield { wait: 0, event: { type: `${name}.done`, ...position, [field]: text } };
}

/** Splits text into words, which are about the size of tokens. */
const piecesOf = (text: string) => text.match(/\s*\S{1,24}\s*/g) ?? [];

/** The response as a chat completion stream; the usage comes last, in its own chunk. */
export function* chatEvents(response: TextResponse): Generator<TimedEvent, void, void> {
  const { choices, usage, ...head } = chatBody(response);
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const [{ message, finish_reason }] = choices as [
    { message: { content: string | null; tool_calls?: Body[] }; finish_reason: string },
  ];
  const piece = (delta: Body, reason: string | null = null): Body => ({
    ...chunk,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  yield { wait: FIRST_EVENT_MS, event: piece({ role: 'assistant', content: '' }) };
  for (const content of piecesOf(message.content ?? '')) yield { wait: PIECE_MS, event: piece({ content }) };
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    const { name, arguments: argumentsJson } = call.function as { name: string; arguments: string };
    yield { wait: PIECE_MS, event: piece({ tool_calls: [{ ...call, index, function: { name, arguments: '' } }] }) };
    for (const part of piecesOf(argumentsJson))
      yield { wait: PIECE_MS, event: piece({ tool_calls: [{ index, function: { arguments: part } }] }) };
  }
  yield { wait: 0, event: piece({}, finish_reason) };
  yield { wait: 0, event: { ...chunk, choices: [], usage } };
}
