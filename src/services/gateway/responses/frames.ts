import { createParser } from 'eventsource-parser';
import { isRecord } from '../../../lib/exact-json.ts';

/** One event of a stream, named by its own `type` or by the line `event:` where it has none. */
export interface Frame {
  type: string;
  body: Record<string, unknown>;
}

/** The word with which some gateways end a stream, and others do not. */
export const DONE: Frame = { type: '[DONE]', body: {} };

/** What an event stream tells. What is no JSON object is passed over: keepalives, comments, half a last event. */
export async function* framesIn(pieces: AsyncIterable<string>): AsyncGenerator<Frame, void, void> {
  let ready: Frame[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const frame = frameOf(event, data);
      if (frame) ready.push(frame);
    },
  });
  for await (const piece of pieces) {
    parser.feed(piece);
    const frames = ready;
    ready = [];
    yield* frames;
  }
  // The last event of a stream that was closed too early may lack its empty line.
  parser.feed('\n\n');
  yield* ready;
}

function frameOf(event: string | undefined, data: string): Frame | undefined {
  if (data.trim() === DONE.type) return DONE;
  const body = parsed(data);
  if (!isRecord(body)) return undefined;
  return { type: typeof body.type === 'string' ? body.type : (event ?? ''), body };
}

/** Plain JSON: nothing in here is counted in more digits than a number holds, and every word of an answer passes this way. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
