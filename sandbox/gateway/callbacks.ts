import { Agent, request } from 'undici';
import { isLoopback } from './references.ts';

const TIMEOUT_MS = 2_000;
const MOST_WAITING = 50;

/** Tells a callback address about every change, in order and without insisting: a refused call changes nothing (wire facts, 1.5). */
export class Callbacks {
  readonly #agent = new Agent({
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  readonly #lines = new Map<string, { last: Promise<void>; waiting: number }>();

  tell(jobId: string, address: string, body: unknown): void {
    if (!isLoopback(address)) return;
    const line = this.#lines.get(jobId) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= MOST_WAITING) return;
    const text = JSON.stringify(body);
    line.waiting += 1;
    line.last = line.last.then(async () => {
      await this.#post(address, text);
      line.waiting -= 1;
      if (line.waiting === 0) this.#lines.delete(jobId);
    });
    this.#lines.set(jobId, line);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await Promise.all([...this.#lines.values()].map((line) => line.last));
  }

  /** Whether it arrived. No retry and no complaint: polling never depends on callbacks (wire facts, 1.2). */
  async #post(address: string, body: string): Promise<boolean> {
    try {
      const answer = await request(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.body.dump();
      return answer.statusCode < 300;
    } catch {
      return false;
    }
  }
}
