import { describe, expect, it } from 'vitest';
import { IdentifyTurns } from '../../../src/discord/shards/identify-turns.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { onOneServer } from '../../services/store/sites.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { FastClock } from '../../support/quick-clock.ts';
import { createFixture, type Fixture, openFacts, SHARD_COUNT, shardProcess, waitForShards } from './fixture.ts';

const quietLog = createLogger({ level: 'error', secrets: [], isPretty: false, write: () => undefined });
const gatewayInfo = (remaining: number, reset_after = 60_000) => ({
  url: '',
  shards: 4,
  session_start_limit: { total: 1_000, remaining, reset_after, max_concurrency: 2 },
});

/** Starts two processes whose turns to identify last as long as the real ones. */
async function twoProcesses(setup: Fixture) {
  const start = async () => shardProcess(setup, { facts: await openFacts(setup.store, Number.POSITIVE_INFINITY) });
  return await Promise.all([start(), start()]);
}

describe('Identifies', () =>
  onOneServer((createStore) => {
    it('Two processes that start at the same time stay within Discord’s limit, and every shard identifies once', async () => {
      const setup = await createFixture(await createStore(), {
        // Half of Discord’s five seconds, because an identify may arrive late from a busy machine.
        limits: { maxConcurrency: 2, identifyWindowMs: 2_500 },
      });
      const [first, second] = await twoProcesses(setup);
      await waitForShards([first, 2], [second, 2]);
      const { sessions, identifies } = setup.discord.gateway;
      expect({ sessions, identifies }).toEqual({ sessions: SHARD_COUNT, identifies: SHARD_COUNT });
      for (let id = 0; id < SHARD_COUNT; id++)
        expect(setup.discord.gateway.countsOf({ id })).toMatchObject({ identifies: 1, earlyIdentifies: 0 });
    });

    it('A bot that has no session starts left waits until the limit resets, and logs this once', async () => {
      // Each shard has its own key, so that all of them could identify at once.
      const limits = { maxConcurrency: 16, identifiesPerPeriod: 1, identifyPeriodMs: 1_000 };
      const clock = new ManualClock();
      const setup = await createFixture(await createStore(), { shards: 2, limits, clock });
      const processes = twoProcesses(setup);
      const warnings = () => setup.logged.filter((line) => line.includes('Discord allows no new sessions'));
      await expect.poll(warnings).toHaveLength(1);
      expect(setup.discord.gateway).toMatchObject({ sessions: 1, identifies: 1 });
      clock.advance(limits.identifyPeriodMs);
      const [first, second] = await processes;
      await waitForShards([first, 1], [second, 1]);
      expect(setup.discord.gateway).toMatchObject({ sessions: 2, identifies: 2 });
      expect(warnings()).toHaveLength(1);
    });

    it('A shard whose wait for its turn is aborted stops waiting immediately, and the turn becomes free', async () => {
      const setup = await createFixture(await createStore());
      const { facts } = setup;
      const parts = { facts, clock: systemClock, log: quietLog };
      const turns = new IdentifyTurns(parts, async () => gatewayInfo(0), 2);
      const controller = new AbortController();
      const turn = turns.waitForIdentify(1, controller.signal);
      controller.abort();
      await expect(turn).rejects.toThrow();
      expect(await facts.claims('identify:')).toEqual(new Map());
    });

    it('Shards with the same key take turns of more than five seconds, even in one process, and a turn is not used up if the limits cannot be read', async () => {
      const setup = await createFixture(await createStore());
      const { facts } = setup;
      const claim = facts.claim.bind(facts);
      const requests: { turn: string; holder: string; ms: number; isGranted: boolean }[] = [];
      facts.claim = async (turn, holder, ms) => {
        const isGranted = await claim(turn, holder, ms);
        requests.push({ turn, holder, ms, isGranted });
        return isGranted;
      };
      let reads = 0;
      const readGateway = async () => {
        reads += 1;
        if (reads === 1) throw new Error('Discord does not respond.');
        return gatewayInfo(100);
      };
      const turns = new IdentifyTurns({ facts, clock: new FastClock(), log: quietLog }, readGateway, 2);
      const { signal } = new AbortController();
      await Promise.all([0, 1, 2].map((shard) => turns.waitForIdentify(shard, signal)));
      for (const { ms } of requests) expect(ms).toBeGreaterThan(5_000);
      const holdersOf = (key: number, isGranted: boolean) =>
        new Set(
          requests
            .filter((one) => one.turn === `identify:${key}` && one.isGranted === isGranted)
            .map((one) => one.holder),
        );
      expect([holdersOf(0, true).size, holdersOf(1, true).size]).toEqual([2, 1]);
      expect(holdersOf(0, false).size).toBeGreaterThan(0);
      expect(holdersOf(1, false).size).toBe(0);
    });
  }));

describe('The number of shards', () =>
  onOneServer((createStore) => {
    it('A process uses the shard count of the running processes, and does not start if another number is set', async () => {
      const setup = await createFixture(await createStore());
      const first = await shardProcess(setup, { shardCount: 2 });
      await waitForShards([first, 2]);
      const second = await shardProcess(setup);
      expect(second.shards.count).toBe(2);
      await expect(shardProcess(setup, { shardCount: 3 })).rejects.toThrow('use 2 shards, but SHARD_COUNT is 3');
      await first.shards.close();
      await second.shards.close();
      const third = await shardProcess(setup, { shardCount: 3 });
      await waitForShards([third, 3]);
      expect(setup.discord.gateway.countsOf({ id: 2, count: 3 }).identifies).toBe(1);
    });
  }));
