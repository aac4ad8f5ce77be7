import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SHARD_PREFIX } from '../../../src/discord/shards/shard-processes.ts';
import { onOneServer } from '../../services/store/sites.ts';
import { cacheArgs } from '../../support/shipped.ts';
import {
  createFixture,
  type Fixture,
  LEASE_MS,
  openFacts,
  SHARD_COUNT,
  SHORT_LEASE_MS,
  shardProcess,
  storedSession,
  waitForShards,
  waitUntilAllReceived,
} from './fixture.ts';

interface Child {
  process: ChildProcess;
  taken: string[];
  held: string[];
  ids(): number[];
  kill(): Promise<void>;
}

function forkShardProcess({ discord, store, logged }: Fixture, machine: 'here' | 'elsewhere', heldOrder = 0): Child {
  const file = fileURLToPath(new URL('child.ts', import.meta.url));
  // On another machine only the end of its claims shows that the process has ended.
  const leaseMs = machine === 'elsewhere' ? SHORT_LEASE_MS : LEASE_MS;
  const args = [discord.apiUrl, discord.token, store.url, store.scheme, String(leaseMs), machine, String(heldOrder)];
  const process = fork(file, args, { execArgv: [...cacheArgs] });
  const exitEvent = once(process, 'exit');
  const kill = async (): Promise<void> => {
    process.kill('SIGKILL');
    await exitEvent;
  };
  onTestFinished(kill);
  const [taken, held]: [string[], string[]] = [[], []];
  let ids: number[] = [];
  process.on('message', (message: { taken?: string; held?: string; line?: string; connected?: number[] }) => {
    if (message.taken !== undefined) taken.push(message.taken);
    if (message.held !== undefined) held.push(message.held);
    if (message.line !== undefined) logged.push(message.line);
    ids = message.connected ?? ids;
  });
  return { process, taken, held, ids: () => ids, kill };
}

/** The killed process counts until the last of its claims expires, one renewal after the first. */
const MAX_FREE_ROUNDS = 10;

/** Counts the rounds in which a process saw shards without an owner. */
async function factsThatCountRounds({ store }: Fixture) {
  const facts = await openFacts(store);
  const readClaims = facts.claims.bind(facts);
  let freeRounds = 0;
  facts.claims = async (prefix) => {
    const claims = await readClaims(prefix);
    if (prefix === SHARD_PREFIX && claims.size < SHARD_COUNT) freeRounds += 1;
    return claims;
  };
  return { facts, freeRounds: () => freeRounds };
}

const sendCommandInEveryGuild = ({ speakers }: Fixture) =>
  Promise.all(speakers.map((speaker) => speaker.slash('models')));

// What a claim is on each server is proven by the tests of shared facts.
describe('A shard process that is killed', () =>
  onOneServer((createStore) => {
    it('The sessions of a killed process are resumed when its claims have expired, and events that it had not passed on are replayed', async () => {
      const setup = await createFixture(await createStore());
      const killedProcess = forkShardProcess(setup, 'elsewhere', 2);
      await expect.poll(killedProcess.ids).toHaveLength(SHARD_COUNT);
      for (let order = 0; order < 3; order++) await sendCommandInEveryGuild(setup);
      await expect
        .poll(() => [killedProcess.held.length, killedProcess.taken.length])
        .toEqual([SHARD_COUNT, 2 * SHARD_COUNT]);
      // READY is number 1 and the first order is 2. The second order is never passed on, although the third one is.
      for (let id = 0; id < SHARD_COUNT; id++)
        await expect.poll(async () => (await storedSession(setup, id))?.sequence).toBe(2);
      await killedProcess.kill();
      await sendCommandInEveryGuild(setup);
      const { facts, freeRounds } = await factsThatCountRounds(setup);
      const otherProcess = await shardProcess(setup, { facts });
      await waitForShards([otherProcess, SHARD_COUNT]);
      expect(freeRounds()).toBeLessThanOrEqual(MAX_FREE_ROUNDS);
      await expect.poll(() => otherProcess.taken).toHaveLength(3 * SHARD_COUNT);
      expect(otherProcess.taken).toEqual(expect.arrayContaining(killedProcess.held));
      await waitUntilAllReceived(setup, otherProcess, killedProcess);
      expect(setup.sent.size).toBe(4 * SHARD_COUNT);
      expect(setup.discord.gateway).toMatchObject({ identifies: SHARD_COUNT, sessions: SHARD_COUNT });
    });

    it('The shards of a killed process are taken over immediately if the operating system shows that the process has ended', async () => {
      const setup = await createFixture(await createStore());
      const killedProcess = forkShardProcess(setup, 'here');
      await expect.poll(killedProcess.ids).toHaveLength(SHARD_COUNT);
      await sendCommandInEveryGuild(setup);
      await waitUntilAllReceived(setup, killedProcess);
      for (let id = 0; id < SHARD_COUNT; id++)
        await expect.poll(async () => (await storedSession(setup, id))?.sequence).toBe(2);
      await killedProcess.kill();
      const otherProcess = await shardProcess(setup);
      await waitForShards([otherProcess, SHARD_COUNT]);
      expect(setup.discord.gateway).toMatchObject({
        identifies: SHARD_COUNT,
        resumes: SHARD_COUNT,
        sessions: SHARD_COUNT,
      });
      // The process had passed on everything before the kill.
      expect(otherProcess.taken).toEqual([]);
    });

    it('A process that was suspended for longer than its claims last takes no shard back when it resumes', async () => {
      const setup = await createFixture(await createStore());
      const suspendedProcess = forkShardProcess(setup, 'elsewhere');
      await expect.poll(suspendedProcess.ids).toHaveLength(SHARD_COUNT);
      const otherProcess = await shardProcess(setup);
      await waitForShards([otherProcess, 2]);
      suspendedProcess.process.kill('SIGSTOP');
      await sendCommandInEveryGuild(setup);
      await waitForShards([otherProcess, SHARD_COUNT]);
      await waitUntilAllReceived(setup, otherProcess);
      suspendedProcess.process.kill('SIGCONT');
      const lostClaims = () => setup.logged.filter((line) => line.includes('The claim on a shard was lost'));
      await expect.poll(() => lostClaims().length).toBe(2);
      // The process joins again, and takes over its share of the shards with their sessions.
      await waitForShards([otherProcess, 2]);
      await sendCommandInEveryGuild(setup);
      await waitUntilAllReceived(setup, otherProcess, suspendedProcess);
      expect(setup.discord.gateway.identifies).toBe(SHARD_COUNT);
    });
  }));
