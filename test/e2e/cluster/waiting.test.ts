import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { onServers } from '../../services/store/sites.ts';
import { labels, messagesWith, says, submits } from '../quick.ts';
import { changeRules } from '../reports.ts';
import { whole } from './processes.ts';
import { kill, scene, waitLimit } from './scene.ts';

describe('A cluster without a worker', () => {
  onServers((site) => {
    it(
      'A command or a press waits for a worker, and is seen by the same members as always; only forms have to be asked for again',
      waitLimit,
      async () => {
        const there = await scene(site, { speed: 200, partitions: 2 });
        const { discord, gateway, start } = there;
        const member = discord.as('member');
        const shard = start('shard');
        await whole([shard], 0);
        const early = await member.slash('imagine', { prompt: 'a lamp' });
        expect((await early.acknowledged()).afterMs).toBeLessThan(3_000);

        const first = start('worker');
        await whole([first], 2);
        const grid = await early.message(says('Finished in'));
        expect(grid.ephemeral).toBe(false);
        expect(labels(grid)).toContain('U2');
        await changeRules(there, 'Change buttons and privacy', { privateCommands: '/imagine' });

        await kill(first);
        const [form, ...waiting] = [
          await member.click(grid, 'Use as reference'),
          await member.click(grid, 'U2'),
          await member.slash('imagine', { prompt: 'private by default' }),
          await member.slash('imagine', { prompt: 'public by choice', private: false }),
        ];
        const refused = await form.message(says('Try again in a moment.'));
        expect(refused.ephemeral).toBe(true);
        for (const exchange of waiting) expect((await exchange.acknowledged()).afterMs).toBeLessThan(3_000);
        expect(submits(gateway)).toBe(1);

        await whole([start('worker')], 2);
        const ends = await Promise.all(waiting.map((exchange) => exchange.message(says('Finished in'))));
        expect(ends.map(({ ephemeral }) => ephemeral)).toEqual([false, true, false]);
        expect(submits(gateway)).toBe(4);
        expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(4);
        expect(ends.map(text).join()).not.toContain('restart');
        expect(shard.said()).not.toContain('It is unknown whether a worker took an interaction.');
      },
    );
  });
});
