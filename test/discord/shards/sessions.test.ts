import { GatewayIntentBits } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { leaseClock } from '../../../src/services/store/lease.ts';
import { onServers } from '../../services/store/sites.ts';
import { Wire } from '../../support/wire.ts';
import {
  COUNT,
  haveShards,
  interactionOf,
  LEASE_MS,
  nothingIsMissing,
  type Scene,
  scene,
  shardProcess,
  storedSession,
  stream,
} from './scene.ts';

/** As when a machine is suspended: the clocks advance, but nothing runs. */
function suspendableClock(): { clock: LeaseClock; suspend(ms: number): void } {
  let ahead = 0;
  return {
    clock: { now: () => leaseClock.now().map((now) => now + ahead), after: leaseClock.after },
    suspend: (ms) => {
      ahead += ms;
    },
  };
}

const resumes = ({ discord }: Scene) => discord.gateway.resumes;

describe('The session of a shard', () =>
  onServers((site) => {
    it('A session resumes after its connection breaks, and no event from the meantime is lost or passed on twice', async () => {
      const here = await scene(await site());
      const one = await shardProcess(here);
      await haveShards([one, COUNT]);
      await stream(here, { isOver: () => true, more: 1 }, one);
      here.discord.gateway.dropConnections();
      await stream(here, { isOver: () => resumes(here) === COUNT, more: 1 }, one);
      await haveShards([one, COUNT]);
      expect(one.taken.toSorted()).toEqual([...here.sent].toSorted());
      expect(here.discord.gateway).toMatchObject({ identifies: COUNT, resumes: COUNT });
    });

    it('An invalid session leads to one new session', async () => {
      const here = await scene(await site());
      const one = await shardProcess(here);
      await haveShards([one, COUNT]);
      const before = await storedSession(here, 2);
      here.discord.gateway.invalidate(false, { id: 2 });
      await expect.poll(() => here.discord.gateway.countsOf({ id: 2 }).identifies).toBe(2);
      await haveShards([one, COUNT]);
      await stream(here, { isOver: () => true, more: 1 }, one);
      await nothingIsMissing(here, one);
      expect(here.discord.gateway).toMatchObject({ identifies: COUNT + 1, sessions: COUNT });
      const stored = async () => (await storedSession(here, 2))?.sessionId;
      await expect.poll(stored).toEqual(expect.not.stringMatching(`^${before?.sessionId}$`));
      expect(here.logged.filter((line) => line.includes('A shard has lost its session.'))).toHaveLength(1);
    });

    it('A session that Discord no longer knows leads to one new session', async () => {
      const here = await scene(await site());
      const first = await shardProcess(here);
      await haveShards([first, COUNT]);
      await first.shards.close();
      here.discord.gateway.closeSessions(4000, { id: 1 });
      const second = await shardProcess(here);
      await haveShards([second, COUNT]);
      expect(here.discord.gateway).toMatchObject({ identifies: COUNT + 1, resumes: COUNT - 1 });
    });

    it('A session survives a network that is down for a while', async () => {
      const here = await scene(await site(), { shards: 1 });
      const first = await shardProcess(here);
      await haveShards([first, 1]);
      await first.shards.close();
      const stored = await storedSession(here, 0);
      const wire = await Wire.to(here.discord.url);
      const resumeURL = `${wire.url.replace('http', 'ws')}gateway/resume`;
      await here.facts.claim('test', 'test', LEASE_MS);
      const text = JSON.stringify({ ...stored, shardCount: 1, resumeURL });
      expect(await here.facts.write('session:0', text, { claim: 'test', holder: 'test' })).toBe(true);
      wire.cut();
      const second = await shardProcess(here);
      const closes = () => here.logged.filter((line) => line.includes('The connection of a shard was closed.'));
      await expect.poll(() => closes().length).toBeGreaterThan(3);
      expect(second.shards.isConnected()).toBe(false);
      wire.mend();
      await haveShards([second, 1]);
      expect(here.discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
    });

    it('A session whose URL is permanently unreachable is replaced by a new one', async () => {
      const here = await scene(await site(), { shards: 1 });
      const first = await shardProcess(here);
      await haveShards([first, 1]);
      await first.shards.close();
      const wire = await Wire.to(here.discord.url);
      wire.cut();
      await here.facts.claim('test', 'test', LEASE_MS);
      const session = { ...(await storedSession(here, 0)), resumeURL: wire.url.replace('http', 'ws') };
      await here.facts.write('session:0', JSON.stringify(session), { claim: 'test', holder: 'test' });
      const second = await shardProcess(here);
      await haveShards([second, 1]);
      expect(here.discord.gateway).toMatchObject({ identifies: 2, resumes: 0 });
    });

    it('A stored session that cannot be read costs one identify', async () => {
      const here = await scene(await site(), { shards: 1 });
      await here.facts.claim('test', 'test', LEASE_MS);
      await here.facts.write('session:0', '{"sessionId":', { claim: 'test', holder: 'test' });
      await haveShards([await shardProcess(here), 1]);
      expect(here.discord.gateway.identifies).toBe(1);
    });

    it('A session is not resumed by a process that uses other intents', async () => {
      const here = await scene(await site(), { shards: 1 });
      const one = await shardProcess(here);
      await haveShards([one, 1]);
      await one.shards.close();
      const same = await shardProcess(here);
      await haveShards([same, 1]);
      expect(here.discord.gateway.identifies).toBe(1);
      await same.shards.close();
      await haveShards([await shardProcess(here, { intents: GatewayIntentBits.GuildMessages }), 1]);
      expect(here.discord.gateway.identifies).toBe(2);
    });

    it('The process gets the close code with which Discord permanently refuses the bot', async () => {
      const here = await scene(await site());
      const one = await shardProcess(here);
      await haveShards([one, COUNT]);
      here.discord.gateway.closeSessions(4004);
      expect(await one.shards.refused).toBe(4004);
      expect(one.shards.isConnected()).toBe(false);
    });
  }));

describe('A hand-over', () =>
  onServers((site) => {
    it('A hand-over that fails is retried on the same connection, and the sequence number waits for it', async () => {
      const here = await scene(await site());
      const failures = new Map<string, number>();
      const one = await shardProcess(here, {
        async onDispatch(packet) {
          const id = interactionOf(packet);
          if (id === undefined) return;
          failures.set(id, (failures.get(id) ?? 0) + 1);
          if ((failures.get(id) ?? 0) <= 3) throw new Error('The queue does not respond.');
        },
      });
      await haveShards([one, COUNT]);
      await here.speakers[1]?.slash('models');
      await nothingIsMissing(here, one);
      expect([...failures.values()]).toEqual([4]);
      await expect.poll(async () => (await storedSession(here, 1))?.sequence).toBe(2);
      expect(resumes(here)).toBe(0);
    });

    it('Events that a stopping process could not pass on are replayed to the next one, with all later events', async () => {
      const here = await scene(await site());
      const [speaker] = here.speakers.slice(1);
      let refused: string | undefined;
      const first = await shardProcess(here, {
        async onDispatch(packet) {
          const id = interactionOf(packet);
          if (id === undefined) return;
          refused ??= id;
          if (id === refused) throw new Error('The queue does not respond.');
        },
      });
      await haveShards([first, COUNT]);
      await speaker?.slash('models');
      await speaker?.slash('models');
      await expect.poll(() => first.taken).toHaveLength(1);
      await first.shards.close();
      expect((await storedSession(here, 1))?.sequence).toBe(1);
      const second = await shardProcess(here);
      await haveShards([second, COUNT]);
      await expect.poll(() => second.taken).toEqual([...here.sent]);
      expect(here.discord.gateway).toMatchObject({ identifies: COUNT, resumes: COUNT });
    });
  }));

describe('A shard whose claim is lost', () =>
  onServers((site) => {
    it('After a suspension a shard with a lost claim passes nothing on, and another process can resume its session', async () => {
      const here = await scene(await site());
      const { clock, suspend } = suspendableClock();
      const asleep = await shardProcess(here, { claimClock: clock, holder: 'suspended' });
      await haveShards([asleep, COUNT]);
      suspend(LEASE_MS);
      // As after a suspension: the claims have expired, and the other process has taken them first.
      for (let id = 0; id < COUNT; id++) await here.facts.release(`shard:${id}`, 'suspended');
      await here.facts.release('sharder:suspended', 'suspended');
      for (const speaker of here.speakers) await speaker.slash('models');
      await expect.poll(() => here.discord.gateway.sessions).toBe(0);
      expect(asleep.taken).toEqual([]);
      const other = await shardProcess(here);
      await haveShards([asleep, 2], [other, 2]);
      await nothingIsMissing(here, asleep, other);
      expect(here.discord.gateway).toMatchObject({ identifies: COUNT, sessions: COUNT });
      expect(here.logged.filter((line) => line.includes('The claim on a shard was lost'))).toHaveLength(COUNT);
    });
  }));
