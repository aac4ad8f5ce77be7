import { type Dispatcher, errors, Pool } from 'undici';
import { WebSocket } from 'ws';
import { pause } from '../../lib/clock.ts';
import type { Json } from '../../lib/exact-json.ts';
import { errorFrom, hidesError } from './error-responses.ts';
import {
  cleanMessage,
  GatewayError,
  type GatewayErrorKind,
  notJson,
  retryAfterOf,
  tooLarge,
  unreachable,
  waitBeforeRetry,
} from './errors.ts';
import { begun, chunksOf, isEventStream, piecesOf } from './event-stream.ts';
import { parsedJson } from './read/places.ts';
import { baseOf, type GatewayLimits, type GatewaySettings, type GatewayTools } from './settings.ts';
import { upgraded } from './socket.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Total attempts of a read. A caller with its own retries passes 1. */
  attempts?: number | undefined;
}

export interface Question extends CallOptions {
  path: string;
  query?: Readonly<Record<string, string | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** Makes the request a POST. Text is JSON already and sent unchanged. */
  body?: unknown;
  /** What a 404 without a known code means here. */
  missing?: 'not-found' | 'not-offered';
  /** The limit for the first byte, if not the usual one. */
  patience?: 'wholeTextMs';
  familyCodes?: ReadonlyMap<string, GatewayErrorKind>;
}

type Head = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>;

const MOST_REDIRECTS = 3;

/**
 * The only way to the gateway, with one pool to one origin, so that the key cannot go anywhere else. Reads are retried;
 * a submit is sent once, and its error says whether it may have been carried out.
 */
export class GatewayHttp {
  readonly baseUrl: URL;
  readonly tools: GatewayTools;
  readonly limits: GatewayLimits;
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #secrets: readonly string[];
  readonly #authorization: string;
  #isClosed = false;

  constructor(settings: GatewaySettings, limits: GatewayLimits, tools: GatewayTools) {
    this.baseUrl = baseOf(settings.baseUrl);
    this.#prefix = this.baseUrl.pathname.replace(/\/$/, '');
    if (!/^[\x21-\x7e]+$/.test(settings.apiKey)) {
      throw new GatewayError('The gateway needs an API key: one word that begins with "sk-".', { kind: 'invalid' });
    }
    this.#secrets = [settings.apiKey];
    this.#authorization = `Bearer ${settings.apiKey}`;
    this.limits = limits;
    this.tools = tools;
    this.#pool = new Pool(this.baseUrl.origin, {
      connections: settings.connections,
      connect: { timeout: limits.connectMs },
      bodyTimeout: limits.bodyMs,
    });
  }

  /** Queries without side effects; passing failures are retried. */
  async read(question: Question): Promise<Json> {
    const attempts = question.attempts ?? this.limits.attempts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#jsonOf(await this.#open(question, false), question, false);
      } catch (error) {
        if (!(error instanceof GatewayError) || attempt >= attempts || question.signal?.aborted) throw error;
        const wait = waitBeforeRetry(error, attempt, this.tools.random);
        if (wait === undefined) throw error;
        await pause(this.tools.clock, wait, question.signal);
      }
    }
  }

  /** Orders work. Sent once and never resent automatically: the caller decides about an unknown outcome. */
  async submit(question: Question & { body: unknown }): Promise<Json> {
    return this.#jsonOf(await this.#open(question, true), question, true);
  }

  /** Orders a streamed response, once. Refusals are thrown; a JSON response is whole. Leaving closes the connection. */
  async stream(question: Question & { body: unknown }): Promise<AsyncGenerator<string, void, void> | { whole: Json }> {
    const { signal } = question;
    const headers = { accept: 'text/event-stream, application/json', ...question.headers };
    const response = await this.#open({ ...question, headers }, true, this.limits.silenceMs);
    if (!isFine(response)) return { whole: await this.#jsonOf(response, question, true) };
    const pieces = this.#pieces(response, signal);
    const start = await begun(pieces);
    if (start && isEventStream(start.first, response.headers['content-type'])) return start.all;
    const text = (await Array.fromAsync(start?.all ?? [])).join('');
    return { whole: this.#judged(text, response, question, true) };
  }

  /** Opens a socket, paused so that the caller can listen first. A refused upgrade started nothing and can be retried. */
  async socket(question: Question): Promise<WebSocket> {
    const { signal } = question;
    const url = new URL(this.baseUrl.origin + this.#prefix + question.path + queryText(question.query));
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const headers = { authorization: this.#authorization, 'user-agent': 'atelier', ...question.headers };
    const upgrade = () => upgraded(url, headers, this.tools.clock, this.limits.readMs, signal);
    const answer = await this.#asked(question, false, upgrade);
    if (answer instanceof WebSocket) return answer;
    if (isRedirect(answer)) this.#redirectTarget(answer, MOST_REDIRECTS, true);
    if (!isFine(answer) || hidesError(parsedJson(answer.text), false))
      this.#judged(answer.text, answer, question, false);
    // Some gateways serve their home page for unknown paths.
    throw new GatewayError(`The gateway at ${this.baseUrl.host} offers no live conversations.`, {
      kind: 'not-offered',
      status: answer.statusCode,
      code: 'not_upgraded',
    });
  }

  readonly errorIn = (body: unknown, status: number): GatewayError => {
    const unexplained = 'The gateway reported an error without an explanation.';
    return errorFrom({ status, body, unexplained, isSubmit: true, missing: 'not-found', secrets: this.#secrets });
  };

  clean(words: string): string {
    return cleanMessage(words, this.#secrets);
  }

  /** Aborts all running requests as unreachable; callers that need their results await them first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.destroy();
  }

  #open(question: Question, isSubmit: boolean, bodyTimeout?: number): Promise<Dispatcher.ResponseData> {
    return this.#asked(question, isSubmit, () => this.#request(question, isSubmit, bodyTimeout));
  }

  async #asked<T>({ signal }: Question, isSubmit: boolean, ask: () => Promise<T>): Promise<T> {
    // How far running requests got when the pool is destroyed is unknown; this one has not started.
    if (this.#isClosed) throw unreachable(new errors.ClientClosedError(), this.baseUrl.host, isSubmit);
    if (signal?.aborted) throw unreachable(signal.reason, this.baseUrl.host, false, signal);
    try {
      return await ask();
    } catch (error) {
      throw error instanceof GatewayError ? error : unreachable(error, this.baseUrl.host, isSubmit, signal);
    }
  }

  async #jsonOf(response: Dispatcher.ResponseData, question: Question, isSubmit: boolean): Promise<Json> {
    // With an error status, the outcome is clear even if the body cannot be read.
    const unread = (error: unknown): string => {
      if (isFine(response)) throw error;
      return '';
    };
    const text = await this.#textOf(response, isSubmit, question.signal).catch(unread);
    return this.#judged(text, response, question, isSubmit);
  }

  #judged(text: string, response: Head, question: Question, isSubmit: boolean): Json {
    const { statusCode: status, headers } = response;
    const body = parsedJson(text);
    if (!isFine(response) || hidesError(body, isSubmit)) {
      throw errorFrom({
        status,
        body,
        ...(body === undefined ? { text } : {}),
        retryAfterMs: retryAfterOf(headers['retry-after'], this.tools.clock.now()),
        isSubmit,
        missing: question.missing ?? 'not-offered',
        familyCodes: question.familyCodes,
        secrets: this.#secrets,
      });
    }
    if (body === undefined) throw notJson(text, headers['content-type'], { status, mayHaveTakenEffect: isSubmit });
    return body;
  }

  async #request(question: Question, isSubmit: boolean, bodyTimeout?: number): Promise<Dispatcher.ResponseData> {
    const { body } = question;
    const hasBody = body !== undefined;
    let path = this.#prefix + question.path + queryText(question.query);
    for (let redirects = 0; ; redirects++) {
      const response = await this.#pool.request({
        path,
        method: hasBody ? 'POST' : 'GET',
        headers: {
          accept: 'application/json',
          authorization: this.#authorization,
          'user-agent': 'atelier',
          ...(hasBody ? { 'content-type': 'application/json' } : {}),
          ...question.headers,
        },
        body: hasBody ? (typeof body === 'string' ? body : JSON.stringify(body)) : null,
        signal: question.signal ?? null,
        headersTimeout: this.limits[question.patience ?? (isSubmit ? 'submitMs' : 'readMs')],
        ...(bodyTimeout === undefined ? {} : { bodyTimeout }),
      });
      if (!isRedirect(response)) return response;
      await response.body.dump();
      const target = this.#redirectTarget(response, redirects, isSubmit || hasBody);
      path = target.pathname + target.search;
    }
  }

  /** Followed only for reads within the gateway's own origin: no other host may see the key or a request. */
  #redirectTarget(response: Head, redirects: number, hasBody: boolean): URL {
    const location = String(response.headers.location ?? '');
    const target = URL.parse(location, this.baseUrl.href);
    if (target?.origin === this.baseUrl.origin && !hasBody && redirects < MOST_REDIRECTS) return target;
    const where = target ? ` to ${target.origin}` : '';
    throw new GatewayError(
      `The gateway at ${this.baseUrl.host} redirects${where}. Set GATEWAY_BASE_URL to the final address.`,
      { kind: 'not-offered', status: response.statusCode, code: 'redirected' },
    );
  }

  async #textOf(response: Dispatcher.ResponseData, isSubmit: boolean, signal?: AbortSignal): Promise<string> {
    const { body, headers, statusCode: status } = response;
    const most = this.limits.answerBytes;
    const announced = Number(headers['content-length'] ?? Number.NaN);
    try {
      // undici enforces the announced length, so a small body needs no counting.
      if (announced <= most) return await body.text();
      const { chunks, isWhole } = await chunksOf(body, announced > most ? 0 : most);
      if (isWhole) return Buffer.concat(chunks).toString('utf8');
    } catch (error) {
      throw unreachable(error, this.baseUrl.host, isSubmit, signal);
    }
    throw tooLarge(most, { status, mayHaveTakenEffect: isSubmit });
  }

  async *#pieces(response: Dispatcher.ResponseData, signal?: AbortSignal): AsyncGenerator<string, void, void> {
    const most = this.limits.answerBytes;
    try {
      yield* piecesOf(response.body, most, () =>
        tooLarge(most, { status: response.statusCode, mayHaveTakenEffect: true }),
      );
    } catch (error) {
      throw error instanceof GatewayError ? error : unreachable(error, this.baseUrl.host, true, signal);
    }
  }
}

/** A family of endpoints. */
export class Resource {
  protected readonly http: GatewayHttp;

  constructor(http: GatewayHttp) {
    this.http = http;
  }
}

const isFine = ({ statusCode }: Head): boolean => statusCode >= 200 && statusCode < 300;
const isRedirect = ({ statusCode }: Head): boolean => statusCode >= 300 && statusCode < 400;

function queryText(query: Question['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, value);
  return search.size > 0 ? `?${search}` : '';
}
