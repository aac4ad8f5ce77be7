import { type Dispatcher, errors, FormData } from 'undici';
import { WebSocket } from 'ws';
import { pause, timerFor } from '../../lib/clock.ts';
import { isRecord, type Json } from '../../lib/exact-json.ts';
import { GatewayConnections, openSocket } from './connections.ts';
import { containsError, toGatewayError } from './error-responses.ts';
import {
  cleanMessage,
  GatewayError,
  type GatewayErrorKind,
  notJsonError,
  ownReason,
  parseRetryAfter,
  responseTooLargeError,
  unreachableError,
  waitBeforeRetry,
} from './errors.ts';
import { collectChunks, decodeChunks, isEventStream, peekStream } from './event-stream.ts';
import { parseJson } from './places.ts';
import { type GatewayLimits, type GatewayParts, type GatewaySettings, parseBaseUrl } from './settings.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Total attempts for a read. A caller with its own retries passes 1. */
  attempts?: number | undefined;
  /** Identifies the member in a request, if the settings name a field for it. */
  user?: string | undefined;
  /** Awaited before each request to the gateway, also those of retries and redirects. A rejection means that the request is not sent. */
  beforeRequest?: (() => Promise<void>) | undefined;
}

export interface GatewayRequest extends CallOptions {
  path: string;
  query?: Readonly<Record<string, string | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** Makes the request a POST. A string must be JSON and is sent unchanged. */
  body?: unknown;
  /** The meaning of a 404 without a known code at this endpoint. */
  notFoundKind?: 'not-found' | 'not-offered';
  /** The time limit for the first byte, if it differs from the default. */
  firstByteLimit?: 'wholeTextMs';
  /** The size limit of the response, if it differs from the default. */
  maxBytes?: number;
  familyCodes?: ReadonlyMap<string, GatewayErrorKind>;
}

type ResponseHead = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>;

const MAX_REDIRECTS = 3;

/**
 * The only HTTP client for the gateway. Its connections lead to one origin, so the key cannot be sent anywhere else. Reads are
 * retried. A submit is sent only once, and its error says whether it may have been carried out.
 */
export class GatewayHttp {
  readonly baseUrl: URL;
  readonly settings: GatewaySettings;
  readonly parts: GatewayParts;
  readonly limits: GatewayLimits;
  readonly #connections: NonNullable<GatewayParts['connections']>;
  readonly #sharesConnections: boolean;
  readonly #closing = new AbortController();
  readonly #prefix: string;
  readonly #secrets: readonly string[];
  readonly #authorization: string;
  #isClosed = false;
  /** Endpoints that have responded, so that a later 404 with an error in it is not about the endpoint. */
  readonly #knownPaths = new Set<string>();

  constructor(settings: GatewaySettings, limits: GatewayLimits, parts: GatewayParts) {
    this.settings = settings;
    this.baseUrl = parseBaseUrl(settings.baseUrl);
    this.#prefix = this.baseUrl.pathname.replace(/\/$/, '');
    if (!/^[\x21-\x7e]+$/.test(settings.apiKey)) {
      throw new GatewayError('The gateway’s API key must be printable ASCII without spaces.', { kind: 'invalid' });
    }
    // Members of a server see why a job failed, but the gateway's address is the operator's business.
    this.#secrets = [settings.apiKey, this.baseUrl.host];
    this.#authorization = `Bearer ${settings.apiKey}`;
    this.limits = limits;
    this.parts = parts;
    this.#connections = parts.connections ?? new GatewayConnections(settings, limits);
    this.#sharesConnections = parts.connections !== undefined;
  }

  get answeredAt(): number | undefined {
    return this.#connections.answeredAt;
  }

  get keyRejectedAt(): number | undefined {
    return this.#connections.keyRejectedAt;
  }

  /** Sends a query without side effects. Transient failures are retried. */
  async read(request: GatewayRequest): Promise<Json> {
    const attempts = request.attempts ?? this.limits.attempts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#readJson(await this.#open(request, false), request, false);
      } catch (error) {
        if (!(error instanceof GatewayError) || attempt >= attempts || request.signal?.aborted) throw error;
        const wait = waitBeforeRetry(error, attempt, this.parts.random);
        if (wait === undefined) throw error;
        await pause(this.parts.clock, wait, request.signal);
      }
    }
  }

  /** Submits a job once. It is never resent automatically: the caller decides what to do about an unknown outcome. */
  async submit(request: GatewayRequest & { body: unknown }): Promise<Json> {
    const body = this.withUser(request.body, request.user);
    return this.#readJson(await this.#open({ ...request, body }, true), request, true);
  }

  /** Requests a streamed response, only once. Refusals are thrown; a JSON response arrives in one piece. Ending the iteration early closes the connection. */
  async stream(
    request: GatewayRequest & { body: unknown },
  ): Promise<AsyncGenerator<string, void, void> | { json: Json }> {
    const { signal, user } = request;
    const body = this.withUser(request.body, user);
    const headers = { accept: 'text/event-stream, application/json', ...request.headers };
    const response = await this.#open({ ...request, body, headers }, true, this.limits.silenceMs);
    if (!isSuccess(response)) return { json: await this.#readJson(response, request, true) };
    this.#noteResponse();
    this.#notePath(request);
    const pieces = this.#readPieces(response, signal);
    const stream = await peekStream(pieces);
    if (stream && isEventStream(stream.first, response.headers['content-type'])) return stream.all;
    const text = (await Array.fromAsync(stream?.all ?? [])).join('');
    return { json: this.#parseResponse(text, response, request, true) };
  }

  /** Adds the member's identifier to the body, if the settings name a field for it. A text body is sent unchanged. */
  withUser(body: unknown, user: string | undefined): unknown {
    const field = this.settings.fields.user;
    if (user === undefined || field === undefined) return body;
    if (body instanceof FormData) body.set(field, user);
    return isRecord(body) ? { ...body, [field]: user } : body;
  }

  /** Opens a socket, which is paused so that the caller can listen first. A refused upgrade has no effect and can be retried. */
  async socket(request: GatewayRequest): Promise<WebSocket> {
    const { signal } = request;
    const url = new URL(this.baseUrl.origin + this.#prefix + request.path + queryText(request.query));
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const headers = { authorization: this.#authorization, 'user-agent': 'atelier', ...request.headers };
    const upgrade = () => openSocket(url, headers, this.parts.clock, this.limits.readMs, signal);
    const result = await this.#withGatewayErrors(request, false, upgrade);
    if (result instanceof WebSocket) return result;
    if (isRedirect(result)) this.#redirectTarget(result, MAX_REDIRECTS, true);
    if (!isSuccess(result) || containsError(parseJson(result.text), false))
      this.#parseResponse(result.text, result, request, false);
    // Some gateways serve their home page for unknown paths.
    throw new GatewayError('The gateway offers no live conversations.', {
      kind: 'not-offered',
      reason: ownReason('noConversations'),
      status: result.statusCode,
      code: 'not_upgraded',
    });
  }

  readonly parseError = (body: unknown, status: number): GatewayError =>
    toGatewayError({
      status,
      body,
      isInEvent: true,
      isSubmit: true,
      notFoundKind: 'not-found',
      secrets: this.#secrets,
    });

  cleanText(text: string): string {
    return cleanMessage(text, this.#secrets);
  }

  /** Aborts all running requests with the error kind `unreachable`. Callers that need their results must await them first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#sharesConnections) this.#closing.abort(new errors.ClientDestroyedError());
    else await this.#connections.close();
  }

  #open(request: GatewayRequest, isSubmit: boolean, bodyTimeout?: number): Promise<Dispatcher.ResponseData> {
    return this.#withGatewayErrors(request, isSubmit, () => this.#request(request, isSubmit, bodyTimeout));
  }

  async #withGatewayErrors<T>({ signal }: GatewayRequest, isSubmit: boolean, run: () => Promise<T>): Promise<T> {
    // This request has certainly not started, unlike those that were running when the client was closed.
    if (this.#isClosed) throw unreachableError(new errors.ClientClosedError(), isSubmit);
    if (signal?.aborted) throw unreachableError(signal.reason, false, signal);
    try {
      return await run();
    } catch (error) {
      throw error instanceof GatewayError ? error : unreachableError(error, isSubmit, signal);
    }
  }

  async #readJson(response: Dispatcher.ResponseData, request: GatewayRequest, isSubmit: boolean): Promise<Json> {
    // If the status is an error, the outcome is clear even if the body cannot be read.
    const emptyOnFailure = (error: unknown): string => {
      if (isSuccess(response)) throw error;
      return '';
    };
    const text = await this.#readText(response, isSubmit, request).catch(emptyOnFailure);
    return this.#parseResponse(text, response, request, isSubmit);
  }

  #parseResponse(text: string, response: ResponseHead, request: GatewayRequest, isSubmit: boolean): Json {
    const { statusCode: status, headers } = response;
    const body = parseJson(text);
    // A proxy may respond in place of an unavailable gateway, but rarely with JSON and one of these statuses.
    if (status === 401) this.#connections.keyRejectedAt = this.parts.clock.now();
    else if (body !== undefined && status < 500) this.#noteResponse();
    if (!isSuccess(response) || containsError(body, isSubmit, request.familyCodes)) {
      throw toGatewayError({
        status,
        body,
        ...(body === undefined ? { text } : {}),
        retryAfterMs: parseRetryAfter(headers['retry-after'], this.parts.clock.now()),
        isSubmit,
        notFoundKind:
          request.notFoundKind ?? (isRecord(body) && this.#knownPaths.has(request.path) ? 'invalid' : 'not-offered'),
        familyCodes: request.familyCodes,
        secrets: this.#secrets,
      });
    }
    if (body === undefined) throw notJsonError(text, headers['content-type'], { status, mayHaveTakenEffect: isSubmit });
    this.#notePath(request);
    return body;
  }

  /** Paths that contain an id have a `notFoundKind`, so only a few are kept. */
  #notePath({ path, notFoundKind }: GatewayRequest): void {
    if (notFoundKind === undefined) this.#knownPaths.add(path);
  }

  #noteResponse(): void {
    this.#connections.answeredAt = this.parts.clock.now();
  }

  async #request(request: GatewayRequest, isSubmit: boolean, bodyTimeout?: number): Promise<Dispatcher.ResponseData> {
    const { body } = request;
    const hasBody = body !== undefined;
    let path = this.#prefix + request.path + queryText(request.query);
    for (let redirects = 0; ; redirects++) {
      await request.beforeRequest?.();
      const response = await this.#connections.dispatcher.request({
        path,
        method: hasBody ? 'POST' : 'GET',
        headers: {
          accept: 'application/json',
          authorization: this.#authorization,
          'user-agent': 'atelier',
          // The form's boundary is created together with its body.
          ...(hasBody && !(body instanceof FormData) ? { 'content-type': 'application/json' } : {}),
          ...request.headers,
        },
        body: hasBody ? (typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body)) : null,
        signal: this.#endedBy(request.signal) ?? null,
        headersTimeout: this.limits[request.firstByteLimit ?? (isSubmit ? 'submitMs' : 'readMs')],
        ...(bodyTimeout === undefined ? {} : { bodyTimeout }),
      });
      if (!isRedirect(response)) return response;
      using _timer = this.#limitTime(response, this.limits.wholeBodyMs);
      await response.body.dump();
      const target = this.#redirectTarget(response, redirects, isSubmit || hasBody);
      path = target.pathname + target.search;
    }
  }

  /** Connections that are shared do not end with this client, so its requests need a signal that does. */
  #endedBy(signal: AbortSignal | undefined): AbortSignal | undefined {
    if (!this.#sharesConnections) return signal;
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }

  /** Redirects are only followed for reads within the gateway's own origin, because no other host may see the key or a request. */
  #redirectTarget(response: ResponseHead, redirects: number, hasBody: boolean): URL {
    const location = String(response.headers.location ?? '');
    const target = URL.parse(location, this.baseUrl.href);
    if (target?.origin === this.baseUrl.origin && !hasBody && redirects < MAX_REDIRECTS) return target;
    throw new GatewayError('The gateway redirects requests. Set GATEWAY_BASE_URL to the final URL.', {
      kind: 'not-offered',
      reason: ownReason('redirected'),
      status: response.statusCode,
      code: 'redirected',
      ...(target && { cause: new Error(`The gateway redirects to ${target.origin}.`) }),
    });
  }

  async #readText(
    response: Dispatcher.ResponseData,
    isSubmit: boolean,
    { signal, maxBytes: max = this.limits.responseBytes }: GatewayRequest,
  ): Promise<string> {
    const { body, headers, statusCode: status } = response;
    using _timer = this.#limitTime(response, this.limits.wholeBodyMs);
    const announcedBytes = Number(headers['content-length'] ?? Number.NaN);
    try {
      // undici enforces the announced length, so the bytes of a small body need not be counted.
      if (announcedBytes <= max) return await body.text();
      const { chunks, isComplete } = await collectChunks(body, announcedBytes > max ? 0 : max);
      if (isComplete) return Buffer.concat(chunks).toString('utf8');
    } catch (error) {
      throw unreachableError(error, isSubmit, signal);
    }
    throw responseTooLargeError(max, { status, mayHaveTakenEffect: isSubmit });
  }

  async *#readPieces(response: Dispatcher.ResponseData, signal?: AbortSignal): AsyncGenerator<string, void, void> {
    const max = this.limits.responseBytes;
    using _timer = this.#limitTime(response, this.limits.streamMs);
    try {
      yield* decodeChunks(response.body, max, () =>
        responseTooLargeError(max, { status: response.statusCode, mayHaveTakenEffect: true }),
      );
    } catch (error) {
      throw error instanceof GatewayError ? error : unreachableError(error, true, signal);
    }
  }

  /** Ends the body after this time, however it arrives. */
  #limitTime({ body }: Dispatcher.ResponseData, ms: number): Disposable {
    return timerFor(this.parts.clock, ms, () => body.destroy(new errors.BodyTimeoutError()));
  }
}

/** A family of endpoints. */
export class Resource {
  protected readonly http: GatewayHttp;

  constructor(http: GatewayHttp) {
    this.http = http;
  }
}

const isSuccess = ({ statusCode }: ResponseHead): boolean => statusCode >= 200 && statusCode < 300;
const isRedirect = ({ statusCode }: ResponseHead): boolean => statusCode >= 300 && statusCode < 400;

function queryText(query: GatewayRequest['query'] = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.append(name, value);
  return params.size > 0 ? `?${params}` : '';
}
