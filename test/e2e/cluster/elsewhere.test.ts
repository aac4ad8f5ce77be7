import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { partitionOf } from '../../../src/services/tasks/homes.ts';
import { bucketIn } from '../../../src/services/tasks/task-id.ts';
import { labels, says, submitCount } from '../quick.ts';
import { offeredTasks } from '../tasks/pages.ts';
import { createCluster, homePartition, separatingPartitionCount, startFullCluster } from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';

/** Channels outside the server of `hall`: one in another server, and direct messages. */
const OTHER_CHANNELS = ['studio', 'dm'] as const;
const TRY_AGAIN = 'Try again (may be charged twice)';

const taskList = async (discord: EmbeddedDiscord, channel: string): Promise<Message> =>
  (await discord.as('member').in(channel).slash('tasks', {})).message();

/** The page of the member's newest task. */
async function newestTaskPage(discord: EmbeddedDiscord, channel: string): Promise<Message> {
  const list = await taskList(discord, channel);
  const newest = offeredTasks(list)[0]?.value ?? '';
  return (await discord.as('member').in(channel).choose(list, 'Open a task', [newest])).message((message) =>
    labels(message).includes('Details'),
  );
}

describe('The buttons of a task from another partition', () =>
  onServersIfEnabled((createStore) => {
    it('Buttons create tasks in the server where they are pressed, but an unconfirmed submit is retried only in its own server, and only once', async () => {
      const settings = { DISCORD_USER_INSTALL: 'on' };
      const cluster = await createCluster(createStore, {
        speed: 200,
        partitions: separatingPartitionCount,
        settings,
      });
      const { discord, gateway, partitions } = cluster;
      await startFullCluster(cluster);
      const [member, admin] = [discord.as('member'), discord.as('admin')];
      const rules = await (await admin.in('studio').slash('server rules')).message();
      const form = await (await admin.click(rules, 'Change words')).modal();
      await (await admin.fill(form, { words: 'casino' })).message(says('1 blocked word'));

      gateway.faults.add({ do: 'fail' });
      await (await member.in('hall').slash('imagine', { prompt: 'a fox' })).message(says('This task failed'));
      const foxPage = await newestTaskPage(discord, 'studio');
      // An identical request within three seconds counts as a duplicate.
      const failedAt = Date.now();
      await expect.poll(() => Date.now() - failedAt).toBeGreaterThan(3_000);
      await (await member.in('studio').click(foxPage, 'Retry')).message(says('Finished in'));
      const editForm = await (await member.in('studio').click(foxPage, 'Edit and retry')).modal();
      const refused = await member.in('studio').fill(editForm, { words: 'a casino' });
      await refused.message(says('blocked here'));
      expect(submitCount(gateway)).toBe(2);

      gateway.faults.add({ on: { path: /\/submit\// }, do: 'accepted-then-reset' });
      await (await member.in('hall').slash('imagine', { prompt: 'an owl' })).message(says('couldn’t confirm'));
      for (const channel of OTHER_CHANNELS) {
        const page = await newestTaskPage(discord, channel);
        await (await member.in(channel).click(page, TRY_AGAIN)).message(says('where the task was requested'));
      }
      const page = await newestTaskPage(discord, 'hall');
      const presses = await Promise.all([1, 2].map(() => member.in('hall').click(page, TRY_AGAIN)));
      const replies = await Promise.all(
        presses.map((exchange) => exchange.message((one) => /Finished in|already been resubmitted/.test(text(one)))),
      );
      expect(replies.filter(says('Finished in'))).toHaveLength(1);
      expect(submitCount(gateway)).toBe(4);

      const partitionsByLabel = offeredTasks(await taskList(discord, 'studio')).map(({ value, label }) => [
        label,
        partitionOf(bucketIn(value), partitions),
      ]);
      const [studioPartition, hallPartition] = [homePartition(cluster, 'atelier'), homePartition(cluster, 'elsewhere')];
      expect(partitionsByLabel).toEqual([
        ['an owl', hallPartition],
        ['an owl', hallPartition],
        ['a fox', studioPartition],
        ['a fox', hallPartition],
      ]);
    });
  }));
