import { performance } from 'node:perf_hooks';
import type { Violation } from './judge/index.ts';

export interface HeardRequest {
  /** Rises by one with each. */
  readonly id: number;
  readonly at: number;
  readonly method: string;
  /** The pattern, as in `/channels/:channel/messages`; empty where there is no such route. */
  readonly route: string;
  readonly path: string;
  readonly body: unknown;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  readonly auth: 'bot' | 'none';
  /** 0 until it was answered. */
  readonly status: number;
  /** Of real time, until it was answered. */
  readonly ms?: number;
  /** As text; a long one is cut. */
  readonly answer?: string;
  /** What the judge objected to. */
  readonly violations?: readonly Violation[];
}

type Later = Partial<Pick<HeardRequest, 'body' | 'files' | 'status' | 'answer' | 'violations'>>;

export interface Hearing {
  readonly id: number;
  /** Adds what is only known later. */
  more(later: Later): void;
}

const MOST = 5_000;
const LONGEST_ANSWER = 16 * 1_024;

/** What reached the REST side, newest last. */
export class HeardBook {
  readonly entries: HeardRequest[] = [];
  readonly #onChange: (entry: HeardRequest) => void;
  #last = 0;

  constructor(onChange: (entry: HeardRequest) => void) {
    this.#onChange = onChange;
  }

  note(entry: Omit<HeardRequest, 'id'>): Hearing {
    this.#last += 1;
    const kept = { ...entry, id: this.#last };
    const begun = performance.now();
    this.entries.push(kept);
    if (this.entries.length > MOST) this.entries.shift();
    const more = ({ answer, ...later }: Later): void => {
      Object.assign(kept, later, answer !== undefined && { answer: answer.slice(0, LONGEST_ANSWER) });
      if (later.status === undefined) return;
      Object.assign(kept, { ms: Math.round(performance.now() - begun) });
      this.#onChange(kept);
    };
    return { id: kept.id, more };
  }
}
