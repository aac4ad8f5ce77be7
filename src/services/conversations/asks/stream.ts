import type { Clock } from '../../../lib/clock.ts';
import { withFirst } from '../../gateway/event-stream.ts';
import type { TextEvent } from '../../gateway/response-events.ts';
import type { TextRequest } from '../../gateway/text-request.ts';
import type { Answer } from '../../tasks/answer.ts';
import type { Draft } from '../ask-request.ts';
import type { Omission } from './refused-features.ts';

export interface SentQuestion {
  request: TextRequest;
  draft: Draft;
  stop: AbortController;
  omission: Omission;
}

export interface OpenStream extends SentQuestion {
  id: string | undefined;
  events: AsyncIterable<TextEvent>;
}

/** Waits for the first event, which shows that the gateway has accepted the question. The returned stream still begins with that event. */
export async function openStream(events: AsyncGenerator<TextEvent>, question: SentQuestion): Promise<OpenStream> {
  const first = await events.next();
  const id = first.done || first.value.type !== 'created' ? undefined : first.value.id;
  return { ...question, id, events: first.done ? events : withFirst(first.value, events) };
}

/** Changes within this time are reported together. Faster edits would not help a reader, and would use up rate limits. */
const REPORT_INTERVAL_MS = 500;

/** Reports text as it arrives: the first text immediately, and the latest state at intervals after that. */
export class DraftReporter {
  readonly #clock: Clock;
  readonly #report: (text: string, doing: Answer['doing']) => Promise<void>;
  #text = '';
  #doing: Answer['doing'] = 'thinking';
  #lastAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #reporting: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(clock: Clock, report: (text: string, doing: Answer['doing']) => Promise<void>) {
    this.#clock = clock;
    this.#report = report;
  }

  add(delta: string): void {
    this.#text += delta;
    this.setActivity(undefined);
  }

  setActivity(doing: Answer['doing']): void {
    this.#doing = doing;
    if (this.#cancel || this.#hasEnded) return;
    const wait = Math.max(0, this.#lastAt + REPORT_INTERVAL_MS - this.#clock.now());
    if (wait === 0) this.#flush();
    else this.#cancel = this.#clock.after(wait, () => this.#flush());
  }

  /** Stops reporting; resolves when the last report is finished. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#cancel?.();
    await this.#reporting;
  }

  #flush(): void {
    this.#cancel = undefined;
    this.#lastAt = this.#clock.now();
    this.#reporting = this.#reporting.then(() => this.#report(this.#text, this.#doing));
  }
}
