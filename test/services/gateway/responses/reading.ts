import { readEvents } from '../../../../src/services/gateway/endpoints/responses.ts';
import { toGatewayError } from '../../../../src/services/gateway/error-responses.ts';
import { decodeChunks } from '../../../../src/services/gateway/event-stream.ts';
import type { TextEvent, TextResponse } from '../../../../src/services/gateway/response-events.ts';
import { AnswerReader } from '../../../../src/services/gateway/responses/reader.ts';

const MAX_BYTES = 1_000_000;

export const createReader = (): AnswerReader =>
  new AnswerReader((body, status) =>
    toGatewayError({ status, body, isSubmit: true, notFoundKind: 'not-found', secrets: ['sk-secret'] }),
  );

/** Returns all events that are read from a stream of these chunks. */
export async function eventsOf(chunks: readonly Uint8Array[]): Promise<TextEvent[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const events: TextEvent[] = [];
  const decoded = decodeChunks(body(), MAX_BYTES, () => new Error('The stream is too long.'));
  for await (const event of readEvents(decoded, createReader())) events.push(event);
  return events;
}

/** Reads events as a gateway sends them: objects become data lines, and strings are sent unchanged. */
export const read = (...lines: readonly (object | string)[]): Promise<TextEvent[]> =>
  eventsOf([Buffer.from(lines.map((line) => (typeof line === 'string' ? line : lineOf(line))).join(''))]);

export const lineOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

export function endOf(events: readonly TextEvent[]): TextResponse {
  const ends = events.filter((event) => 'response' in event);
  const [end] = ends;
  if (ends.length !== 1 || !end || events.at(-1) !== end)
    throw new Error(`Expected exactly one end event, as the last event, but got: ${JSON.stringify(ends)}`);
  return end.response;
}

export const joinDeltas = (events: readonly TextEvent[], type: 'text' | 'refusal' | 'reasoning'): string =>
  events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
