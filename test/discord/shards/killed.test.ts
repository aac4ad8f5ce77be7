import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onServers } from '../../services/store/sites.ts';
import {
  COUNT,
  haveShards,
  LEASE_MS,
  nothingIsMissing,
  type Scene,
  scene,
  shardProcess,
  storedSession,
} from './scene.ts';

interface Child {
  process: ChildProcess;
  taken: string[];
  held: string[];
  ids(): number[];
  kill(): Promise<void>;
}

function child({ discord, site, logged }: Scene, place: 'here' | 'elsewhere', heldOrder = 0): Child {
  const file = fileURLToPath(new URL('child.ts', import.meta.url));
  const process = fork(file, [
    discord.apiUrl,
    discord.token,
    site.url,
    site.scheme,
    String(LEASE_MS),
    place,
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
  process.on('message', (said: { taken?: string; held?: string; line?: string; connected?: number[] }) => {
    if (said.taken !== undefined) taken.push(said.taken);
    if (said.held !== undefined) held.push(said.held);
    if (said.line !== undefined) logged.push(said.line);
    ids = said.connected ?? ids;
  });
  return { process, taken, held, ids: () => ids, kill };
}

const everyoneOrders = ({ speakers }: Scene) => Promise.all(speakers.map((speaker) => speaker.slash('models')));

describe('A shard process that is killed', () =>
  onServers((site) => {
    it('The sessions of a killed process are resumed when its claims have expired, and events that it had not passed on are replayed', async () => {
      const here = await scene(await site());
      const killed = child(here, 'elsewhere', 2);
      await expect.poll(killed.ids).toHaveLength(COUNT);
      for (let order = 0; order < 3; order++) await everyoneOrders(here);
      await expect.poll(() => [killed.held.length, killed.taken.length]).toEqual([COUNT, 2 * COUNT]);
      // READY is 1: the second order is not passed on, although the third is.
      for (let id = 0; id < COUNT; id++)
        await expect.poll(async () => (await storedSession(here, id))?.sequence, { timeout: 10_000 }).toBe(2);
      await killed.kill();
      const killedAt = Date.now();
      await everyoneOrders(here);
      const other = await shardProcess(here);
      await haveShards([other, COUNT]);
      const takenOverMs = Date.now() - killedAt;
      await expect.poll(() => other.taken).toHaveLength(3 * COUNT);
      expect(other.taken).toEqual(expect.arrayContaining(killed.held));
      await nothingIsMissing(here, other, killed);
      expect(here.sent.size).toBe(4 * COUNT);
      expect(here.discord.gateway).toMatchObject({ identifies: COUNT, sessions: COUNT });
      expect(takenOverMs).toBeLessThan(LEASE_MS + 5_000);
    });

    it('The shards of a killed process are taken at once if the system shows that it has ended', async () => {
      const here = await scene(await site());
      const killed = child(here, 'here');
      await expect.poll(killed.ids).toHaveLength(COUNT);
      await everyoneOrders(here);
      await nothingIsMissing(here, killed);
      for (let id = 0; id < COUNT; id++)
        await expect.poll(async () => (await storedSession(here, id))?.sequence).toBe(2);
      await killed.kill();
      const killedAt = Date.now();
      const other = await shardProcess(here);
      await haveShards([other, COUNT]);
      expect(Date.now() - killedAt).toBeLessThan(LEASE_MS);
      expect(here.discord.gateway).toMatchObject({ identifies: COUNT, resumes: COUNT, sessions: COUNT });
      // All of it had been passed on before.
      expect(other.taken).toEqual([]);
    });

    it('A process that was suspended for longer than its claims takes no shard back when it resumes', async () => {
      const here = await scene(await site());
      const stopped = child(here, 'elsewhere');
      await expect.poll(stopped.ids).toHaveLength(COUNT);
      const other = await shardProcess(here);
      await haveShards([other, 2]);
      stopped.process.kill('SIGSTOP');
      await everyoneOrders(here);
      await haveShards([other, COUNT]);
      await nothingIsMissing(here, other);
      stopped.process.kill('SIGCONT');
      const lost = () => here.logged.filter((line) => line.includes('The claim on a shard was lost'));
      await expect.poll(() => lost().length).toBe(2);
      // It joins again, and gets its share and the sessions back.
      await haveShards([other, 2]);
      await everyoneOrders(here);
      await nothingIsMissing(here, other, stopped);
      expect(here.discord.gateway.identifies).toBe(COUNT);
    });
  }));
