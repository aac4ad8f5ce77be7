import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLog } from '../../../src/lib/log.ts';
import type { Inbox, TakenPacket } from '../../../src/services/inbox/inbox.ts';
import { openInbox } from '../../../src/services/inbox/open-inbox.ts';
import { onServers, type TestStore } from '../store/sites.ts';

const LOCK_MS = 1_000;
const PARTITION_COUNT = 8;

async function inboxOn({ url, scheme }: TestStore): Promise<Inbox> {
  const log = openLog({ level: 'error', secrets: [], isReadable: false, write: () => undefined });
  const inbox = await openInbox({ url, scheme }, { partitions: PARTITION_COUNT, lockMs: LOCK_MS, log });
  onTestFinished(() => inbox.close());
  return inbox;
}

const packet = (id: string) => ({ id, content: { t: 'INTERACTION_CREATE', d: { id } } });

describe('The inbox', () => {
  onServers((site) => {
    it('A packet that arrives before its partition has an owner is handled by the owner, once', async () => {
      const inbox = await inboxOn(await site());
      await inbox.put(3, packet('11'));
      await inbox.put(3, packet('11'));
      await inbox.put(4, packet('12'));
      const received: TakenPacket[] = [];
      inbox.take(3, async (takenPacket) => void received.push(takenPacket));
      await expect.poll(() => received).toEqual([{ ...packet('11'), isRepeated: false }]);
      await inbox.put(3, packet('13'));
      await expect.poll(() => received.map(({ id }) => id)).toEqual(['11', '13']);
      // Discord may send an event again, even after it has been handled.
      await inbox.put(3, packet('11'));
      await inbox.put(3, packet('14'));
      await expect.poll(() => received.map(({ id }) => id)).toEqual(['11', '13', '14']);
    });

    it('A packet can be withdrawn only until a process has taken it', async () => {
      const inbox = await inboxOn(await site());
      await inbox.put(0, packet('21'));
      expect(await inbox.withdraw(0, '21')).toBe(true);
      expect(await inbox.withdraw(0, '21')).toBe(false);
      const handling = Promise.withResolvers<void>();
      const received: string[] = [];
      inbox.take(0, async ({ id }) => {
        received.push(id);
        await handling.promise;
      });
      await inbox.put(0, packet('22'));
      await expect.poll(() => received).toEqual(['22']);
      expect(await inbox.withdraw(0, '22')).toBe(false);
      handling.resolve();
    });

    it('A process that owns all partitions receives the packets of all of them', async () => {
      const inbox = await inboxOn(await site());
      const partitions = Array.from({ length: PARTITION_COUNT }, (_, partition) => partition);
      const received: string[] = [];
      for (const partition of partitions) inbox.take(partition, async ({ id }) => void received.push(id));
      await Promise.all(partitions.map((partition) => inbox.put(partition, packet(`5${partition}`))));
      await expect.poll(() => received.toSorted()).toEqual(partitions.map((partition) => `5${partition}`));
    });

    it('An inbox without a queue survives a lost connection', async () => {
      const server = await site();
      const inbox = await inboxOn(server);
      await server.cutConnections();
      // An error without a listener would fail this test.
      await expect.poll(() => inbox.put(0, packet('41')).then(() => 'put', String)).toBe('put');
    });

    it('A packet whose process ended goes to another one, marked as repeated', async () => {
      const server = await site();
      const inbox = await inboxOn(server);
      const args = [fileURLToPath(new URL('taker.ts', import.meta.url)), server.url, server.scheme, String(LOCK_MS)];
      const taker = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      onTestFinished(() => void taker.kill('SIGKILL'));
      await inbox.put(0, packet('31'));
      await once(taker.stdout, 'data');
      taker.kill('SIGKILL');
      await once(taker, 'exit');
      const received: TakenPacket[] = [];
      inbox.take(0, async (takenPacket) => void received.push(takenPacket));
      await expect.poll(() => received).toEqual([{ ...packet('31'), isRepeated: true }]);
    });
  });
});
