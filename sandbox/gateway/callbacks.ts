import { Agent, request } from 'undici';
import { isLoopback } from './reference-fetcher.ts';

const TIMEOUT_MS = 2_000;
const MAX_QUEUED = 50;

/** Calls the callback URL for every change of a job, in order and without retries (wire facts, 1.5). */
export class Callbacks {
  readonly #agent = new Agent({
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  readonly #queues = new Map<string, { last: Promise<void>; queued: number }>();

  notify(jobId: string, url: string, body: unknown): void {
    if (!isLoopback(url)) return;
    const queue = this.#queues.get(jobId) ?? { last: Promise.resolve(), queued: 0 };
    if (queue.queued >= MAX_QUEUED) return;
    const text = JSON.stringify(body);
    queue.queued += 1;
    queue.last = queue.last.then(async () => {
      await this.#post(url, text);
      queue.queued -= 1;
      if (queue.queued === 0) this.#queues.delete(jobId);
    });
    this.#queues.set(jobId, queue);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await Promise.all([...this.#queues.values()].map((queue) => queue.last));
  }

  /** Whether the call succeeded. Failures are ignored, because clients also poll (wire facts, 1.2). */
  async #post(url: string, body: string): Promise<boolean> {
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body.dump();
      return response.statusCode < 300;
    } catch {
      return false;
    }
  }
}
