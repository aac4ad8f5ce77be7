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
  /** The response as text, truncated if long. */
  readonly answer?: string;
  /** What the validator found wrong with the body. */
  readonly violations?: readonly Violation[];
}

type Later = Partial<Pick<RecordedRequest, 'body' | 'files' | 'status' | 'answer' | 'violations'>>;

export interface RequestRecord {
  readonly id: number;
  /** Adds facts that are known later. */
  update(later: Later): void;
}

const MOST = 5_000;
const LONGEST_ANSWER = 16 * 1_024;

/** The recorded REST requests, newest last. */
export class RequestLog {
  readonly entries: RecordedRequest[] = [];
  readonly #onChange: (entry: RecordedRequest) => void;
  #last = 0;

  constructor(onChange: (entry: RecordedRequest) => void) {
    this.#onChange = onChange;
  }

  add(entry: Omit<RecordedRequest, 'id'>): RequestRecord {
    this.#last += 1;
    const kept = { ...entry, id: this.#last };
    const startedAt = performance.now();
    this.entries.push(kept);
    if (this.entries.length > MOST) this.entries.shift();
    const update = ({ answer, ...later }: Later): void => {
      Object.assign(kept, later, answer !== undefined && { answer: answer.slice(0, LONGEST_ANSWER) });
      if (later.status === undefined) return;
      Object.assign(kept, { ms: Math.round(performance.now() - startedAt) });
      this.#onChange(kept);
    };
    return { id: kept.id, update };
  }
}
