import { GatewayIntentBits } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { leaseClock } from '../../../src/services/store/lease.ts';
import { onOneServer } from '../../services/store/sites.ts';
import { TcpProxy } from '../../support/wire.ts';
import {
  createFixture,
  type Fixture,
  interactionOf,
  LEASE_MS,
  SHARD_COUNT,
  sendCommands,
  shardProcess,
  storedSession,
  waitForShards,
  waitUntilAllReceived,
} from './fixture.ts';

/** A clock that can jump ahead, as when a machine is suspended: the clocks advance, but nothing runs. */
function suspendableClock(): { clock: LeaseClock; suspend(ms: number): void } {
  let offsetMs = 0;
  return {
    clock: { now: () => leaseClock.now().map((now) => now + offsetMs), after: leaseClock.after },
    suspend: (ms) => {
      offsetMs += ms;
    },
  };
}

const resumeCount = ({ discord }: Fixture) => discord.gateway.resumes;

describe('The session of a shard', () =>
  onOneServer((createStore) => {
    it('A session resumes after its connection breaks, and no event from the meantime is lost or passed on twice', async () => {
      const setup = await createFixture(await createStore());
      const first = await shardProcess(setup);
      await waitForShards([first, SHARD_COUNT]);
      await sendCommands(setup, { until: () => true, extraRounds: 1 }, first);
      setup.discord.gateway.dropConnections();
      await sendCommands(setup, { until: () => resumeCount(setup) === SHARD_COUNT, extraRounds: 1 }, first);
      await waitForShards([first, SHARD_COUNT]);
      expect(first.taken.toSorted()).toEqual([...setup.sent].toSorted());
      expect(setup.discord.gateway).toMatchObject({ identifies: SHARD_COUNT, resumes: SHARD_COUNT });
    });

    it('An invalid session leads to one new session', async () => {
      const setup = await createFixture(await createStore());
      const first = await shardProcess(setup);
      await waitForShards([first, SHARD_COUNT]);
      const previousSession = await storedSession(setup, 2);
      setup.discord.gateway.invalidate(false, { id: 2 });
      await expect.poll(() => setup.discord.gateway.countsOf({ id: 2 }).identifies).toBe(2);
      await waitForShards([first, SHARD_COUNT]);
      await sendCommands(setup, { until: () => true, extraRounds: 1 }, first);
      await waitUntilAllReceived(setup, first);
      expect(setup.discord.gateway).toMatchObject({ identifies: SHARD_COUNT + 1, sessions: SHARD_COUNT });
      const storedId = async () => (await storedSession(setup, 2))?.sessionId;
      await expect.poll(storedId).toEqual(expect.not.stringMatching(`^${previousSession?.sessionId}$`));
      expect(setup.logged.filter((line) => line.includes('A shard has lost its session.'))).toHaveLength(1);
    });

    it('A session that Discord no longer knows leads to one new session', async () => {
      const setup = await createFixture(await createStore());
      const first = await shardProcess(setup);
      await waitForShards([first, SHARD_COUNT]);
      await first.shards.close();
      setup.discord.gateway.closeSessions(4000, { id: 1 });
      const second = await shardProcess(setup);
      await waitForShards([second, SHARD_COUNT]);
      expect(setup.discord.gateway).toMatchObject({ identifies: SHARD_COUNT + 1, resumes: SHARD_COUNT - 1 });
    });

    it('A session survives a network that is down for a while', async () => {
      const setup = await createFixture(await createStore(), { shards: 1 });
      const first = await shardProcess(setup);
      await waitForShards([first, 1]);
      await first.shards.close();
      const stored = await storedSession(setup, 0);
      const proxy = await TcpProxy.open(setup.discord.url);
      const resumeURL = `${proxy.url.replace('http', 'ws')}gateway/resume`;
      await setup.facts.claim('test', 'test', LEASE_MS);
      const text = JSON.stringify({ ...stored, shardCount: 1, resumeURL });
      expect(await setup.facts.write('session:0', text, { claim: 'test', holder: 'test' })).toBe(true);
      proxy.disconnect();
      const second = await shardProcess(setup);
      const closes = () => setup.logged.filter((line) => line.includes('The connection of a shard was closed.'));
      await expect.poll(() => closes().length).toBeGreaterThan(3);
      expect(second.shards.isConnected()).toBe(false);
      proxy.restore();
      await waitForShards([second, 1]);
      expect(setup.discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
    });

    it('A session whose URL is permanently unreachable is replaced by a new one', async () => {
      const setup = await createFixture(await createStore(), { shards: 1 });
      const first = await shardProcess(setup);
      await waitForShards([first, 1]);
      await first.shards.close();
      const proxy = await TcpProxy.open(setup.discord.url);
      proxy.disconnect();
      await setup.facts.claim('test', 'test', LEASE_MS);
      const session = { ...(await storedSession(setup, 0)), resumeURL: proxy.url.replace('http', 'ws') };
      await setup.facts.write('session:0', JSON.stringify(session), { claim: 'test', holder: 'test' });
      const second = await shardProcess(setup);
      await waitForShards([second, 1]);
      expect(setup.discord.gateway).toMatchObject({ identifies: 2, resumes: 0 });
    });

    it('A stored session that cannot be read costs one identify', async () => {
      const setup = await createFixture(await createStore(), { shards: 1 });
      await setup.facts.claim('test', 'test', LEASE_MS);
      await setup.facts.write('session:0', '{"sessionId":', { claim: 'test', holder: 'test' });
      await waitForShards([await shardProcess(setup), 1]);
      expect(setup.discord.gateway.identifies).toBe(1);
    });

    it('A session is not resumed by a process that uses other intents', async () => {
      const setup = await createFixture(await createStore(), { shards: 1 });
      const first = await shardProcess(setup);
      await waitForShards([first, 1]);
      await first.shards.close();
      const second = await shardProcess(setup);
      await waitForShards([second, 1]);
      expect(setup.discord.gateway.identifies).toBe(1);
      await second.shards.close();
      await waitForShards([await shardProcess(setup, { intents: GatewayIntentBits.GuildMessages }), 1]);
      expect(setup.discord.gateway.identifies).toBe(2);
    });

    it('The process gets the close code with which Discord permanently refuses the bot', async () => {
      const setup = await createFixture(await createStore());
      const first = await shardProcess(setup);
      await waitForShards([first, SHARD_COUNT]);
      setup.discord.gateway.closeSessions(4004);
      expect(await first.shards.fatalCloseCode).toBe(4004);
      expect(first.shards.isConnected()).toBe(false);
    });
  }));

describe('A hand-over', () =>
  onOneServer((createStore) => {
    it('A hand-over that fails is retried on the same connection, and the sequence number waits for it', async () => {
      const setup = await createFixture(await createStore());
      const failures = new Map<string, number>();
      const first = await shardProcess(setup, {
        async onDispatch(packet) {
          const id = interactionOf(packet);
          if (id === undefined) return;
          failures.set(id, (failures.get(id) ?? 0) + 1);
          if ((failures.get(id) ?? 0) <= 3) throw new Error('The queue does not respond.');
        },
      });
      await waitForShards([first, SHARD_COUNT]);
      await setup.speakers[1]?.slash('models');
      await waitUntilAllReceived(setup, first);
      expect([...failures.values()]).toEqual([4]);
      await expect.poll(async () => (await storedSession(setup, 1))?.sequence).toBe(2);
      expect(resumeCount(setup)).toBe(0);
    });

    it('Events that a stopping process could not pass on are replayed to the next one, with all later events', async () => {
      const setup = await createFixture(await createStore());
      const [speaker] = setup.speakers.slice(1);
      let refusedId: string | undefined;
      const first = await shardProcess(setup, {
        async onDispatch(packet) {
          const id = interactionOf(packet);
          if (id === undefined) return;
          refusedId ??= id;
          if (id === refusedId) throw new Error('The queue does not respond.');
        },
      });
      await waitForShards([first, SHARD_COUNT]);
      await speaker?.slash('models');
      await speaker?.slash('models');
      await expect.poll(() => first.taken).toHaveLength(1);
      await first.shards.close();
      expect((await storedSession(setup, 1))?.sequence).toBe(1);
      const second = await shardProcess(setup);
      await waitForShards([second, SHARD_COUNT]);
      await expect.poll(() => second.taken).toEqual([...setup.sent]);
      expect(setup.discord.gateway).toMatchObject({ identifies: SHARD_COUNT, resumes: SHARD_COUNT });
    });
  }));

describe('A shard whose claim is lost', () =>
  onOneServer((createStore) => {
    it('After a suspension a shard with a lost claim passes nothing on, and another process can resume its session', async () => {
      const setup = await createFixture(await createStore());
      const { clock, suspend } = suspendableClock();
      const suspendedProcess = await shardProcess(setup, { leaseClock: clock, holder: 'suspended' });
      await waitForShards([suspendedProcess, SHARD_COUNT]);
      suspend(LEASE_MS);
      // Simulates that the claims have expired during the suspension.
      for (let id = 0; id < SHARD_COUNT; id++) await setup.facts.release(`shard:${id}`, 'suspended');
      await setup.facts.release('sharder:suspended', 'suspended');
      for (const speaker of setup.speakers) await speaker.slash('models');
      await expect.poll(() => setup.discord.gateway.sessions).toBe(0);
      expect(suspendedProcess.taken).toEqual([]);
      const otherProcess = await shardProcess(setup);
      await waitForShards([suspendedProcess, 2], [otherProcess, 2]);
      await waitUntilAllReceived(setup, suspendedProcess, otherProcess);
      expect(setup.discord.gateway).toMatchObject({ identifies: SHARD_COUNT, sessions: SHARD_COUNT });
      expect(setup.logged.filter((line) => line.includes('The claim on a shard was lost'))).toHaveLength(SHARD_COUNT);
    });
  }));
