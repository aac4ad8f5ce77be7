import { DecoratorHandler, type Dispatcher } from 'undici';
import { parsePlainJson } from '../../src/lib/exact-json.ts';
import { parseFrames } from '../../src/services/gateway/event-stream.ts';
import { parseJson } from '../../src/services/gateway/places.ts';
import type { Responses } from './report.ts';
import { shapeOf } from './shape.ts';
import { type KnownWords, Vocabulary } from './words.ts';

interface Frame {
  type: string;
  body: unknown;
}

/** A response as it was received. It is kept until the end of its step only. */
interface Exchange {
  route: string;
  /** The status, and what our own reader made of the response, if its state decides what it contains. */
  outcome: string;
  headers: string[];
  mediaType: string;
  chunks: Buffer[];
  frames: Frame[];
}

/** The route of a request without ids and secrets. Undefined if the request is not recorded. */
export type RouteOf = (method: string, path: string, origin: string) => string | undefined;

/** The rest of a larger response is not recorded, so it is not read as JSON. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_EXCHANGES = 1_000;
const SHOWN_HEADERS = /^(?:x-ratelimit-(?:limit|remaining|reset|reset-after|bucket|scope|global)|retry-after)$/;
/** The outcome under which the words of all polls of a task are kept, in their order. */
export const IN_ORDER = 'all polls in order';

/** Records the responses to the requests of `undici` dispatchers. */
export class Recorder {
  #exchanges: Exchange[] = [];
  /** Called with each response that has arrived, even if its step has ended. */
  onBody: (body: unknown) => void = () => undefined;

  /** Passed to the `compose` of a dispatcher. */
  interceptorFor(routeOf: RouteOf): Dispatcher.DispatcherComposeInterceptor {
    return (dispatch) => (options, handler) => {
      const route = routeOf(options.method, options.path, String(options.origin));
      if (route === undefined) return dispatch(options, handler);
      return dispatch(
        options,
        recording(handler, this.add(route), (body) => this.onBody(body)),
      );
    };
  }

  /** Records a response that arrives otherwise. What is pushed to its frames later is recorded, too. */
  add(route: string, known: Partial<Exchange> = {}): Exchange {
    const unknown = { route, outcome: 'no response', headers: [], mediaType: '', chunks: [], frames: [] };
    const exchange: Exchange = { ...unknown, ...known };
    if (this.#exchanges.length < MAX_EXCHANGES) this.#exchanges.push(exchange);
    return exchange;
  }

  /** What was recorded of a route in this step. */
  bodiesOf(route: string): unknown[] {
    const exchanges = this.#exchanges.filter((exchange) => exchange.route === route);
    return exchanges.map(({ chunks }) => parseJson(Buffer.concat(chunks).toString('utf8')));
  }

  /** Says what the last response was taken for, because a finished task has other fields than a running one. */
  label(state: string): void {
    const last = this.#exchanges.at(-1);
    if (last) last.outcome += ` ${state}`;
  }

  /** Returns what was recorded since the last call, without values. `ownTexts` are those of which no word may be shown. */
  async take(known: KnownWords, ownTexts: readonly string[]): Promise<Responses[]> {
    const read = await Promise.all(this.#exchanges.splice(0).map(readExchange));
    const bodies = read.flatMap(({ body, frames }) => [body, ...frames.map((frame) => frame.body)]);
    const vocabulary = new Vocabulary(known, ownTexts, bodies);
    const groups = Map.groupBy(read, ({ route, outcome }) => `${route} ${outcome}`);
    const polls = Map.groupBy(read, ({ route }) => route);
    return [
      ...[...groups.values()].map((group) => responsesOf(group, vocabulary)),
      ...[...polls.values()]
        .filter((group) => group.some(({ outcome }) => outcome.includes(' ')))
        .map((group) => ({ ...responsesOf(group, vocabulary), outcome: IN_ORDER, fields: {} })),
    ];
  }
}

function recording(
  handler: Dispatcher.DispatchHandlers,
  exchange: Exchange,
  onBody: (body: unknown) => void,
): Dispatcher.DispatchHandlers {
  let size = 0;
  return Object.assign<DecoratorHandler, Dispatcher.DispatchHandlers>(new DecoratorHandler(handler), {
    onHeaders(status, headers, resume, statusText) {
      const texts = headers.map((header) => header.toString('latin1'));
      const names = texts.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
      exchange.outcome = String(status);
      exchange.headers = names.filter((name) => SHOWN_HEADERS.test(name));
      exchange.mediaType = texts[2 * names.indexOf('content-type') + 1]?.split(';')[0]?.toLowerCase() ?? '';
      return handler.onHeaders?.(status, headers, resume, statusText) ?? true;
    },
    onData(chunk) {
      size += chunk.length;
      // Undici reuses the memory of a chunk.
      if (size <= MAX_BYTES) exchange.chunks.push(Buffer.from(chunk));
      return handler.onData?.(chunk) ?? true;
    },
    onComplete(trailers) {
      onBody(parseJson(Buffer.concat(exchange.chunks).toString('utf8')));
      handler.onComplete?.(trailers);
    },
  });
}

async function readExchange({ chunks, ...exchange }: Exchange) {
  const text = Buffer.concat(chunks).toString('utf8');
  const isStream = exchange.mediaType === 'text/event-stream' || /^(?:data|event|:)/.test(text);
  // Not `parseJson`, which makes texts of numbers with many digits.
  if (!isStream) return { ...exchange, body: parsePlainJson(text) };
  const pieces = ReadableStream.from([text]);
  return { ...exchange, body: undefined, frames: await Array.fromAsync(parseFrames(pieces)) };
}

function responsesOf(group: readonly Awaited<ReturnType<typeof readExchange>>[], vocabulary: Vocabulary): Responses {
  const { route = '', outcome = '' } = group[0] ?? {};
  const frames = group.flatMap((one) => one.frames);
  const byType = Map.groupBy(frames, ({ type }) => vocabulary.wordOf(type));
  return {
    route,
    outcome,
    ...(frames.length > 0 ? { fields: {}, words: {} } : shapeOf(group, vocabulary)),
    headers: [...new Set(group.flatMap(({ headers }) => headers))].sort(),
    events: [...byType].map(([type, own]) => ({ type, ...shapeOf(own, vocabulary) })),
  };
}
