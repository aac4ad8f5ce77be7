import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../sandbox/discord/exchange.ts';
import { says, submits } from '../quick.ts';
import { onServersIfAsked } from './on-request.ts';
import { type ClusterProcess, owns, startLimit } from './processes.ts';
import { homeOf, isAnswered, owned, ownerOf, type Scene, scene, waitLimit, wholeScene } from './scene.ts';

const PARTITIONS = 16;
/** Between two commands of a member. */
const PACE_MS = 100;

/** Stops one of two workers, and starts another one in its place. */
async function replace(there: Scene, [leaving, staying]: [ClusterProcess, ClusterProcess]): Promise<void> {
  const { partitions, start } = there;
  leaving.child.kill('SIGTERM');
  await expect.poll(() => owned(staying, partitions), startLimit).toHaveLength(partitions);
  expect(await leaving.ended).toBe(0);
  const next = start('worker');
  const halves = [partitions / 2, partitions / 2];
  await expect
    .poll(() => [staying, next].map((worker) => owned(worker, partitions).length), startLimit)
    .toEqual(halves);
}

describe('A worker that is told to stop', () =>
  onServersIfAsked((site) => {
    it(
      'Its partitions get another owner while tasks are running, and a new worker gets its share',
      waitLimit,
      async () => {
        const there = await scene(site, { speed: 1, partitions: PARTITIONS });
        const { discord, gateway } = there;
        const workers = await wholeScene(there);
        const running: Exchange[] = [];
        for (const channel of ['studio', 'hall', 'studio'])
          running.push(
            await discord
              .as('member')
              .in(channel)
              .slash('imagine', { prompt: `a lantern ${running.length}` }),
          );
        for (const exchange of running) await exchange.message(says('%'));

        await replace(there, workers);

        gateway.setSpeed(200);
        for (const exchange of running) await exchange.message(says('Finished in'));
        expect(submits(gateway)).toBe(running.length);
      },
    );

    it('It loses no command of a steady stream, and the next owner answers at once', waitLimit, async () => {
      const there = await scene(site, { speed: 200 });
      const { discord, gateway } = there;
      const workers = await wholeScene(there);
      const owner = ownerOf(there, workers);
      const member = discord.as('member');
      const order = (prompt: string): Promise<Exchange> => member.slash('imagine', { prompt });
      const before = [await order('a lantern'), await order('a lamp'), await order('a lighthouse')];
      owner.child.kill('SIGTERM');
      const isHandedOver = (): boolean => workers.some((worker) => worker !== owner && owns(worker, homeOf(there)));
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
    });
  }));
