import { setTimeout as sleep } from 'node:timers/promises';
import { openLog } from '../../src/lib/log.ts';
import { openInbox } from '../../src/services/inbox/open-inbox.ts';
import { percentile } from '../tasks/percentile.ts';
import type { QueueEnd, QueueFigures } from './queue.ts';

/** One end of the inbox alone, in a separate process that either puts packets in or takes them out. */

/** About the size of a command's packet. */
const CONTENT = { t: 'INTERACTION_CREATE', d: { padding: 'x'.repeat(2_500) } };
const LOCK_MS = 10_000;

const { url, partitions, end, load } = JSON.parse(process.argv[2] ?? '') as QueueEnd;
const log = openLog({ level: 'silent', secrets: [], isReadable: false, write: () => undefined });
const inbox = await openInbox({ url, scheme: url.split(':')[0] ?? '' }, { partitions, lockMs: LOCK_MS, log });
const { perSecond, seconds } = load;
const count = perSecond * seconds;

if (end === 'take') {
  const milliseconds: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let partition = 0; partition < partitions; partition++)
    inbox.take(partition, async ({ content }) => {
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
  for (let at = 0; at < count; at++) {
    const waitMs = start + (at * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    puts.push(inbox.put(at % partitions, { id: String(at), content: { ...CONTENT, at: now() } }));
  }
  await Promise.all(puts);
  process.send?.(null);
}
await inbox.close();

/** Reads a clock that all processes on the machine share, in milliseconds. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
