import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLog } from '../../../src/lib/log.ts';
import type { Inbox, TakenPacket } from '../../../src/services/inbox/inbox.ts';
import { openInbox } from '../../../src/services/inbox/open-inbox.ts';
import { onServers, type Site } from '../store/sites.ts';

const LOCK_MS = 1_000;
const PARTITIONS = 8;

async function inboxOn({ url, scheme }: Site): Promise<Inbox> {
  const log = openLog({ level: 'error', secrets: [], readable: false, write: () => undefined });
  const inbox = await openInbox({ url, scheme }, { partitions: PARTITIONS, lockMs: LOCK_MS, log });
  onTestFinished(() => inbox.close());
  return inbox;
}

const packet = (id: string) => ({ id, content: { t: 'INTERACTION_CREATE', d: { id } } });

describe('The inbox', () => {
  onServers((site) => {
    it('A packet put in before its partition has an owner is handled by the owner, once', async () => {
      const inbox = await inboxOn(await site());
      await inbox.put(3, packet('11'));
      await inbox.put(3, packet('11'));
      await inbox.put(4, packet('12'));
      const taken: TakenPacket[] = [];
      inbox.take(3, async (one) => void taken.push(one));
      await expect.poll(() => taken).toEqual([{ ...packet('11'), isRepeated: false }]);
      await inbox.put(3, packet('13'));
      await expect.poll(() => taken.map(({ id }) => id)).toEqual(['11', '13']);
      // Discord repeats events whose handling it does not know about.
      await inbox.put(3, packet('11'));
      await inbox.put(3, packet('14'));
      await expect.poll(() => taken.map(({ id }) => id)).toEqual(['11', '13', '14']);
    });

    it('A packet is withdrawn only while no process has taken it', async () => {
      const inbox = await inboxOn(await site());
      await inbox.put(0, packet('21'));
      expect(await inbox.withdraw(0, '21')).toBe(true);
      expect(await inbox.withdraw(0, '21')).toBe(false);
      const held = Promise.withResolvers<void>();
      const taken: string[] = [];
      inbox.take(0, async ({ id }) => {
        taken.push(id);
        await held.promise;
      });
      await inbox.put(0, packet('22'));
      await expect.poll(() => taken).toEqual(['22']);
      expect(await inbox.withdraw(0, '22')).toBe(false);
      held.resolve();
    });

    it('A process that has taken all partitions receives their packets at once', async () => {
      const inbox = await inboxOn(await site());
      const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
      const taken: string[] = [];
      for (const partition of partitions) inbox.take(partition, async ({ id }) => void taken.push(id));
      await Promise.all(partitions.map((partition) => inbox.put(partition, packet(`5${partition}`))));
      await expect.poll(() => taken.toSorted()).toEqual(partitions.map((partition) => `5${partition}`));
    });

    it('An inbox without a queue survives a lost connection', async () => {
      const place = await site();
      const inbox = await inboxOn(place);
      await place.cutConnections();
      // An error without a listener would fail this test.
      await expect.poll(() => inbox.put(0, packet('41')).then(() => 'put', String)).toBe('put');
    });

    it('A packet whose process ended goes to another one, marked as repeated', async () => {
      const place = await site();
      const inbox = await inboxOn(place);
      const args = [fileURLToPath(new URL('taker.ts', import.meta.url)), place.url, place.scheme, String(LOCK_MS)];
      const taker = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      onTestFinished(() => void taker.kill('SIGKILL'));
      await inbox.put(0, packet('31'));
      await once(taker.stdout, 'data');
      taker.kill('SIGKILL');
      await once(taker, 'exit');
      const taken: TakenPacket[] = [];
      inbox.take(0, async (one) => void taken.push(one));
      await expect.poll(() => taken).toEqual([{ ...packet('31'), isRepeated: true }]);
    });
  });
});
