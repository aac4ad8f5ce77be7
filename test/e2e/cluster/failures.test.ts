import { describe, expect, it, onTestFinished } from 'vitest';
import type { Exchange } from '../../../sandbox/discord/exchange.ts';
import { openInbox } from '../../../src/services/inbox/open-inbox.ts';
import { messagesWith, says, submits } from '../quick.ts';
import { onServersIfAsked } from './on-request.ts';
import { startLimit, whole } from './processes.ts';
import { acknowledgement, callbacks, homeOf, kill, ownerOf, scene, waitLimit, wholeScene } from './scene.ts';

/** Tests wait for its end. */
const LEASE_SECONDS = 10;

describe('A cluster that loses a process', () =>
  onServersIfAsked((site) => {
    it(
      'A worker that is killed is replaced: its task ends once, and members whose command or button it had acknowledged are told',
      waitLimit,
      async () => {
        const there = await scene(site, { leaseSeconds: LEASE_SECONDS });
        const { discord, gateway } = there;
        const workers = await wholeScene(there);
        const member = discord.as('member');
        const order = (prompt: string): Promise<Exchange> => member.slash('imagine', { prompt });
        const grid = await (await order('a lantern')).message(says('Finished in'));
        gateway.setSpeed(1);
        const running = await order('a lighthouse');
        await running.message(says('%'));
        // Discord shows that the bot is thinking, and the worker does not learn of it.
        discord.faults.add({ on: acknowledgement, do: { type: 'hang', done: true }, times: 2 });
        const begun = [await order('a lamp'), await member.click(grid, 'U2')];
        for (const exchange of begun) await exchange.acknowledged();
        const acknowledged = callbacks(discord);

        await kill(ownerOf(there, workers));
        gateway.setSpeed(200);
        await running.message(says('Finished in'));
        for (const exchange of begun) await exchange.message(says('A restart interrupted this.'));
        expect(callbacks(discord)).toBe(acknowledged);
        expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(2);
        expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a lantern', 'a lighthouse']);
        // The button works.
        await (await member.click(grid, 'U2')).message(says('Finished in'));
        expect(submits(gateway)).toBe(3);
      },
    );

    it(
      'Another shard process resumes the session of a killed or suspended one, and no command is lost or doubled',
      waitLimit,
      async () => {
        const there = await scene(site, { speed: 200, leaseSeconds: LEASE_SECONDS });
        const { discord, gateway, start } = there;
        const order = (prompt: string): Promise<Exchange> => discord.as('member').slash('imagine', { prompt });
        const first = start('shard');
        await whole([first, start('worker')]);
        const second = start('shard');
        await whole([second], 0);
        const exchanges: Exchange[] = [];
        for (let at = 0; at < 9; at++) {
          if (at === 3) first.child.kill('SIGKILL');
          exchanges.push(await order(`a lantern number ${at}`));
        }
        for (const exchange of exchanges) await exchange.message(says('Finished in'));
        expect(submits(gateway)).toBe(9);

        const third = start('shard');
        await whole([third], 0);
        second.child.kill('SIGSTOP');
        const meanwhile = await order('a lighthouse');
        await expect.poll(third.said, startLimit).toContain('A shard has resumed its session.');
        second.child.kill('SIGCONT');
        await expect.poll(second.said, startLimit).toContain('The claim on a shard was lost');
        await (await order('a lamp')).message(says('Finished in'));
        // It reached a process when its time was up, or almost up.
        const wasInTime = await meanwhile.message(says('Finished in')).then(
          () => true,
          () => false,
        );
        expect(submits(gateway)).toBe(wasInTime ? 11 : 10);
        expect(second.child.exitCode).toBeNull();
        expect(discord.gateway.identifies).toBe(1);
        expect(discord.gateway.resumes).toBeGreaterThanOrEqual(2);
        for (const { said } of [second, third]) expect(said()).not.toMatch(/could not be told|is unknown whether/);
      },
    );

    it('An interaction that arrives twice is one order', waitLimit, async () => {
      const there = await scene(site);
      const { discord, gateway, place, start } = there;
      await whole([start('shard'), start('worker')]);
      const inbox = await openInbox(place, { partitions: there.partitions, lockMs: 40_000, log: there.log });
      onTestFinished(() => inbox.close());
      const packets: { t: string; d: { id: string } }[] = [];
      discord.listen(({ kind, what }) => {
        const { event, data } = what as { event: string; data: { id: string } };
        if (kind === 'gateway' && event === 'INTERACTION_CREATE') packets.push({ t: event, d: data });
      });
      const before = callbacks(discord);
      const exchange = await discord.as('member').slash('imagine', { prompt: 'a lantern' });
      await exchange.acknowledged();
      const [packet] = packets;
      if (!packet) throw new Error('Discord has sent no interaction.');
      // As after a shard has resumed, and as if the queue no longer remembered the first one.
      await inbox.put(homeOf(there), { id: packet.d.id, content: packet });
      await inbox.put(homeOf(there), { id: `9${packet.d.id}`, content: packet });
      await exchange.message(says('Finished in'));
      const after = await discord.as('member').slash('imagine', { prompt: 'a last one' });
      await after.message(says('Finished in'));
      expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a lantern', 'a last one']);
      expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(2);
      // The second of the same interaction tries, and Discord refuses it.
      expect(callbacks(discord) - before).toBe(3);
    });

    it(
      'A command that waited in vain is refused with a message after a minute, and never submitted',
      waitLimit,
      async () => {
        const { discord, gateway, start } = await scene(site, { speed: 200, partitions: 2 });
        await whole([start('shard')], 0);
        const inVain = await discord.as('member').slash('imagine', { prompt: 'a lamp' });
        await expect.poll(() => inVain.ephemeral(says('Try again in a moment.')), startLimit).toBeDefined();
        await whole([start('worker')], 2);
        await (await discord.as('member').slash('imagine', { prompt: 'a lantern' })).message(says('Finished in'));
        expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a lantern']);
      },
    );
  }));
