import { GatewayError } from '../errors.ts';
import { parseFrames } from '../event-stream.ts';
import { type CallOptions, Resource } from '../http.ts';
import type { TextEvent } from '../response-events.ts';
import { AnswerReader } from '../responses/reader.ts';
import { validate } from '../schemas.ts';
import { type TextRequest, textRequest, toRequestBody } from '../text-request.ts';

interface TextOptions extends CallOptions {
  /** For a model that refuses to stream: the same events are produced, but all at the end. */
  isBuffered?: boolean;
}

const PATH = '/v1/responses';

/** The text endpoint (specification, 4.6 and 6). */
export class Responses extends Resource {
  /** Throws if the request is refused; after that, the last event says how the response ended. Leaving the loop closes the connection. */
  async *stream(
    request: TextRequest,
    { signal, user, isBuffered = false }: TextOptions = {},
  ): AsyncGenerator<TextEvent, void, void> {
    const body = toRequestBody(validate(textRequest, request), !isBuffered);
    const response = isBuffered
      ? { json: await this.http.submit({ path: PATH, body, signal, user, firstByteLimit: 'wholeTextMs' }) }
      : await this.http.stream({ path: PATH, body, signal, user });
    const reader = new AnswerReader(this.http.parseError);
    if (!('json' in response)) return yield* readEvents(response, reader);
    yield* reader.readFullResponse(response.json);
    yield* reader.close();
  }
}

/** Keeps the part that arrived before the connection was lost; the last event says why it ended. */
export async function* readEvents(
  pieces: AsyncIterable<string>,
  reader: AnswerReader,
): AsyncGenerator<TextEvent, void> {
  try {
    for await (const frame of parseFrames(pieces)) {
      yield* reader.readFrame(frame);
      if (reader.isOver) return;
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    yield* reader.close(error);
  }
  yield* reader.close();
}
