import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';

export interface RecordedGatewayRequest {
  /** Rises by one with each. */
  readonly id: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
  /** 0 until it was answered, and for ever where the answer was lost. */
  readonly status: number;
  /** Of real time, until it was answered. */
  readonly ms?: number;
  /** Text as it was sent; a long one is cut. */
  readonly answer?: string;
}

type RequestUpdate = Partial<Pick<RecordedGatewayRequest, 'body' | 'status' | 'answer'>>;
export type UpdateRecord = (update: RequestUpdate) => void;

const MAX_REQUESTS = 1_000;
const MAX_TEXT_LENGTH = 4_096;
/** A thousand bodies of 32 MB would be the whole memory of a machine. */
const MAX_BODY_LENGTH = 64 * 1024;
const MAX_RESPONSE_LENGTH = 16 * 1024;

/** What reached the server, newest last. */
export class RequestLog extends EventEmitter<{ answered: [RecordedGatewayRequest] }> {
  readonly entries: RecordedGatewayRequest[] = [];
  #last = 0;

  /** The returned function adds what is only known later. */
  add(entry: Omit<RecordedGatewayRequest, 'id'>): UpdateRecord {
    this.#last += 1;
    const recorded = { ...entry, id: this.#last };
    const startedAt = performance.now();
    this.entries.push(recorded);
    if (this.entries.length > MAX_REQUESTS) this.entries.shift();
    return ({ answer, ...update }) => {
      Object.assign(recorded, update, 'body' in update ? { body: shortened(update.body) } : {});
      if (answer !== undefined) Object.assign(recorded, { answer: answer.slice(0, MAX_RESPONSE_LENGTH) });
      if (update.status === undefined) return;
      Object.assign(recorded, { ms: Math.round(performance.now() - startedAt) });
      this.emit('answered', recorded);
    };
  }

  clear(): void {
    this.entries.length = 0;
  }
}

/** Images as text are cut, everything else stays as it came. */
function shortened(body: unknown): unknown {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'string' && value.length > MAX_TEXT_LENGTH
      ? `${value.slice(0, 64)}… (${value.length} characters)`
      : value,
  );
  if (text === undefined) return undefined;
  return text.length > MAX_BODY_LENGTH ? `${text.slice(0, 256)}… (${text.length} characters)` : JSON.parse(text);
}
