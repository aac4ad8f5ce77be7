import { createHash } from 'node:crypto';

/** Which job a key and a body have made already, so that asking twice costs once (wire facts, part 4). */
export class Idempotency {
  readonly #made = new Map<string, { readonly body: string; readonly jobId: string }>();

  /** The job it made, `conflict` when the body was another, or nothing yet. */
  find(key: string, mark: string, body: unknown): { jobId: string } | 'conflict' | undefined {
    const made = this.#made.get(nameOf(key, mark));
    if (!made) return undefined;
    return made.body === fingerprint(body) ? { jobId: made.jobId } : 'conflict';
  }

  remember(key: string, mark: string, body: unknown, jobId: string): void {
    this.#made.set(nameOf(key, mark), { body: fingerprint(body), jobId });
  }

  forget(jobId: string): void {
    for (const [name, made] of this.#made) if (made.jobId === jobId) this.#made.delete(name);
  }
}

const nameOf = (key: string, mark: string) => `${key}\u0000${mark}`;

/** The same fields in another order are the same body. */
function fingerprint(body: unknown): string {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  return createHash('sha256')
    .update(text ?? '')
    .digest('base64');
}
