import { describe, expect, it } from 'vitest';
import { SHARD_PREFIX } from '../../../src/discord/shards/shard-processes.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { SHARD_PROCESS_PREFIX } from '../../../src/services/cluster/shares.ts';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { onOneServer } from '../../services/store/sites.ts';
import {
  createFixture,
  LEASE_MS,
  SHARD_COUNT,
  sendCommands,
  shardProcess,
  waitForShards,
  waitUntilAllReceived,
} from './fixture.ts';

/** The clock of a process that can be suspended: its timers run when it wakes up. */
class SuspendableClock implements Clock {
  #sleptMs = 0;
  #suspendedTimers: (() => void)[] | undefined;

  now(): number {
    return systemClock.now() + this.#sleptMs;
  }

  after(ms: number, task: () => void): () => void {
    return systemClock.after(ms, () => {
      if (this.#suspendedTimers) this.#suspendedTimers.push(task);
      else task();
    });
  }

  readonly forClaims: LeaseClock = { now: () => [this.now()], after: (ms, task) => this.after(ms, task) };

  suspend(): void {
    this.#suspendedTimers = [];
  }

  wake(sleptMs: number): void {
    const timers = this.#suspendedTimers ?? [];
    this.#suspendedTimers = undefined;
    this.#sleptMs += sleptMs;
    for (const task of timers) task();
  }
}

describe('Shard processes', () =>
  onOneServer((createStore) => {
    it('Two shard processes share the shards, and a shard that changes hands keeps its session', async () => {
      const setup = await createFixture(await createStore());
      const first = await shardProcess(setup);
      await waitForShards([first, SHARD_COUNT]);
      const second = await shardProcess(setup);
      await waitForShards([first, 2], [second, 2]);
      expect([...first.shards.ids, ...second.shards.ids].toSorted()).toEqual([0, 1, 2, 3]);
      expect(setup.discord.gateway).toMatchObject({ sessions: SHARD_COUNT, identifies: SHARD_COUNT, resumes: 2 });
      await sendCommands(setup, { until: () => true, extraRounds: 1 }, first, second);
      await waitUntilAllReceived(setup, first, second);
      expect(first.taken).toHaveLength(2);
      expect(second.taken).toHaveLength(2);
    });

    it('A shard process that was suspended while the others changed the number of shards stops, and leaves every shard to them', async () => {
      const setup = await createFixture(await createStore());
      const clock = new SuspendableClock();
      const first = await shardProcess(setup, { clock, leaseClock: clock.forClaims });
      await waitForShards([first, SHARD_COUNT]);
      clock.suspend();
      // As if all claims of the suspended process had expired.
      for (const prefix of [SHARD_PROCESS_PREFIX, SHARD_PREFIX])
        for (const [name, holder] of await setup.facts.claims(prefix)) await setup.facts.release(name, holder);
      const second = await shardProcess(setup, { shardCount: 2 * SHARD_COUNT });
      await waitForShards([second, 2 * SHARD_COUNT]);
      clock.wake(LEASE_MS);
      expect((await first.shards.lost).kind).toBe('lost');
      await first.shards.close();
      expect(second.shards.ids).toHaveLength(2 * SHARD_COUNT);
    });

    it('A shard process that stops during a stream of interactions loses none, and no shard identifies again', async () => {
      const setup = await createFixture(await createStore());
      const first = await shardProcess(setup);
      const second = await shardProcess(setup);
      await waitForShards([first, 2], [second, 2]);
      const { identifies } = setup.discord.gateway;
      let hasStopped = false;
      const stop = async (): Promise<void> => {
        await expect.poll(() => second.taken.length).toBeGreaterThan(10);
        await second.shards.close();
        await waitForShards([first, SHARD_COUNT]);
        hasStopped = true;
      };
      await Promise.all([stop(), sendCommands(setup, { until: () => hasStopped, extraRounds: 3 }, first, second)]);
      await waitUntilAllReceived(setup, first, second);
      expect(setup.discord.gateway.identifies).toBe(identifies);
      expect(setup.discord.gateway.sessions).toBe(SHARD_COUNT);
      expect(second.shards.ids).toEqual([]);
    });
  }));
