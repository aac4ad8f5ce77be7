import { createParser } from 'eventsource-parser';
import { isRecord, parsePlainJson } from '../../lib/exact-json.ts';

/** Reads a body up to a limit. Stopping early closes the connection. */
export async function collectChunks(body: AsyncIterable<Uint8Array>, max: number) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > max) break;
    chunks.push(chunk);
  }
  return { chunks, isComplete: size <= max };
}

export type TextStream = AsyncGenerator<string, void, void>;

/** Decodes a body chunk by chunk, up to a limit. */
export async function* decodeChunks(
  body: AsyncIterable<Uint8Array>,
  max: number,
  createError: () => Error,
): TextStream {
  // A character may be split between chunks.
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > max) throw createError();
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield text;
  }
}

/** Returns the first piece with content, and the whole stream; undefined if there is no content. */
export async function peekStream(pieces: TextStream): Promise<{ first: string; all: TextStream } | undefined> {
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return undefined;
    if (value.trim() !== '') return { first: value.trimStart(), all: withFirst(value, pieces) };
  }
}

/** The stream with the first item again that was taken from it. */
export async function* withFirst<T>(first: T, rest: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  try {
    yield first;
    yield* rest;
  } finally {
    // Without this, the connection would stay open if the iteration ends before the rest has started.
    await rest.return();
  }
}

/** How the fields and comments of an event stream start. Neither JSON nor an HTML page starts with these characters. */
const EVENT_START = /^[:deir]/;

/** Decides by the beginning of the body. The content type only matters if that is not conclusive. */
export function isEventStream(first: string, type: string | string[] | undefined): boolean {
  if (/^[[{"<]/.test(first)) return false;
  return EVENT_START.test(first) || /^text\/event-stream\b/i.test([type].flat()[0] ?? '');
}

/** One event of a stream. Its type comes from the `type` field, else from the `event:` line. */
export interface EventFrame {
  type: string;
  body: Record<string, unknown>;
}

/** Some gateways end a stream with this, others do not. */
export const DONE: EventFrame = { type: '[DONE]', body: {} };

/** Parses an event stream. Skips everything that is not a JSON object: keepalives, comments, a truncated last event. */
export async function* parseFrames(pieces: AsyncIterable<string>): AsyncGenerator<EventFrame, void, void> {
  let pendingFrames: EventFrame[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const frame = frameOf(event, data);
      if (frame) pendingFrames.push(frame);
    },
  });
  for await (const piece of pieces) {
    parser.feed(piece);
    const frames = pendingFrames;
    pendingFrames = [];
    yield* frames;
  }
  // If the stream was closed early, the empty line after the last event may be missing.
  parser.feed('\n\n');
  yield* pendingFrames;
}

function frameOf(event: string | undefined, data: string): EventFrame | undefined {
  if (data.trim() === DONE.type) return DONE;
  // This runs for every word, and no number here needs more digits.
  const body = parsePlainJson(data);
  if (!isRecord(body)) return undefined;
  return { type: typeof body.type === 'string' ? body.type : (event ?? ''), body };
}

/** The last event of a chat completion; usage may still follow. */
export const CHAT_END = 'chat.end';

export const isChat = (body: Record<string, unknown>): boolean => Array.isArray(body.choices);

/** The finish reasons of a complete chat response. */
const COMPLETE_REASONS = new Set(['stop', 'tool_calls', 'function_call', 'end_turn']);

/** Translates a chat completion into events of this endpoint, for gateways that only support the chat format. */
export function framesFromChat(body: Record<string, unknown>): EventFrame[] {
  const { choices, id, model, usage } = body;
  const frames: EventFrame[] = [frame('response.created', { response: { id, model } })];
  const choice = Array.isArray(choices) && isRecord(choices[0]) ? choices[0] : {};
  const message = isRecord(choice.delta) ? choice.delta : isRecord(choice.message) ? choice.message : {};
  const addDelta = (type: string, delta: unknown, output_index: string): void => {
    if (typeof delta === 'string' && delta !== '') frames.push(frame(type, { delta, output_index }));
  };
  addDelta('response.reasoning_text.delta', message.reasoning_content ?? message.reasoning, 'thoughts');
  addDelta('response.output_text.delta', message.content, 'words');
  addDelta('response.refusal.delta', message.refusal, 'words');
  if (Array.isArray(message.tool_calls)) frames.push(...message.tool_calls.filter(isRecord).flatMap(framesOfCall));
  if (isRecord(usage)) frames.push(frame('usage', { usage }));
  const reason = choice.finish_reason;
  if (typeof reason === 'string')
    frames.push(frame(CHAT_END, { reason: COMPLETE_REASONS.has(reason) ? undefined : reason }));
  return frames;
}

function framesOfCall(call: Record<string, unknown>, index: number): EventFrame[] {
  const { name, arguments: delta } = isRecord(call.function) ? call.function : {};
  const output_index = `call ${call.index ?? index}`;
  const item = { type: 'function_call', call_id: call.id, name };
  return [
    frame('response.output_item.added', { output_index, item }),
    frame('response.function_call_arguments.delta', { output_index, delta: typeof delta === 'string' ? delta : '' }),
  ];
}

const frame = (type: string, body: Record<string, unknown>): EventFrame => ({ type, body });
