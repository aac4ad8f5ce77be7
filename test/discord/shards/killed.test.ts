import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onServers } from '../../services/store/sites.ts';
import {
  LEASE_MS,
  type Scene,
  SHARD_COUNT,
  scene,
  shardProcess,
  storedSession,
  waitForShards,
  waitUntilAllReceived,
} from './scene.ts';

interface Child {
  process: ChildProcess;
  taken: string[];
  held: string[];
  ids(): number[];
  kill(): Promise<void>;
}

function forkShardProcess({ discord, site, logged }: Scene, machine: 'here' | 'elsewhere', heldOrder = 0): Child {
  const file = fileURLToPath(new URL('child.ts', import.meta.url));
  const process = fork(file, [
    discord.apiUrl,
    discord.token,
    site.url,
    site.scheme,
    String(LEASE_MS),
    machine,
    String(heldOrder),
  ]);
  const ended = once(process, 'exit');
  const kill = async (): Promise<void> => {
    process.kill('SIGKILL');
    await ended;
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

const sendCommandInEveryGuild = ({ speakers }: Scene) =>
  Promise.all(speakers.map((speaker) => speaker.slash('models')));

describe('A shard process that is killed', () =>
  onServers((site) => {
    it('The sessions of a killed process are resumed when its claims have expired, and events that it had not passed on are replayed', async () => {
      const setup = await scene(await site());
      const killed = forkShardProcess(setup, 'elsewhere', 2);
      await expect.poll(killed.ids).toHaveLength(SHARD_COUNT);
      for (let order = 0; order < 3; order++) await sendCommandInEveryGuild(setup);
      await expect.poll(() => [killed.held.length, killed.taken.length]).toEqual([SHARD_COUNT, 2 * SHARD_COUNT]);
      // READY is 1: the second order is not passed on, although the third is.
      for (let id = 0; id < SHARD_COUNT; id++)
        await expect.poll(async () => (await storedSession(setup, id))?.sequence, { timeout: 10_000 }).toBe(2);
      await killed.kill();
      const killedAt = Date.now();
      await sendCommandInEveryGuild(setup);
      const other = await shardProcess(setup);
      await waitForShards([other, SHARD_COUNT]);
      const takenOverMs = Date.now() - killedAt;
      await expect.poll(() => other.taken).toHaveLength(3 * SHARD_COUNT);
      expect(other.taken).toEqual(expect.arrayContaining(killed.held));
      await waitUntilAllReceived(setup, other, killed);
      expect(setup.sent.size).toBe(4 * SHARD_COUNT);
      expect(setup.discord.gateway).toMatchObject({ identifies: SHARD_COUNT, sessions: SHARD_COUNT });
      expect(takenOverMs).toBeLessThan(LEASE_MS + 5_000);
    });

    it('The shards of a killed process are taken over immediately if the operating system shows that the process has ended', async () => {
      const setup = await scene(await site());
      const killed = forkShardProcess(setup, 'here');
      await expect.poll(killed.ids).toHaveLength(SHARD_COUNT);
      await sendCommandInEveryGuild(setup);
      await waitUntilAllReceived(setup, killed);
      for (let id = 0; id < SHARD_COUNT; id++)
        await expect.poll(async () => (await storedSession(setup, id))?.sequence).toBe(2);
      await killed.kill();
      const killedAt = Date.now();
      const other = await shardProcess(setup);
      await waitForShards([other, SHARD_COUNT]);
      expect(Date.now() - killedAt).toBeLessThan(LEASE_MS);
      expect(setup.discord.gateway).toMatchObject({
        identifies: SHARD_COUNT,
        resumes: SHARD_COUNT,
        sessions: SHARD_COUNT,
      });
      // Everything had been passed on before.
      expect(other.taken).toEqual([]);
    });

    it('A process that was suspended for longer than its claims takes no shard back when it resumes', async () => {
      const setup = await scene(await site());
      const suspended = forkShardProcess(setup, 'elsewhere');
      await expect.poll(suspended.ids).toHaveLength(SHARD_COUNT);
      const other = await shardProcess(setup);
      await waitForShards([other, 2]);
      suspended.process.kill('SIGSTOP');
      await sendCommandInEveryGuild(setup);
      await waitForShards([other, SHARD_COUNT]);
      await waitUntilAllReceived(setup, other);
      suspended.process.kill('SIGCONT');
      const lostClaims = () => setup.logged.filter((line) => line.includes('The claim on a shard was lost'));
      await expect.poll(() => lostClaims().length).toBe(2);
      // The process joins again, and takes over its share of the shards with their sessions.
      await waitForShards([other, 2]);
      await sendCommandInEveryGuild(setup);
      await waitUntilAllReceived(setup, other, suspended);
      expect(setup.discord.gateway.identifies).toBe(SHARD_COUNT);
    });
  }));
