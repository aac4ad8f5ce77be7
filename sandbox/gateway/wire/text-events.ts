import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { OutputItem } from '../text/generate.ts';
import {
  chatBody,
  type ItemBody,
  itemBodies,
  itemBody,
  itemId,
  type ResponseBody,
  responseBody,
  statusOf,
  type TextResponse,
} from './text.ts';
import type { Body } from './view.ts';

/** An event and its delay in milliseconds of the gateway's own time. */
export interface TimedEvent<Event = Body> {
  readonly wait: number;
  readonly event: Event;
}

/** An event of OpenAI's client, without its number. */
type ResponseEvent = Unnumbered<ResponseStreamEvent>;
type Unnumbered<Event> = Event extends { response: Response }
  ? Omit<Event, 'sequence_number' | 'response'> & { response: ResponseBody }
  : Omit<Event, 'sequence_number'>;

type TimedResponseEvents = Generator<TimedEvent<ResponseEvent>, void, void>;
type ItemPosition = { readonly item_id: string; readonly output_index: number };

const FIRST_EVENT_MS = 400;
const THOUGHT_MS = 120;
const PIECE_MS = 25;
const SEARCH_STEP_MS = 900;

/** The events of a stream in the documented order, without sequence numbers. */
export function* responseEvents(response: TextResponse, hasEmptyOutput = false): TimedResponseEvents {
  const startedResponse = responseBody(response, 'in_progress', []);
  yield timed({ type: 'response.created', response: startedResponse });
  yield timed({ type: 'response.in_progress', response: startedResponse }, FIRST_EVENT_MS);
  for (const [output_index, item] of response.generated.items.entries()) {
    const fullItem = itemBody(response, item, output_index);
    yield timed({ type: 'response.output_item.added', output_index, item: startedItem(fullItem) }, PIECE_MS);
    yield* itemEvents(item, { item_id: itemId(response, item, output_index), output_index }, response);
    yield timed({ type: 'response.output_item.done', output_index, item: fullItem });
  }
  const status = statusOf(response);
  const finalResponse = responseBody(response, status, hasEmptyOutput ? [] : itemBodies(response));
  yield timed({ type: `response.${status}`, response: finalResponse });
}

const timed = (event: ResponseEvent, wait = 0): TimedEvent<ResponseEvent> => ({ wait, event });

/** An item as it is when it starts, without content. */
function startedItem(item: ItemBody): ItemBody {
  const status = 'in_progress';
  switch (item.type) {
    case 'message':
      return { ...item, status, content: [] };
    case 'reasoning':
      return { ...item, status, summary: [], ...(item.content && { content: [] }) };
    case 'function_call':
      return { ...item, status, arguments: '' };
    case 'web_search_call':
      return { ...item, status };
  }
}

function* itemEvents(item: OutputItem, position: ItemPosition, { profile }: TextResponse): TimedResponseEvents {
  switch (item.type) {
    case 'message':
      return yield* messageEvents(item.text, { ...position, content_index: 0 });
    case 'refusal':
      return yield* refusalEvents(item.text, { ...position, content_index: 0 });
    case 'call':
      for (const delta of piecesOf(item.argumentsJson))
        yield timed({ type: 'response.function_call_arguments.delta', ...position, delta }, PIECE_MS);
      yield timed({ type: 'response.function_call_arguments.done', ...position, arguments: item.argumentsJson });
      return;
    case 'web-search':
      for (const step of ['in_progress', 'searching', 'completed'] as const)
        yield timed({ type: `response.web_search_call.${step}`, ...position }, SEARCH_STEP_MS);
      return;
    case 'reasoning':
      for (const [index, thought] of item.thoughts.entries())
        yield* profile === 'spec'
          ? summaryEvents(thought, { ...position, summary_index: index })
          : reasoningEvents(thought, { ...position, content_index: index });
  }
}

function* messageEvents(text: string, position: ItemPosition & { content_index: number }): TimedResponseEvents {
  const type = 'output_text';
  yield timed({ type: 'response.content_part.added', ...position, part: { type, text: '', annotations: [] } });
  for (const delta of piecesOf(text))
    yield timed({ type: 'response.output_text.delta', ...position, delta, logprobs: [] }, PIECE_MS);
  yield timed({ type: 'response.output_text.done', ...position, text, logprobs: [] });
  yield timed({ type: 'response.content_part.done', ...position, part: { type, text, annotations: [] } });
}

function* refusalEvents(refusal: string, position: ItemPosition & { content_index: number }): TimedResponseEvents {
  yield timed({ type: 'response.content_part.added', ...position, part: { type: 'refusal', refusal: '' } });
  for (const delta of piecesOf(refusal)) yield timed({ type: 'response.refusal.delta', ...position, delta }, PIECE_MS);
  yield timed({ type: 'response.refusal.done', ...position, refusal });
  yield timed({ type: 'response.content_part.done', ...position, part: { type: 'refusal', refusal } });
}

function* summaryEvents(text: string, position: ItemPosition & { summary_index: number }): TimedResponseEvents {
  const type = 'summary_text';
  yield timed({ type: 'response.reasoning_summary_part.added', ...position, part: { type, text: '' } });
  for (const delta of piecesOf(text))
    yield timed({ type: 'response.reasoning_summary_text.delta', ...position, delta }, THOUGHT_MS);
  yield timed({ type: 'response.reasoning_summary_text.done', ...position, text });
  yield timed({ type: 'response.reasoning_summary_part.done', ...position, part: { type, text } });
}

function* reasoningEvents(text: string, position: ItemPosition & { content_index: number }): TimedResponseEvents {
  const type = 'reasoning_text';
  yield timed({ type: 'response.content_part.added', ...position, part: { type, text: '' } });
  for (const delta of piecesOf(text))
    yield timed({ type: 'response.reasoning_text.delta', ...position, delta }, THOUGHT_MS);
  yield timed({ type: 'response.reasoning_text.done', ...position, text });
  yield timed({ type: 'response.content_part.done', ...position, part: { type, text } });
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
