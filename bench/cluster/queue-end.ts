import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../src/lib/log.ts';
import { openInbox } from '../../src/services/cluster/open-inbox.ts';
import { percentile } from '../table.ts';
import type { QueueEnd, QueueFigures } from './queue.ts';

/** One end of the inbox alone, in a separate process that either puts packets in or takes them out. */

/** About the size of a command's packet. */
const PACKET_CONTENT = { t: 'INTERACTION_CREATE', d: { padding: 'x'.repeat(2_500) } };
const LOCK_MS = 10_000;

const { url, partitions, end, load } = JSON.parse(process.argv[2] ?? '') as QueueEnd;
const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
const inbox = await openInbox({ url, scheme: url.split(':')[0] ?? '' }, { lockMs: LOCK_MS, log });
const { perSecond, seconds } = load;
const count = perSecond * seconds;

if (end === 'take') {
  const milliseconds: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let partition = 0; partition < partitions; partition++)
    inbox.consume(partition, async ({ content }) => {
      milliseconds.push(now() - (content as { at: number }).at);
      if (milliseconds.length === count) resolve();
    });
  process.send?.(null);
  await promise;
  const [median, p99] = [percentile(milliseconds, 0.5), percentile(milliseconds, 0.99)];
  process.send?.({ median, p99 } satisfies QueueFigures);
} else {
  const start = performance.now();
  const puts: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const waitMs = start + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    puts.push(inbox.put(index % partitions, { id: String(index), content: { ...PACKET_CONTENT, at: now() } }));
  }
  await Promise.all(puts);
  process.send?.(null);
}
await inbox.close();

/** Reads a clock that all processes on the machine share, in milliseconds. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
