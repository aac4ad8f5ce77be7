import { DecoratorHandler, type Dispatcher } from 'undici';
import { parseFrames } from '../../src/services/gateway/event-stream.ts';
import { parseJson } from '../../src/services/gateway/places.ts';
import { type Fields, ShapeReader, type Words } from './shape.ts';
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

/** All responses of one kind in a step, without their values. */
export interface Responses {
  route: string;
  outcome: string;
  fields: Fields;
  words: Words;
  headers: string[];
  /** The events of a stream, in the order in which their types appeared first. */
  events: { type: string; fields: Fields; words: Words }[];
}

/** The route of a request without ids and secrets. Undefined if the request is not recorded. */
export type RouteOf = (method: string, path: string, origin: string) => string | undefined;

/** The rest of a larger response is not recorded, so it is not read as JSON. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_EXCHANGES = 1_000;
const SHOWN_HEADERS = /^(?:x-ratelimit-(?:limit|remaining|reset|reset-after|bucket|scope|global)|retry-after)$/;
/** The outcome under which the words of all polls of a task are kept, in their order. */
export const IN_ORDER = 'all polls in order';
const NO_RESPONSE = 'no response';

/** Records the responses to the requests of `undici` dispatchers. */
export class Recorder {
  #exchanges: Exchange[] = [];
  /** Called with each response that has arrived, even if its step has ended. */
  onBody: (body: unknown) => void = () => undefined;

  /** Passed to the `compose` of a dispatcher. */
  interceptorFor(routeOf: RouteOf): Dispatcher.DispatcherComposeInterceptor {
    return (dispatch) => (options, handler) => {
      const route = routeOf(options.method, options.path, String(options.origin));
      return dispatch(
        options,
        route === undefined ? handler : new Recording(handler, this.#open(route), (body) => this.onBody(body)),
      );
    };
  }

  /** Records what arrived on a socket as one response, to which more events can be added. */
  openEvents(route: string, outcome: string, frames: Frame[]): void {
    Object.assign(this.#open(route), { outcome, frames });
  }

  /** Records a payload that arrived otherwise. */
  addPayload(route: string, payload: unknown): void {
    Object.assign(this.#open(route), { outcome: 'received', chunks: [Buffer.from(JSON.stringify(payload))] });
  }

  has(route: string): boolean {
    return this.#exchanges.some((exchange) => exchange.route === route);
  }

  /** Says what the last response was taken for, because a finished task has other fields than a running one. */
  label(state: string): void {
    const last = this.#exchanges.at(-1);
    if (last) last.outcome += ` ${state}`;
  }

  /** Returns what was recorded since the last call, without values. `ownTexts` are those of which no word may be shown. */
  async take(known: KnownWords, ownTexts: readonly string[]): Promise<Responses[]> {
    const exchanges = this.#exchanges;
    this.#exchanges = [];
    const read = await Promise.all(exchanges.map(readExchange));
    const bodies = read.flatMap(({ body, frames }) => [body, ...frames.map((frame) => frame.body)]);
    const vocabulary = new Vocabulary(known, ownTexts, bodies);
    const groups = Map.groupBy(read, ({ route, outcome }) => `${route} ${outcome}`);
    const polls = [...Map.groupBy(read, ({ route }) => route).values()].filter((group) =>
      group.some(({ outcome }) => outcome.includes(' ')),
    );
    return [
      ...[...groups.values()].map((group) => responsesOf(group, vocabulary)),
      ...polls.map((group) => ({ ...responsesOf(group, vocabulary), outcome: IN_ORDER, fields: {} })),
    ];
  }

  #open(route: string): Exchange {
    const exchange: Exchange = { route, outcome: NO_RESPONSE, headers: [], mediaType: '', chunks: [], frames: [] };
    if (this.#exchanges.length < MAX_EXCHANGES) this.#exchanges.push(exchange);
    return exchange;
  }
}

class Recording extends DecoratorHandler {
  readonly #handler: Dispatcher.DispatchHandlers;
  readonly #exchange: Exchange;
  readonly #onBody: Recorder['onBody'];
  #size = 0;

  constructor(handler: Dispatcher.DispatchHandlers, exchange: Exchange, onBody: Recorder['onBody']) {
    super(handler);
    this.#onBody = onBody;
    this.#handler = handler;
    this.#exchange = exchange;
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void, statusText: string): boolean {
    const texts = headers.map((header) => header.toString('latin1'));
    const names = texts.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    this.#exchange.outcome = String(status);
    this.#exchange.headers = names.filter((name) => SHOWN_HEADERS.test(name));
    this.#exchange.mediaType = texts[2 * names.indexOf('content-type') + 1]?.split(';')[0]?.toLowerCase() ?? '';
    return this.#handler.onHeaders?.(status, headers, resume, statusText) ?? true;
  }

  onData(chunk: Buffer): boolean {
    this.#size += chunk.length;
    // Undici reuses the memory of a chunk.
    if (this.#size <= MAX_BYTES) this.#exchange.chunks.push(Buffer.from(chunk));
    return this.#handler.onData?.(chunk) ?? true;
  }

  onComplete(trailers: string[] | null): void {
    this.#onBody(parseJson(Buffer.concat(this.#exchange.chunks).toString('utf8')));
    this.#handler.onComplete?.(trailers);
  }
}

type ReadExchange = Pick<Exchange, 'route' | 'outcome' | 'headers' | 'frames'> & { body: unknown; mediaType: string };

async function readExchange({ chunks, frames, ...exchange }: Exchange): Promise<ReadExchange> {
  const text = Buffer.concat(chunks).toString('utf8');
  const isStream = exchange.mediaType === 'text/event-stream' || /^(?:data|event|:)/.test(text);
  if (isStream) return { ...exchange, body: undefined, frames: await Array.fromAsync(parseFrames(inOnePiece(text))) };
  return { ...exchange, body: parseJson(text), frames };
}

async function* inOnePiece(text: string): AsyncGenerator<string> {
  yield text;
}

function responsesOf(group: readonly ReadExchange[], vocabulary: Vocabulary): Responses {
  const { route = '', outcome = '' } = group[0] ?? {};
  const frames = group.flatMap((one) => one.frames);
  const byType = Map.groupBy(frames, ({ type }) => vocabulary.wordOf(type));
  return {
    route,
    outcome,
    ...(frames.length > 0 ? { fields: {}, words: {} } : shapeOf(group, vocabulary)),
    headers: [...new Set(group.flatMap(({ headers }) => headers))].sort(),
    events: [...byType].map(([type, one]) => ({ type, ...shapeOf(one, vocabulary) })),
  };
}

function shapeOf(samples: readonly { body: unknown; mediaType?: string }[], vocabulary: Vocabulary) {
  const reader = new ShapeReader(vocabulary);
  for (const { body, mediaType = '' } of samples) reader.add(body, mediaType);
  return { fields: reader.fields, words: reader.words };
}
