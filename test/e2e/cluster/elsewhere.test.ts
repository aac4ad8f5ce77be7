import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../../sandbox/discord/exchange.ts';
import { partitionOf } from '../../../src/services/tasks/homes.ts';
import { bucketIn } from '../../../src/services/tasks/task-id.ts';
import { onServers } from '../../services/store/sites.ts';
import { says, submits } from '../quick.ts';
import { offeredTaskIds } from '../tasks/pages.ts';
import { homeOf, scene, waitLimit, wholeScene } from './scene.ts';

/** Another server, and direct messages. */
const ELSEWHERE = ['hall', 'dm'] as const;
const AGAIN = 'Try again (may be charged twice)';

const listIn = async (discord: EmbeddedDiscord, channel: string): Promise<Message> =>
  (await discord.as('member').in(channel).slash('tasks', {})).message();

/** The page of the member's newest task. */
async function pageIn(discord: EmbeddedDiscord, channel: string): Promise<Message> {
  const list = await listIn(discord, channel);
  const newest = offeredTaskIds(list)[0]?.value ?? '';
  return (await discord.as('member').in(channel).choose(list, 'Open a task', [newest])).message(says('Requested'));
}

describe('The buttons of a task of another partition', () =>
  onServers((site) => {
    it(
      'They reach the partition of the task: Retry works elsewhere, and of two presses in two places one is refused',
      waitLimit,
      async () => {
        const there = await scene(site, { speed: 200, settings: { DISCORD_USER_INSTALL: 'on' } });
        const { discord, gateway, partitions } = there;
        await wholeScene(there);
        const member = discord.as('member');
        const press = async (channel: string, page: Message, label: string): Promise<Exchange> =>
          member.in(channel).click(page, label);

        gateway.faults.add({ do: 'fail' });
        await (await member.in('studio').slash('imagine', { prompt: 'a fox' })).message(says('This task failed'));
        // An identical request within three seconds counts as a duplicate.
        const failedAt = Date.now();
        await expect.poll(() => Date.now() - failedAt).toBeGreaterThan(3_000);
        const retry = await press('hall', await pageIn(discord, 'hall'), 'Retry');
        await retry.message(says('Finished in'));
        expect(submits(gateway)).toBe(2);

        gateway.faults.add({ on: { path: /\/submit\// }, do: 'accepted-then-reset' });
        await (await member.in('studio').slash('imagine', { prompt: 'an owl' })).message(says('couldn’t confirm'));
        const pages = await Promise.all(ELSEWHERE.map((channel) => pageIn(discord, channel)));
        const pressed = await Promise.all(
          ELSEWHERE.map((channel, at) => press(channel, pages[at] ?? expect.unreachable(), AGAIN)),
        );
        const told = await Promise.all(
          pressed.map((exchange) =>
            exchange.message((one) => /Finished in|already been resubmitted/.test(text(one))),
          ),
        );
        expect(told.filter(says('Finished in'))).toHaveLength(1);
        expect(submits(gateway)).toBe(4);

        const ids = offeredTaskIds(await listIn(discord, 'studio')).map(({ value }) => value);
        expect(ids.map((id) => partitionOf(bucketIn(id), partitions))).toEqual(ids.map(() => homeOf(there)));
      },
    );
  }));
