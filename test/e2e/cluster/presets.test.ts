import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { poster } from '../presets/fixture.ts';
import { labels, says } from '../quick.ts';
import { orders } from '../tasks/fixture.ts';
import { type Cluster, createCluster, separatingPartitionCount, startFullCluster } from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';

interface Place {
  who?: string;
  channel?: string;
}

const actorIn = ({ discord }: Cluster, { who = 'member', channel = 'studio' }: Place) => discord.as(who).in(channel);

const reply = async (cluster: Cluster, command: string, options: Record<string, string>, place: Place = {}) =>
  (await actorIn(cluster, place).slash(`preset ${command}`, options)).message();

/** The presets that are suggested, by their names. */
const suggested = async (cluster: Cluster, place: Place = {}, command = 'preset list') =>
  new Map(
    (await actorIn(cluster, place).complete(command, { preset: '' }, 'preset')).map(({ name, value }) => [
      name,
      String(value),
    ]),
  );

/** Uses a preset, and returns the prompt that the gateway gets. */
async function use(cluster: Cluster, preset: string, place: Place = {}): Promise<string | undefined> {
  const exchange = await actorIn(cluster, place).slash('imagine', { prompt: 'a fox', preset });
  await exchange.message(says('Finished in'));
  return (orders(cluster.gateway).at(-1)?.body as { prompt: string } | undefined)?.prompt;
}

describe('Presets in a cluster', () =>
  onServersIfEnabled((createStore) => {
    it('A preset is in the partition of its member or server; it is used, shared, changed, copied and removed from the others, and each use is counted', async () => {
      const settings = { DISCORD_USER_INSTALL: 'on' };
      const cluster = await createCluster(createStore, { speed: 200, partitions: separatingPartitionCount, settings });
      const { discord, storeServer } = cluster;
      await startFullCluster(cluster);
      const other = { who: 'other' };
      expect(text(await reply(cluster, 'save', poster))).toContain('Yours');
      const first = 'a fox, poster --ar 2:3 --style raw';
      for (const channel of ['studio', 'hall', 'dm']) expect(await use(cluster, 'Poster', { channel })).toBe(first);
      await expect.poll(async () => text(await reply(cluster, 'list', { preset: 'Poster' }))).toContain('used 3 times');

      expect(text(await reply(cluster, 'share', { preset: 'Poster' }))).toContain('Shared on this server');
      expect([...(await suggested(cluster, other)).keys()]).toEqual(['Poster · this server']);
      expect([...(await suggested(cluster, { who: 'member', channel: 'hall' })).keys()]).toEqual(['Poster · yours']);
      expect(await use(cluster, 'Poster', other)).toBe(first);

      const edited = { preset: 'Poster', template: '{prompt}, print', options: 'none' };
      expect(text(await reply(cluster, 'edit', edited, { channel: 'hall' }))).toContain('print');
      expect(await use(cluster, 'Poster', other)).toBe(first);
      await reply(cluster, 'share', { preset: 'Poster' });
      expect(await use(cluster, 'Poster', other)).toBe('a fox, print');

      const shared = (await suggested(cluster, other)).get('Poster · this server') ?? '';
      const refused = await reply(cluster, 'edit', { preset: shared, name: 'Mine' }, other);
      expect(text(refused)).toContain('There is no such preset of yours');
      const page: Message = await reply(cluster, 'list', { preset: shared }, other);
      expect(labels(page)).toEqual(['Copy', 'Report']);
      expect(text(await (await discord.as('other').click(page, 'Copy')).message(says('Yours')))).toContain('print');

      const removed = await reply(cluster, 'delete', { preset: shared }, { who: 'admin' });
      expect(text(removed)).toContain('Deleted the preset');
      for (const place of [{}, other])
        expect([...(await suggested(cluster, place)).keys()]).toEqual(['Poster · yours']);
      expect(await use(cluster, 'Poster', { ...other, channel: 'hall' })).toBe('a fox, print');

      expect(text(await reply(cluster, 'delete', { preset: 'Poster' }, { channel: 'hall' }))).toContain('Deleted');
      const rows = (await storeServer.rows()).filter(({ namespace }) => namespace.includes('presets'));
      expect(rows.map(({ text: row }) => JSON.parse(row).value.memberId)).toEqual([discord.world.user('other').id]);
    });
  }));
