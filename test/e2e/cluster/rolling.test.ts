import { InteractionResponseType as ResponseType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Exchange, Message } from '../../../sandbox/discord/exchange.ts';
import { says, submits } from '../quick.ts';
import { onServersIfAsked } from './on-request.ts';
import { type ClusterProcess, type Role, startLimit, whole } from './processes.ts';
import { isAnswered, owned, type Scene, scene, waitLimit } from './scene.ts';

const SHARDS = 2;
/** Direct messages arrive at the first shard. */
const PLACES = ['studio', 'hall', 'dm'];
/** The time between two interactions of a member. */
const PACE_MS = 100;

interface Pressed {
  orders: Exchange[];
  presses: Exchange[];
}

/** A member who orders and presses buttons until the test is over. */
async function busy({ discord }: Scene, grid: Message, isOver: () => boolean): Promise<Pressed> {
  const [orders, presses]: [Exchange[], Exchange[]] = [[], []];
  for (let at = 0; !isOver(); at++) {
    if (at % 8 === 0) {
      const channel = PLACES[orders.length % PLACES.length] ?? 'studio';
      orders.push(
        await discord
          .as('member')
          .in(channel)
          .slash('imagine', { prompt: `a lighthouse ${at}` }),
      );
    }
    presses.push(await discord.as('member').click(grid, 'Use as reference'));
    await new Promise((done) => setTimeout(done, PACE_MS));
  }
  return { orders, presses };
}

describe('A cluster in which every process is replaced under load', () =>
  onServersIfAsked((site) => {
    it(
      'While every process of a cluster is replaced, no press and no order is lost, and no shard identifies',
      waitLimit,
      async () => {
        const there = await scene(site, { speed: 200, shards: SHARDS, settings: { DISCORD_USER_INSTALL: 'on' } });
        const { discord, gateway, start } = there;
        const roles: Role[] = ['shard', 'shard', 'worker', 'worker'];
        const old = roles.map((role): [Role, ClusterProcess] => [role, start(role)]);
        await whole(old.map(([, one]) => one));
        // What happens on a shard before its first session is lost.
        await expect.poll(() => discord.gateway.identifies, startLimit).toBe(SHARDS);
        // Partitions change hands until the workers have equal shares.
        const shares = (): number[] => old.slice(SHARDS).map(([, one]) => owned(one, there.partitions).length);
        await expect.poll(shares, startLimit).toEqual([2, 2]);
        const grid = await (await discord.as('member').slash('imagine', { prompt: 'a lantern' })).message(
          says('Finished in'),
        );
        const { identifies } = discord.gateway;

        let isOver = false;
        const load = busy(there, grid, () => isOver);
        const shards: ClusterProcess[] = [];
        for (const [role, one] of old) {
          const next = start(role);
          await whole([next], 0);
          one.child.kill('SIGTERM');
          expect(await one.ended).toBe(0);
          if (role === 'shard') shards.push(one, next);
        }
        isOver = true;
        const { orders, presses } = await load;

        let [finished, opened] = [0, 0];
        for (const order of orders) if (says('Finished in')(await order.message(isAnswered))) finished += 1;
        for (const press of presses) {
          const { type } = await press.acknowledged();
          if (type === ResponseType.Modal) opened += 1;
          else await press.message(isAnswered);
        }
        expect(submits(gateway)).toBe(1 + finished);
        // Orders are only refused, with a sentence, while a partition changes hands.
        expect(opened).toBeGreaterThan(presses.length / 2);
        expect(discord.gateway.identifies).toBe(identifies);
        expect(discord.gateway.resumes).toBeGreaterThanOrEqual(SHARDS);
        for (const { said } of shards) expect(said()).not.toMatch(/could not be told|is unknown whether/);
      },
    );
  }));
