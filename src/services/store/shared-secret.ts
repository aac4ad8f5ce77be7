import { pause, systemClock } from '../../lib/clock.ts';
import { type Backend, inUseError } from './backend.ts';
import { hashSecret } from './kept-scopes.ts';
import { Lease } from './lease.ts';
import { hashSecretMark } from './marks.ts';
import { openNamespaces } from './namespaces.ts';
import type { RemoteParts } from './remote/partition.ts';
import { openPartition, readPartition } from './remote/partition.ts';
import type { Server } from './remote/server-connection.ts';

const CHECK_INTERVAL_MS = 100;
const MAX_WAIT_MS = 30_000;

/** Members are hashed with the same key in all partitions: it is created in partition 0, and the others copy it. A key that a partition already has is kept. */
export async function shareHashSecret(
  { backend, partition }: { backend: Backend; partition: number },
  server: Server,
  parts: RemoteParts,
): Promise<void> {
  const mark = hashSecretMark(openNamespaces(backend).meta);
  if (await mark.read()) return;
  if (partition === 0) await hashSecret(openNamespaces(backend).meta);
  else await mark.write({ secret: await firstSecret(server, parts) });
}

/** The owner of partition 0 creates the key when it opens the partition. If there is no owner, the key is created here. */
async function firstSecret(server: Server, parts: RemoteParts): Promise<string> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const first = await readPartition(server, 0);
    const mark = first && (await hashSecretMark(openNamespaces(first).meta).read());
    if (mark) return mark.secret;
    const firstPartition = await openPartition(server, 0, parts, Lease.tryAcquire);
    if (firstPartition) {
      try {
        return await hashSecret(openNamespaces(firstPartition.backend).meta);
      } finally {
        await firstPartition.close();
      }
    }
    if (performance.now() > deadline) throw inUseError(server.connection.name);
    await pause(systemClock, CHECK_INTERVAL_MS);
  }
}
