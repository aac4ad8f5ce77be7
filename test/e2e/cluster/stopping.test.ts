import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../sandbox/discord/exchange.ts';
import { onServers } from '../../services/store/sites.ts';
import { says, submits } from '../quick.ts';
import { type ClusterProcess, owns, startLimit } from './processes.ts';
import { homeOf, isAnswered, owned, ownerOf, type Scene, scene, waitLimit, wholeScene } from './scene.ts';

const PARTITIONS = 16;
/** A busy machine may suspend processes for longer than the limit, so only one of this many attempts has to be in time. */
const TRIES = 3;
const HAND_OVER_MS = 1_000;
/**
 * The time in which a worker starts if nothing else is running. If the start of a process takes longer, the machine is busy, and everything else takes longer
 * too.
 */
const START_MS = 2_000;
/** The time between two commands of a member. */
const PACE_MS = 100;
const SHARE_MS = 10_000;

/** When a worker took its last partition, according to its log. */
function lastTakenAt({ said }: ClusterProcess): number {
  const times = [...said().matchAll(/"time":(\d+),"partition":\d+,.*This worker owns another partition/g)];
  return Number(times.at(-1)?.[1]);
}

const readyAt = ({ said }: ClusterProcess): number => Number(/"time":(\d+),.*This worker is ready/.exec(said())?.[1]);

/** Stops one of two workers, and starts another one in its place. */
async function replaced(cluster: Scene, [leaving, staying]: [ClusterProcess, ClusterProcess]) {
  const { partitions, start } = cluster;
  const stoppedAt = Date.now();
  leaving.child.kill('SIGTERM');
  await expect.poll(() => owned(staying, partitions), startLimit).toHaveLength(partitions);
  expect(await leaving.ended).toBe(0);
  const startedAt = Date.now();
  const next = start('worker');
  const equalShares = [partitions / 2, partitions / 2];
  await expect
    .poll(() => [staying, next].map((worker) => owned(worker, partitions).length), startLimit)
    .toEqual(equalShares);
  const busyness = Math.max(1, (readyAt(next) - startedAt) / START_MS);
  const handOverMs = lastTakenAt(staying) - stoppedAt;
  return { busyness, handOverMs, shareMs: lastTakenAt(next) - readyAt(next), workers: [staying, next] as const };
}

describe('A worker that is told to stop', () =>
  onServers((site) => {
    it(
      'Its partitions have another owner within a second while tasks are running, and a new worker has its share within ten',
      waitLimit,
      async () => {
        const cluster = await scene(site, { speed: 1, partitions: PARTITIONS });
        const { discord, gateway, log } = cluster;
        let workers = await wholeScene(cluster);
        const running: Exchange[] = [];
        for (const channel of ['studio', 'hall', 'studio'])
          running.push(
            await discord
              .as('member')
              .in(channel)
              .slash('imagine', { prompt: `a lantern ${running.length}` }),
          );
        for (const exchange of running) await exchange.message(says('%'));

        const times: { busyness: number; handOverMs: number; shareMs: number }[] = [];
        const isInTime = (): boolean =>
          times.some(
            ({ busyness, handOverMs, shareMs }) =>
              handOverMs < busyness * HAND_OVER_MS && shareMs < busyness * SHARE_MS,
          );
        while (times.length < TRIES && !isInTime()) {
          const {
            workers: [staying, next],
            ...one
          } = await replaced(cluster, workers);
          times.push(one);
          workers = [staying, next];
        }
        log.info({ times }, 'Hand-overs');
        expect(isInTime(), JSON.stringify(times)).toBe(true);

        gateway.setSpeed(200);
        for (const exchange of running) await exchange.message(says('Finished in'));
        expect(submits(gateway)).toBe(running.length);
      },
    );

    it(
      'A worker that is told to stop loses no command in a steady stream, and the next owner answers at once',
      waitLimit,
      async () => {
        const cluster = await scene(site, { speed: 200 });
        const { discord, gateway } = cluster;
        const workers = await wholeScene(cluster);
        const owner = ownerOf(cluster, workers);
        const member = discord.as('member');
        const order = (prompt: string): Promise<Exchange> => member.slash('imagine', { prompt });
        const before = [await order('a lantern'), await order('a lamp'), await order('a lighthouse')];
        owner.child.kill('SIGTERM');
        const isHandedOver = (): boolean => workers.some((worker) => worker !== owner && owns(worker, homeOf(cluster)));
        const meanwhile: Exchange[] = [];
        while (!isHandedOver()) {
          meanwhile.push(await member.slash('help', {}));
          await new Promise((done) => setTimeout(done, PACE_MS));
        }
        const after = [await order('a candle'), await order('a torch')];

        let started = 0;
        for (const exchange of before) if (says('Finished in')(await exchange.message(isAnswered))) started += 1;
        for (const exchange of meanwhile) await exchange.message();
        for (const exchange of after) await exchange.message(says('Finished in'));
        expect(submits(gateway)).toBe(started + after.length);
        expect(await owner.ended).toBe(0);
      },
    );
  }));
