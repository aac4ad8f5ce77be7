import { performance } from 'node:perf_hooks';
import type { Violation } from './validation/index.ts';

export interface RecordedRequest {
  readonly id: number;
  readonly at: number;
  readonly method: string;
  /** The route's pattern, as in `/channels/:channel/messages`; empty if no route matches. */
  readonly route: string;
  readonly path: string;
  readonly body: unknown;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  readonly auth: 'bot' | 'none';
  /** 0 until a response is sent. */
  readonly status: number;
  /** Real time until the response, even if the clock is simulated. */
  readonly ms?: number;
  /** The response body, truncated if long. */
  readonly responseText?: string;
  /** The violations that the validator found in the body. */
  readonly violations?: readonly Violation[];
}

type RequestUpdate = Partial<Pick<RecordedRequest, 'body' | 'files' | 'status' | 'responseText' | 'violations'>>;

export interface RequestUpdater {
  readonly id: number;
  /** Adds details that are known only after the request has arrived. */
  update(update: RequestUpdate): void;
}

const MAX_REQUESTS = 5_000;
const MAX_RESPONSE_LENGTH = 16 * 1_024;

/** The recorded REST requests, newest last. */
export class RequestLog {
  readonly entries: RecordedRequest[] = [];
  readonly #onChange: (entry: RecordedRequest) => void;
  #lastId = 0;

  constructor(onChange: (entry: RecordedRequest) => void) {
    this.#onChange = onChange;
  }

  add(entry: Omit<RecordedRequest, 'id'>): RequestUpdater {
    this.#lastId += 1;
    const record = { ...entry, id: this.#lastId };
    const startedAt = performance.now();
    this.entries.push(record);
    if (this.entries.length > MAX_REQUESTS) this.entries.shift();
    const update = ({ responseText, ...others }: RequestUpdate): void => {
      Object.assign(
        record,
        others,
        responseText !== undefined && { responseText: responseText.slice(0, MAX_RESPONSE_LENGTH) },
      );
      if (others.status === undefined) return;
      Object.assign(record, { ms: Math.round(performance.now() - startedAt) });
      this.#onChange(record);
    };
    return { id: record.id, update };
  }
}
