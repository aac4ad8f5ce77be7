import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Agent, request } from 'undici';
import type { Clock } from '../clock.ts';
import { isRecord } from './is-record.ts';
import { isOver, type Job } from './job.ts';
import type { Quirks } from './quirks.ts';
import { isLoopback } from './reference-fetcher.ts';

const TIMEOUT_MS = 2_000;
const MAX_QUEUED = 50;
/** Callbacks are delayed by these times in turn, so they arrive out of order. */
const DELAYS_MS = [6_000, 2_000];
const DUPLICATE_COUNT = 3;

/** A callback that was sent, without the URL's secret. */
export interface SentCallback {
  readonly id: number;
  readonly jobId: string;
  readonly at: number;
  readonly path: string;
  readonly body: unknown;
  /** 0 if there was no response. */
  readonly status: number;
  readonly ms: number;
}

interface Queue {
  last: Promise<void>;
  queued: number;
  /** Whether the receiver failed to return the challenge. */
  isRefused: boolean;
  callbackCount: number;
}

/** Calls the callback URL for every change of a job, in order and without retries, unless a fault says otherwise. */
export class Callbacks extends EventEmitter<{ sent: [SentCallback] }> {
  readonly #agent = new Agent({
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  readonly #queues = new Map<string, Queue>();
  readonly #delayed = new Set<Promise<void>>();
  readonly #abortController = new AbortController();
  readonly #clock: Clock;
  #lastId = 0;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  notify(job: Job, url: string, body: unknown, callbackMode: Quirks['callbacks']): void {
    const { callbacks: fault } = job.orders;
    const isEnd = isOver(job.state);
    if (!isLoopback(url) || fault === 'lost' || (isEnd && fault === 'lost-end')) return;
    if (callbackMode === 'none' || callbackMode === (isEnd ? 'progress' : 'ends')) return;
    const queue = this.#queues.get(job.id) ?? {
      last: Promise.resolve(),
      queued: 0,
      isRefused: false,
      callbackCount: 0,
    };
    if (queue.queued >= MAX_QUEUED) return;
    this.#queues.set(job.id, queue);
    const isFirst = queue.callbackCount === 0;
    queue.callbackCount += 1;
    const post = (target: string, content: unknown) => this.#post(job.id, target, content);
    if (fault === 'late') {
      const delayed = delay(
        this.#clock,
        DELAYS_MS[queue.callbackCount % DELAYS_MS.length] ?? 0,
        this.#abortController.signal,
      )
        .then(() => post(url, body))
        .then(() => void this.#delayed.delete(delayed));
      this.#delayed.add(delayed);
      if (isEnd) this.#queues.delete(job.id);
      return;
    }
    queue.queued += 1;
    queue.last = queue.last.then(async () => {
      if (isFirst && fault === 'challenge') queue.isRefused = !(await this.#returnsChallenge(job.id, url));
      if (isFirst && fault === 'forged')
        for (const [target, content] of forgeries(url, body)) await post(target, content);
      for (let count = 0; count < (fault === 'doubled' ? DUPLICATE_COUNT : 1) && !queue.isRefused; count += 1)
        await post(url, body);
      queue.queued -= 1;
      if (isEnd) this.#queues.delete(job.id);
    });
  }

  async close(): Promise<void> {
    this.#abortController.abort();
    await this.#agent.destroy();
    await Promise.all([...[...this.#queues.values()].map((queue) => queue.last), ...this.#delayed]);
  }

  /** Some gateways send callbacks only after the receiver has returned a challenge. */
  async #returnsChallenge(jobId: string, url: string): Promise<boolean> {
    const challenge = randomBytes(12).toString('hex');
    const text = await this.#post(jobId, url, { challenge });
    try {
      const response: unknown = JSON.parse(text);
      return isRecord(response) && response.challenge === challenge;
    } catch {
      return false;
    }
  }

  /** Returns the text of the response, or an empty string after a failure. Failures are ignored, because clients also poll. */
  async #post(jobId: string, url: string, body: unknown): Promise<string> {
    const at = this.#clock.now();
    const start = performance.now();
    let status = 0;
    let text = '';
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = response.statusCode;
      text = await response.body.text();
    } catch {
      // The receiver is down.
    }
    this.#lastId += 1;
    const path = `${folderOf(new URL(url).pathname)}…`;
    this.emit('sent', { id: this.#lastId, jobId, at, path, body, status, ms: performance.now() - start });
    return text;
  }
}

/** The path without its last part, which is the secret. */
const folderOf = (url: string): string => url.slice(0, url.lastIndexOf('/') + 1);

/** Forged final callbacks: two for the job's own URL, as if it had leaked, and one for a guessed URL. */
function forgeries(url: string, task: unknown): [string, unknown][] {
  const body = isRecord(task) ? task : {};
  const isUpperCase = typeof body.status === 'string' && body.status === body.status.toUpperCase();
  const success = { ...body, status: isUpperCase ? 'SUCCESS' : 'succeeded', imageUrl: 'https://forged.example/1.png' };
  const failure = { ...body, status: isUpperCase ? 'FAILURE' : 'failed', failReason: 'A forged reason.' };
  const guessedUrl = folderOf(url) + randomBytes(33).toString('base64url');
  return [
    [url, success],
    [url, failure],
    [guessedUrl, success],
  ];
}

/** Ends early after the signal. */
const delay = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end);
  });
