import type { CallOptions, GatewayHttp } from './http.ts';
import type { TextEvent } from './responses/events.ts';
import { type TextRequest, textRequest } from './responses/request.ts';
import type { TextResponse } from './responses/response.ts';
import { checked } from './schemas.ts';

export type TextOptions = Pick<CallOptions, 'signal'>;

/** The text endpoint (4.6, 6). */
export class Responses {
  readonly #http: GatewayHttp;

  constructor(http: GatewayHttp) {
    this.#http = http;
  }

  /** The whole answer at once. One that failed is thrown; an incomplete one says so. */
  async create(request: TextRequest, _options: TextOptions = {}): Promise<TextResponse> {
    checked(textRequest, request);
    throw new Error(`Not built yet: ${this.#http.baseUrl.host}`);
  }

  /**
   * The answer as it comes. What is refused before it begins is thrown; afterwards the last event says how it ended, and with what.
   * Leaving the loop, and the signal, close the connection.
   */
  // biome-ignore lint/correctness/useYield: to be filled.
  async *stream(request: TextRequest, _options: TextOptions = {}): AsyncGenerator<TextEvent, void, void> {
    checked(textRequest, request);
    throw new Error('Not built yet.');
  }
}
