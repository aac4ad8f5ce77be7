import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { FingerprintStore } from '../fingerprints/fingerprints.ts';
import type { Task } from '../tasks/task.ts';
import { READ_BATCH_SIZE } from './backend.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';

/** The beginning of a file's hash, and its perceptual hash if it has one. */
const shortHashes = z.string().regex(/^[0-9a-f]{16}(?:[0-9a-f]{16})?$/);
const row = z.object({ files: z.array(shortHashes) });

export const fingerprintRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(row));

const HASH_LENGTH = 16;

export function fingerprintRow({ fingerprints = [] }: Pick<Task, 'fingerprints'>): z.output<typeof row> | undefined {
  if (fingerprints.length === 0) return undefined;
  return { files: fingerprints.map(({ hash, likeness = '' }) => hash.slice(0, HASH_LENGTH) + likeness) };
}

/** A row for each settled task that delivered files. It is deleted before its task, and an unreadable one is left to the doctor. */
export const storedFingerprints = (namespace: Namespace): FingerprintStore => ({
  async *all() {
    let count = 0;
    for await (const [taskId, value] of namespace.entries()) {
      count += 1;
      // SQLite responds synchronously, so a long run of rows would block the process.
      if (count % READ_BATCH_SIZE === 0) await setImmediate();
      const files = row.safeParse(value).data?.files ?? [];
      yield {
        taskId,
        files: files.map((file) => ({
          hash: file.slice(0, HASH_LENGTH),
          likeness: file.slice(HASH_LENGTH) || undefined,
        })),
      };
    }
  },
});
