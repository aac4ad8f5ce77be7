import type { Item } from '../text/engine.ts';
import { chatBody, itemBodies, itemBody, itemId, responseBody, statusOf, type Written } from './text.ts';
import type { Body } from './view.ts';

/** One event and how long it takes to come, in milliseconds of the gateway's own time. */
export interface Beat {
  readonly wait: number;
  readonly event: Body;
}

const FIRST = 400;
const THOUGHT = 120;
const PIECE = 25;
const SEARCH = 900;

/** The events of a stream in their order (wire facts, part 5), without their numbers. */
export function* beatsOf(written: Written, hasEmptyEnd = false): Generator<Beat, void, void> {
  const begun = responseBody(written, 'in_progress', []);
  yield { wait: 0, event: { type: 'response.created', response: begun } };
  yield { wait: FIRST, event: { type: 'response.in_progress', response: begun } };
  for (const [at, item] of written.answer.items.entries()) {
    const place = { output_index: at };
    const whole = itemBody(written, item, at);
    yield { wait: PIECE, event: { type: 'response.output_item.added', ...place, item: unfilled(whole) } };
    yield* inside(item, { item_id: itemId(written, item, at), ...place }, written);
    yield { wait: 0, event: { type: 'response.output_item.done', ...place, item: whole } };
  }
  const status = statusOf(written);
  const response = responseBody(written, status, hasEmptyEnd ? [] : itemBodies(written));
  yield { wait: 0, event: { type: `response.${status}`, response } };
}

/** As an item begins: it has its name and nothing yet to say. */
function unfilled(item: Body): Body {
  const empty = { summary: [], content: [], arguments: '' };
  const kept = Object.entries(item).map(([name, value]) => [
    name,
    name in empty ? empty[name as keyof typeof empty] : value,
  ]);
  return { ...Object.fromEntries(kept), status: 'in_progress' };
}

function* inside(item: Item, place: Body, { profile }: Written): Generator<Beat, void, void> {
  switch (item.type) {
    case 'message':
      return yield* spoken('response.output_text', { ...place, content_index: 0 }, item.text, 'text');
    case 'refusal':
      return yield* spoken('response.refusal', { ...place, content_index: 0 }, item.text, 'refusal');
    case 'call':
      return yield* spoken('response.function_call_arguments', place, item.written, 'arguments');
    case 'web-search':
      for (const step of ['in_progress', 'searching', 'completed'])
        yield { wait: SEARCH, event: { type: `response.web_search_call.${step}`, ...place } };
      return;
    case 'reasoning':
      for (const [at, thought] of item.thoughts.entries()) {
        const isSummary = profile === 'spec';
        const name = isSummary ? 'response.reasoning_summary_text' : 'response.reasoning_text';
        yield* spoken(
          name,
          { ...place, [isSummary ? 'summary_index' : 'content_index']: at },
          thought,
          'text',
          THOUGHT,
        );
      }
  }
}

function* spoken(name: string, place: Body, words: string, field: string, wait = PIECE): Generator<Beat, void, void> {
  for (const delta of piecesOf(words)) yield { wait, event: { type: `${name}.delta`, ...place, delta } };
  yield { wait: 0, event: { type: `${name}.done`, ...place, [field]: words } };
}

/** A word at a time, with the space behind it: about what models call a token. */
const piecesOf = (words: string) => words.match(/\s*\S{1,24}\s*/g) ?? [];

/** The same answer as chats stream it; what was used comes after the last word, in a piece of its own. */
export function* chatBeatsOf(written: Written): Generator<Beat, void, void> {
  const { choices, usage, ...head } = chatBody(written);
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const [{ message, finish_reason }] = choices as [
    { message: { content: string | null; tool_calls?: Body[] }; finish_reason: string },
  ];
  const piece = (delta: Body, reason: string | null = null): Body => ({
    ...chunk,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  yield { wait: FIRST, event: piece({ role: 'assistant', content: '' }) };
  for (const content of piecesOf(message.content ?? '')) yield { wait: PIECE, event: piece({ content }) };
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    const { name, arguments: written } = call.function as { name: string; arguments: string };
    yield { wait: PIECE, event: piece({ tool_calls: [{ ...call, index, function: { name, arguments: '' } }] }) };
    for (const part of piecesOf(written))
      yield { wait: PIECE, event: piece({ tool_calls: [{ index, function: { arguments: part } }] }) };
  }
  yield { wait: 0, event: piece({}, finish_reason) };
  yield { wait: 0, event: { ...chunk, choices: [], usage } };
}
