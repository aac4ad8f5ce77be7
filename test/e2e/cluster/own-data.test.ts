import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import { bucketIn } from '../../../src/services/tasks/task-id.ts';
import type { TestStore } from '../../services/store/sites.ts';
import { createFixture } from '../bot.ts';
import { labels, says, submitCount } from '../quick.ts';
import { bytesOf } from '../tasks/fixture.ts';
import { offeredTasks } from '../tasks/pages.ts';
import { separatingPartitionCount } from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { startProcess, waitUntilReady } from './processes.ts';

const channels = ['studio', 'hall', 'dm'] as const;

async function startCluster(storeServer: TestStore) {
  const servers = await createFixture({ gateway: { speed: 20 }, settings: { DISCORD_USER_INSTALL: 'on' } });
  const partitions = separatingPartitionCount(servers.discord);
  const PARTITIONS = String(partitions);
  const settings = { DISCORD_USER_INSTALL: 'on', TOTAL_BUDGET: '13 tasks a day', PARTITIONS };
  const start = (role: 'shard' | 'worker') => startProcess(role, servers, storeServer, settings);
  const [shard, firstWorker, secondWorker] = [start('shard'), start('worker'), start('worker')];
  await waitUntilReady([shard, firstWorker, secondWorker], partitions);
  return { ...servers, partitions, workers: [firstWorker, secondWorker] as const, start };
}

const listTasks = async (discord: EmbeddedDiscord, channel: string, options = {}): Promise<Message> =>
  (await discord.as('member').in(channel).slash('tasks', options)).message();

async function createTasks(discord: EmbeddedDiscord, taskCount: number): Promise<Message[]> {
  const results: Message[] = [];
  for (let index = 0; index < taskCount; index++) {
    const member = discord.as('member').in(channels[index % channels.length] ?? 'studio');
    results.push(await (await member.slash('imagine', { prompt: `lantern ${index}` })).message(says('Finished')));
  }
  return results;
}

async function confirmErasure(discord: EmbeddedDiscord) {
  const member = discord.as('member');
  const first = await (await member.click(await listTasks(discord, 'studio'), 'Delete my data')).message();
  const second = await (await member.click(first, 'Delete everything')).message(says('cannot be undone'));
  return { count: text(first), exchange: await member.click(second, 'Delete permanently') };
}

/** Rows in any partition that contain the member's id or a prompt. */
const remainingRows = async (storeServer: TestStore, memberId: string): Promise<string[]> =>
  (await storeServer.rows())
    .filter(({ key, text }) => (key + text).includes(memberId) || text.includes('lantern'))
    .map(({ namespace, key }) => `${namespace} ${key}`);

describe('A member’s tasks in all partitions', () => {
  onServersIfEnabled((createStore) => {
    it('A member’s task lists, task pages, exports and erasures cover all partitions', async () => {
      const storeServer = await createStore();
      const { discord, gateway, partitions } = await startCluster(storeServer);
      await createTasks(discord, 12);
      const first = await listTasks(discord, 'hall');
      const ids = offeredTasks(first);
      expect(ids.map(({ label }) => label)).toEqual(Array.from({ length: 10 }, (_, index) => `lantern ${11 - index}`));
      expect(new Set(ids.map(({ value }) => partitionOf(bucketIn(value), partitions))).size).toBeGreaterThan(1);
      const older = await (await discord.as('member').in('hall').click(first, 'Older')).message(says('lantern 0'));
      expect(offeredTasks(older).map(({ label }) => label)).toEqual(['lantern 1', 'lantern 0']);
      const found = await listTasks(discord, 'hall', { text: 'lantern 3' });
      expect(offeredTasks(found).map(({ label }) => label)).toEqual(['lantern 3']);
      const task = offeredTasks(found)[0]?.value ?? '';
      const page = await (await discord.as('member').in('hall').choose(found, 'Open a task', [task])).message(
        (message) => labels(message).includes('Details'),
      );
      const copy = await (await discord.as('member').in('hall').click(page, 'Show here')).message(says('Finished'));
      expect(labels(copy)).toContain('U1');
      await (await discord.as('member').in('hall').click(copy, 'U1')).message(says('Finished'));
      expect(submitCount(gateway)).toBe(13);
      // Each partition has used a part of the limit, and none has used it up alone.
      const refused = await (await discord.as('member').in('dm').slash('imagine', { prompt: 'a lantern' })).message();
      expect(text(refused)).toContain('would exceed the bot-wide limit');
      expect(submitCount(gateway)).toBe(13);
      expect(text(await (await discord.as('member').slash('usage', { by: 'model' })).message())).toContain('13 tasks');

      const exportMessage = await (
        await discord.as('member').click(await listTasks(discord, 'studio'), 'Export my data')
      ).message();
      const data = JSON.parse((await bytesOf(exportMessage)).toString()) as {
        tasks: { id: string; requesterId: string }[];
        ledger: object[];
      };
      const exportedIds = data.tasks.map(({ id }) => id);
      expect(exportedIds).toEqual(exportedIds.toSorted().reverse());
      // The last order came from a button on a task of another server, but belongs to the server where the button was pressed.
      const hallPartition = partitionOf(bucketOf(discord.world.guild('elsewhere').id), partitions);
      expect(exportedIds.map((id) => partitionOf(bucketIn(id), partitions))[0]).toBe(hallPartition);
      expect([data.tasks.length, data.ledger.length]).toEqual([13, 13]);

      const { count, exchange } = await confirmErasure(discord);
      expect(count).toContain('13 tasks');
      const { requesterId: memberId } = data.tasks[0] ?? expect.unreachable();
      await exchange.message(says('Your data has been deleted (tasks: 13'));
      await expect.poll(() => remainingRows(storeServer, memberId)).toEqual([]);
      expect(text(await listTasks(discord, 'hall'))).toContain('No tasks found');
    });
  });
});
