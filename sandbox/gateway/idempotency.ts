import { createHash } from 'node:crypto';
import { isRecord } from './is-record.ts';

/** The jobs by idempotency key, so a repeated request is charged only once. */
export class Idempotency {
  readonly #jobsByKey = new Map<string, { readonly body: string; readonly jobId: string }>();

  /** Returns the existing job, `conflict` if the body differs, or undefined if the key is new. */
  find(key: string, idempotencyKey: string, body: unknown): { jobId: string } | 'conflict' | undefined {
    const entry = this.#jobsByKey.get(entryKey(key, idempotencyKey));
    if (!entry) return undefined;
    return entry.body === fingerprint(body) ? { jobId: entry.jobId } : 'conflict';
  }

  store(key: string, idempotencyKey: string, body: unknown, jobId: string): void {
    this.#jobsByKey.set(entryKey(key, idempotencyKey), { body: fingerprint(body), jobId });
  }

  deleteJob(jobId: string): void {
    for (const [name, entry] of this.#jobsByKey) if (entry.jobId === jobId) this.#jobsByKey.delete(name);
  }
}

const entryKey = (key: string, idempotencyKey: string) => `${key}\u0000${idempotencyKey}`;

/** A hash that does not depend on the order of the fields. */
function fingerprint(body: unknown): string {
  const text = JSON.stringify(body, (_, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  return createHash('sha256')
    .update(text ?? '')
    .digest('base64');
}
