import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/lib/log.ts';
import type { Inbox, TakenPacket } from '../../../src/services/cluster/inbox.ts';
import { openInbox } from '../../../src/services/cluster/open-inbox.ts';
import { cacheArgs } from '../../support/shipped.ts';
import { onServers, onStores, type TestStore } from '../store/sites.ts';

const LOCK_MS = 1_000;
const PARTITION_COUNT = 8;

async function openTestInbox({ url, scheme }: TestStore, lockMs = LOCK_MS): Promise<Inbox> {
  const log = createLogger({ level: 'error', secrets: [], isPretty: false, write: () => undefined });
  const inbox = await openInbox({ url, scheme }, { lockMs, log });
  onTestFinished(() => inbox.close());
  return inbox;
}

const packet = (id: string) => ({ id, content: { t: 'INTERACTION_CREATE', d: { id } } });

describe('The inbox', () => {
  onStores(['postgres'], (createTestStore) => {
    it('One connection waits for the packets of all partitions', async () => {
      const testStore = await createTestStore();
      const inbox = await openTestInbox(testStore);
      const received: string[] = [];
      const partitions = Array.from({ length: 3 * PARTITION_COUNT }, (_, partition) => partition);
      for (const partition of partitions) inbox.consume(partition, async ({ id }) => void received.push(id));
      await Promise.all(partitions.map((partition) => inbox.put(partition, packet(`7${partition}`))));
      await expect.poll(() => received).toHaveLength(partitions.length);
      // One connection belongs to the test itself.
      expect((await testStore.connections()) - 1).toBeLessThanOrEqual(8);
    });
  });

  onServers((createTestStore) => {
    it('A packet that arrives before its partition has an owner is handled by the owner, once', async () => {
      const inbox = await openTestInbox(await createTestStore());
      await inbox.put(3, packet('11'));
      await inbox.put(3, packet('11'));
      await inbox.put(4, packet('12'));
      const received: TakenPacket[] = [];
      inbox.consume(3, async (takenPacket) => void received.push(takenPacket));
      await expect.poll(() => received).toEqual([{ ...packet('11'), isRepeated: false }]);
      await inbox.put(3, packet('13'));
      await expect.poll(() => received.map(({ id }) => id)).toEqual(['11', '13']);
      // Discord may send an event again, even after it has been handled.
      await inbox.put(3, packet('11'));
      await inbox.put(3, packet('14'));
      await expect.poll(() => received.map(({ id }) => id)).toEqual(['11', '13', '14']);
    });

    it('A packet can be withdrawn only until a process has taken it', async () => {
      const inbox = await openTestInbox(await createTestStore());
      await inbox.put(0, packet('21'));
      expect(await inbox.withdraw(0, '21')).toBe(true);
      expect(await inbox.withdraw(0, '21')).toBe(false);
      const handling = Promise.withResolvers<void>();
      const received: string[] = [];
      inbox.consume(0, async ({ id }) => {
        received.push(id);
        await handling.promise;
        return undefined;
      });
      await inbox.put(0, packet('22'));
      await expect.poll(() => received).toEqual(['22']);
      expect(await inbox.withdraw(0, '22')).toBe(false);
      handling.resolve();
    });

    it('A packet that a closing process declines returns to the queue, and another process handles it as new', async () => {
      const testStore = await createTestStore();
      // Without waiting until the lock of the first process expires.
      const lockMs = 1_000 * LOCK_MS;
      const [closing, open] = [await openTestInbox(testStore, lockMs), await openTestInbox(testStore, lockMs)];
      const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
      const consumer = closing.consume(0, async () => {
        onClosed(consumer.close());
        return 'declined';
      });
      await closing.put(0, packet('71'));
      await closed;
      const received: TakenPacket[] = [];
      open.consume(0, async (takenPacket) => void received.push(takenPacket));
      await expect.poll(() => received).toEqual([{ ...packet('71'), isRepeated: false }]);
    });

    it('A process that owns all partitions receives the packets of all of them', async () => {
      const inbox = await openTestInbox(await createTestStore());
      const partitions = Array.from({ length: PARTITION_COUNT }, (_, partition) => partition);
      const received: string[] = [];
      for (const partition of partitions) inbox.consume(partition, async ({ id }) => void received.push(id));
      await Promise.all(partitions.map((partition) => inbox.put(partition, packet(`5${partition}`))));
      await expect.poll(() => received.toSorted()).toEqual(partitions.map((partition) => `5${partition}`));
    });

    it('Packets arrive although all connections are lost again and again, while consumers start too', async () => {
      const testStore = await createTestStore();
      const inbox = await openTestInbox(testStore);
      const partitions = Array.from({ length: PARTITION_COUNT }, (_, partition) => partition);
      const received: TakenPacket[] = [];
      const expected: string[] = [];
      for (const partition of partitions) {
        inbox.consume(partition, async (takenPacket) => void received.push(takenPacket));
        await testStore.cutConnections();
        const id = `6${partition}`;
        await expect.poll(() => inbox.put(partition, packet(id)).then(() => 'put', String)).toBe('put');
        expected.push(id);
      }
      const receivedIds = (): Set<string> => new Set(received.map(({ id }) => id));
      await expect.poll(() => [...receivedIds()].toSorted()).toEqual(expected);
      // If the queue cannot be told that a packet was handled, the packet arrives again, and is marked.
      const unmarkedIds = received.flatMap(({ id, isRepeated }) => (isRepeated ? [] : id));
      expect(unmarkedIds).toHaveLength(new Set(unmarkedIds).size);
    });

    it('An inbox that takes no packets survives a lost connection', async () => {
      const testStore = await createTestStore();
      const inbox = await openTestInbox(testStore);
      await testStore.cutConnections();
      // An error without a listener would fail this test.
      await expect.poll(() => inbox.put(0, packet('41')).then(() => 'put', String)).toBe('put');
    });

    it('A packet whose process has ended is handled by another process, and marked as repeated', async () => {
      const testStore = await createTestStore();
      const inbox = await openTestInbox(testStore);
      const args = [
        fileURLToPath(new URL('taker.ts', import.meta.url)),
        testStore.url,
        testStore.scheme,
        String(LOCK_MS),
      ];
      const taker = spawn(process.execPath, [...cacheArgs, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
      onTestFinished(() => void taker.kill('SIGKILL'));
      await inbox.put(0, packet('31'));
      await once(taker.stdout, 'data');
      taker.kill('SIGKILL');
      await once(taker, 'exit');
      const received: TakenPacket[] = [];
      inbox.consume(0, async (takenPacket) => void received.push(takenPacket));
      await expect.poll(() => received).toEqual([{ ...packet('31'), isRepeated: true }]);
    });
  });
});
