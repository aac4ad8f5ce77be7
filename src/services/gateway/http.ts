import { type Dispatcher, errors, Pool } from 'undici';
import { type Json, parseExact } from '../../lib/exact-json.ts';
import { pause } from '../../lib/pause.ts';
import { cleanMessage } from './clean.ts';
import { errorFrom, hidesError } from './envelopes.ts';
import type { GatewayErrorKind } from './errors.ts';
import { GatewayError, malformed } from './errors.ts';
import { unreachable } from './failures.ts';
import { retryAfterOf, waitBeforeRetry } from './retry.ts';
import type { GatewayLimits, GatewaySettings, GatewayTools } from './settings.ts';

/** What every call of this folder accepts besides its own input. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** How often a read is tried in all. A caller that asks again by itself says 1. */
  attempts?: number | undefined;
}

export interface Question extends CallOptions {
  path: string;
  query?: Readonly<Record<string, string | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** A body makes it a POST. */
  body?: unknown;
  /** What a 404 without a telling code means here. */
  missing?: 'not-found' | 'not-offered';
  familyCodes?: ReadonlyMap<string, GatewayErrorKind>;
}

const MOST_REDIRECTS = 3;

/**
 * The one door to the gateway. One pool to one origin: the key cannot go anywhere else.
 * Reads are retried; a submit is sent once, and its error says whether it may have been carried out.
 */
export class GatewayHttp {
  readonly baseUrl: URL;
  readonly tools: GatewayTools;
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #limits: GatewayLimits;
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
    this.#limits = limits;
    this.tools = tools;
    this.#pool = new Pool(this.baseUrl.origin, {
      connections: settings.connections,
      connect: { timeout: limits.connectMs },
      bodyTimeout: limits.bodyMs,
    });
  }

  /** Asks without changing anything; what fails for a moment is asked again. */
  async read(question: Question): Promise<Json> {
    const attempts = question.attempts ?? this.#limits.attempts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(question, false);
      } catch (error) {
        if (!(error instanceof GatewayError) || attempt >= attempts || question.signal?.aborted) throw error;
        const wait = waitBeforeRetry(error, attempt, this.tools.random);
        if (wait === undefined) throw error;
        await pause(this.tools.clock, wait, question.signal);
      }
    }
  }

  /** Orders work. Sent once and never again by itself: an unknown outcome is the caller's to decide. */
  async submit(question: Question & { body: unknown }): Promise<Json> {
    return this.#send(question, true);
  }

  /** A gateway's words, fit to be shown to a person. */
  clean(words: string): string {
    return cleanMessage(words, this.#secrets);
  }

  /** Ends whatever is still under way, which fails as unreachable: whoever cares about it has waited for it before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.destroy();
  }

  async #send(question: Question, isSubmit: boolean): Promise<Json> {
    const { signal } = question;
    // Of those that are under way when the pool is destroyed nobody knows how far they came; this one has not begun.
    if (this.#isClosed) throw unreachable(new errors.ClientClosedError(), this.baseUrl.host, isSubmit);
    if (signal?.aborted) throw unreachable(signal.reason, this.baseUrl.host, false, signal);
    let response: Dispatcher.ResponseData;
    try {
      response = await this.#request(question, isSubmit);
    } catch (error) {
      throw error instanceof GatewayError ? error : unreachable(error, this.baseUrl.host, isSubmit, signal);
    }
    const { statusCode: status, headers } = response;
    const isFine = status >= 200 && status < 300;
    const text = await this.#textOf(response, isSubmit, signal).catch((error: unknown) => {
      // With a status that says no, the answer is clear even when its body is not.
      if (isFine) throw error;
      return '';
    });
    const body = parsed(text);
    if (!isFine || hidesError(body, isSubmit)) {
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
    if (body === undefined)
      throw malformed(whatCameInstead(text, headers['content-type']), { status, mayHaveTakenEffect: isSubmit });
    return body;
  }

  async #request(question: Question, isSubmit: boolean): Promise<Dispatcher.ResponseData> {
    const hasBody = question.body !== undefined;
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
        body: hasBody ? JSON.stringify(question.body) : null,
        signal: question.signal ?? null,
        headersTimeout: isSubmit ? this.#limits.submitMs : this.#limits.readMs,
      });
      if (response.statusCode < 300 || response.statusCode >= 400) return response;
      await response.body.dump();
      const target = this.#redirectTarget(response, redirects, isSubmit || hasBody);
      path = target.pathname + target.search;
    }
  }

  /** Followed for questions within the gateway's own origin alone: no other host ever sees the key or an order. */
  #redirectTarget(response: Dispatcher.ResponseData, redirects: number, hasBody: boolean): URL {
    const location = String(response.headers.location ?? '');
    const target = URL.parse(location, this.baseUrl.href);
    if (target?.origin === this.baseUrl.origin && !hasBody && redirects < MOST_REDIRECTS) return target;
    const where = target ? ` to ${target.origin}` : '';
    throw new GatewayError(
      `The gateway at ${this.baseUrl.host} redirects${where}. Set GATEWAY_BASE_URL to the address that answers by itself.`,
      { kind: 'not-offered', status: response.statusCode, code: 'redirected' },
    );
  }

  async #textOf(response: Dispatcher.ResponseData, isSubmit: boolean, signal?: AbortSignal): Promise<string> {
    const { body, headers, statusCode: status } = response;
    const most = this.#limits.answerBytes;
    const announced = Number(headers['content-length'] ?? Number.NaN);
    try {
      // The length that was announced is enforced by undici, so a small one needs no counting.
      if (announced <= most) return await body.text();
      const chunks: Uint8Array[] = [];
      let bytes = announced > most ? announced : 0;
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        bytes += chunk.byteLength;
        // Leaving the loop closes the connection: nobody waits for the rest.
        if (bytes > most) break;
        chunks.push(chunk);
      }
      if (bytes <= most) return Buffer.concat(chunks).toString('utf8');
    } catch (error) {
      throw unreachable(error, this.baseUrl.host, isSubmit, signal);
    }
    throw malformed(`The gateway's answer is larger than ${Math.floor(most / 2 ** 20)} MiB.`, {
      status,
      code: 'too_large',
      mayHaveTakenEffect: isSubmit,
    });
  }
}

/** Never what came: a gateway may echo the order, and a prompt belongs into no log. */
function whatCameInstead(text: string, type: string | string[] | undefined): string {
  if (text.trim() === '') return 'The gateway answered with nothing at all.';
  const named = [type].flat()[0]?.split(';')[0]?.trim().slice(0, 40) || 'no type';
  return `The gateway answered with something other than JSON (${named}, ${text.length} characters).`;
}

function baseOf(text: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '') return url;
  throw new GatewayError('The gateway needs an address such as https://gateway.example.', { kind: 'invalid' });
}

function queryText(query: Question['query']): string {
  if (!query) return '';
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, value);
  return search.size > 0 ? `?${search}` : '';
}

/** The body as JSON; undefined where it is none. */
function parsed(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
