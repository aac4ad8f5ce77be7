import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';

export interface RecordedGatewayRequest {
  /** A sequential number. */
  readonly id: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
  /** 0 until a response is sent. */
  readonly status: number;
  /** Real time until the response. */
  readonly ms?: number;
  /** The response as text, truncated if long. */
  readonly responseText?: string;
}

type RequestUpdate = Partial<Pick<RecordedGatewayRequest, 'body' | 'status' | 'responseText'>>;
export type UpdateRecord = (update: RequestUpdate) => void;

const MAX_REQUESTS = 1_000;
const MAX_TEXT_LENGTH = 4_096;
/** Without this limit, a thousand recorded bodies of 32 MB would exhaust memory. */
const MAX_BODY_LENGTH = 64 * 1024;
const MAX_RESPONSE_LENGTH = 16 * 1024;

/** The recorded requests, newest last. */
export class RequestLog extends EventEmitter<{ answered: [RecordedGatewayRequest] }> {
  readonly entries: RecordedGatewayRequest[] = [];
  #lastId = 0;

  /** Returns a function that adds details that are known only after the request has arrived. */
  add(entry: Omit<RecordedGatewayRequest, 'id'>): UpdateRecord {
    this.#lastId += 1;
    const recorded = { ...entry, id: this.#lastId };
    const startedAt = performance.now();
    this.entries.push(recorded);
    if (this.entries.length > MAX_REQUESTS) this.entries.shift();
    return ({ responseText, ...update }) => {
      Object.assign(recorded, update, 'body' in update ? { body: shorten(update.body) } : {});
      if (responseText !== undefined)
        Object.assign(recorded, { responseText: responseText.slice(0, MAX_RESPONSE_LENGTH) });
      if (update.status === undefined) return;
      Object.assign(recorded, { ms: Math.round(performance.now() - startedAt) });
      this.emit('answered', recorded);
    };
  }

  clear(): void {
    this.entries.length = 0;
  }
}

/** Truncates long strings, such as base64 images. */
function shorten(body: unknown): unknown {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH
      ? `${value.slice(0, 64)}… (${value.length} characters)`
      : value,
  );
  if (text === undefined) return undefined;
  return text.length > MAX_BODY_LENGTH ? `${text.slice(0, 256)}… (${text.length} characters)` : JSON.parse(text);
}
