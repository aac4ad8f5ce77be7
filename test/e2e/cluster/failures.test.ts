import { describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Exchange } from '../../../sandbox/discord/exchange.ts';
import { openInbox } from '../../../src/services/inbox/open-inbox.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import type { Site } from '../../services/store/sites.ts';
import { noLimits } from '../../support/no-limits.ts';
import { type Stage, stage } from '../bot.ts';
import { messagesWith, says, submits } from '../quick.ts';
import { onServersIfAsked } from './on-request.ts';
import { type ClusterProcess, owns, type Role, startProcess, whole } from './processes.ts';

const PARTITIONS = 4;
const waitLimit = { timeout: 240_000 };
/** A busy machine suspends a process for seconds. */
const patient = { limits: { acknowledgeMs: 10_000 } };
const acknowledgement = { method: 'POST', route: '/interactions/:interaction/:token/callback' };

interface Scene extends Stage {
  place: Site;
  start(role: Role): ClusterProcess;
}

async function scene(site: () => Promise<Site>, speed = 20): Promise<Scene> {
  const [place, sides] = [await site(), await stage({ discord: patient, gateway: { speed } })];
  // With the default lease a busy server has two seconds for each answer.
  const settings = { ...noLimits, SHARD_COUNT: '1', STORE_LEASE_SECONDS: '10' };
  return { ...sides, place, start: (role) => startProcess(role, sides, place, settings) };
}

/** A shard and two workers, each of which has its share. */
async function wholeScene({ start }: Scene): Promise<ClusterProcess[]> {
  const workers = [start('worker'), start('worker')];
  await whole([start('shard'), ...workers]);
  const shares = (): number[] =>
    workers.map((worker) => [0, 1, 2, 3].filter((partition) => owns(worker, partition)).length);
  await expect.poll(shares).toEqual([2, 2]);
  return workers;
}

/** The partition of the channels of the test. */
const homeOf = ({ discord }: Stage): number => partitionOf(bucketOf(discord.world.guild('atelier').id), PARTITIONS);

function ownerOf(there: Stage, workers: readonly ClusterProcess[]): ClusterProcess {
  const owner = workers.find((worker) => owns(worker, homeOf(there)));
  if (!owner) throw new Error(`No worker owns partition ${homeOf(there)}.`);
  return owner;
}

async function kill({ child, ended }: ClusterProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

const isCallback = ({ route }: { route: string }): boolean => route === acknowledgement.route;
const callbacks = ({ requests }: EmbeddedDiscord): number => requests.filter(isCallback).length;

/** Commands, one after the other; `between` runs after the first third of them. */
async function stream({ discord }: Stage, count: number, between: () => void): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (let at = 0; at < count; at++) {
    if (at === Math.floor(count / 3)) between();
    const exchange = await discord.as('member').slash('imagine', { prompt: `a lantern number ${at}` });
    exchanges.push(exchange);
    await Promise.race([exchange.acknowledged().catch(() => undefined), new Promise((done) => setTimeout(done, 150))]);
  }
  return exchanges;
}

describe('A cluster that loses a process', () =>
  onServersIfAsked((site) => {
    it('A task whose worker is killed is finished by another one, with one submit and one end', waitLimit, async () => {
      const there = await scene(site, 1);
      const { discord, gateway } = there;
      const workers = await wholeScene(there);
      const exchange = await discord.as('member').slash('imagine', { prompt: 'a lantern' });
      await exchange.message(says('%'));

      await kill(ownerOf(there, workers));
      gateway.setSpeed(200);
      await exchange.message(says('Finished in'));
      expect(submits(gateway)).toBe(1);
      expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(1);
    });

    it(
      'A member whose worker was killed after its acknowledgement is told, and nothing is submitted',
      waitLimit,
      async () => {
        const there = await scene(site);
        const { discord, gateway } = there;
        const workers = await wholeScene(there);
        // Discord shows that the bot is thinking, and the worker does not learn of it.
        discord.faults.add({ on: acknowledgement, do: { type: 'hang', done: true } });
        const exchange = await discord.as('member').slash('imagine', { prompt: 'a lantern' });
        await exchange.acknowledged();

        await kill(ownerOf(there, workers));
        await exchange.message(says('A restart interrupted this.'));
        expect(callbacks(discord)).toBe(1);
        expect(submits(gateway)).toBe(0);
      },
    );

    it(
      'A button whose worker was killed after its acknowledgement is told of, and nothing is submitted',
      waitLimit,
      async () => {
        const there = await scene(site);
        const { discord, gateway } = there;
        const workers = await wholeScene(there);
        const grid = await (await discord.as('member').slash('imagine', { prompt: 'a lantern' })).message(
          says('Finished in'),
        );
        discord.faults.add({ on: acknowledgement, do: { type: 'hang', done: true } });
        const exchange = await discord.as('member').click(grid, 'U2');
        await exchange.acknowledged();

        await kill(ownerOf(there, workers));
        await exchange.message(says('A restart interrupted this.'));
        expect(submits(gateway)).toBe(1);
        // The button works.
        await (await discord.as('member').click(grid, 'U2')).message(says('Finished in'));
        expect(submits(gateway)).toBe(2);
      },
    );

    it(
      'The other shard process resumes the session of a killed one, and no command is lost or doubled',
      waitLimit,
      async () => {
        const there = await scene(site, 200);
        const { discord, gateway, start } = there;
        const first = start('shard');
        await whole([first, start('worker')]);
        const second = start('shard');
        await whole([second], 0);
        const exchanges = await stream(there, 12, () => first.child.kill('SIGKILL'));

        for (const exchange of exchanges) await exchange.message(says('Finished in'));
        expect(submits(gateway)).toBe(12);
        expect(discord.gateway.identifies).toBe(1);
        expect(discord.gateway.resumes).toBeGreaterThan(0);
      },
    );

    it('A worker that is told to stop loses no command', waitLimit, async () => {
      const there = await scene(site, 200);
      const { gateway } = there;
      const workers = await wholeScene(there);
      const owner = ownerOf(there, workers);
      const exchanges = await stream(there, 18, () => owner.child.kill('SIGTERM'));

      let started = 0;
      for (const exchange of exchanges) {
        const answer = await exchange.message((one) => /Finished in|Try again in a moment/.test(text(one)));
        if (says('Finished in')(answer)) started += 1;
      }
      expect(submits(gateway)).toBe(started);
      // Most of them are given to a worker that is there.
      expect(started).toBeGreaterThan(12);
      expect(await owner.ended).toBe(0);
    });

    it('An interaction that arrives twice is one order', waitLimit, async () => {
      const there = await scene(site);
      const { discord, gateway, place } = there;
      await wholeScene(there);
      const inbox = await openInbox(place, { partitions: PARTITIONS, lockMs: 10_000, log: there.log });
      onTestFinished(() => inbox.close());
      const packets: { t: string; d: { id: string } }[] = [];
      discord.listen(({ kind, what }) => {
        const { event, data } = what as { event: string; data: { id: string } };
        if (kind === 'gateway' && event === 'INTERACTION_CREATE') packets.push({ t: event, d: data });
      });
      const exchange = await discord.as('member').slash('imagine', { prompt: 'a lantern' });
      await exchange.acknowledged();
      const [packet] = packets;
      if (!packet) throw new Error('Discord has sent no interaction.');
      // As a shard does that resumes; and as if the queue had forgotten the first one.
      await inbox.put(homeOf(there), { id: packet.d.id, content: packet });
      await inbox.put(homeOf(there), { id: `9${packet.d.id}`, content: packet });
      await exchange.message(says('Finished in'));
      const after = await discord.as('member').slash('imagine', { prompt: 'a lighthouse' });
      await after.message(says('Finished in'));
      expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a lantern', 'a lighthouse']);
      expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(2);
      expect(callbacks(discord)).toBe(3);
    });

    it('Without a worker a member is told to try again, and nothing is submitted later', waitLimit, async () => {
      const { discord, gateway, start } = await scene(site);
      await whole([start('shard')], 0);
      const exchange = await discord.as('member').slash('imagine', { prompt: 'a lantern' });
      const { afterMs } = await exchange.acknowledged();
      expect(afterMs).toBeLessThan(3_000);
      const told = await exchange.message(says('Try again in a moment.'));
      expect(told.ephemeral).toBe(true);

      await whole([start('worker')]);
      // It may take a moment until its queues answer.
      const next = async (): Promise<string> =>
        text(
          await (await discord.as('member').slash('imagine', { prompt: 'a lighthouse' })).message((one) =>
            /Finished in|Try again in a moment/.test(text(one)),
          ),
        );
      await expect.poll(next).toContain('Finished in');
      expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a lighthouse']);
    });
  }));
