import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

import { onOneServer, onServers } from '../services/store/sites.ts';
import { shippedArgs } from '../support/shipped.ts';

import { type Fixture, GATEWAY_API_KEY, createFixture as startServers } from './bot.ts';
import { says, submitCount } from './quick.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface BotProcess {
  child: ChildProcess;
  log(): string;
  exitCode: Promise<number | null>;
}

/** Starts the shipped bot as a separate process. */
function startBotProcess({ discord, gateway }: Fixture, storeUrl: string, leaseSeconds = 10): BotProcess {
  const child = spawn(process.execPath, shippedArgs('src/index.ts'), {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY,
      STORE_URL: storeUrl,
      STORE_LEASE_SECONDS: String(leaseSeconds),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => (output += piece.toString()));
  const exitCode = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitCode;
  });
  return { child, log: () => output, exitCode };
}

describe('Two bots on one store', () =>
  onServers((createStore) => {
    it('A bot that was suspended for too long finds that another bot now has the lease, changes nothing and exits with 75', async () => {
      const store = await createStore();
      const servers = await startServers();
      const first = startBotProcess(servers, store.url);
      await expect.poll(first.log).toContain('Atelier is ready.');
      const exchange = await servers.discord.as('member').slash('imagine', { prompt: 'a fox' });
      await exchange.message(says('%'));
      first.child.kill('SIGSTOP');

      // Its own lease must not expire because a machine is busy.
      const second = startBotProcess(servers, store.url, 60);
      await expect.poll(second.log).toContain('Atelier is ready.');
      servers.gateway.setSpeed(100);
      const result = await exchange.message(says('Finished in'));
      await expect.poll(() => store.keys('finished')).toHaveLength(1);
      // The deletion of the live row is the last write when a task is settled.
      await expect.poll(() => store.keys('live')).toEqual([]);
      const [rows, requestCount] = [await store.rows(), servers.discord.requests.length];

      first.child.kill('SIGCONT');
      expect(await first.exitCode).toBe(75);
      expect(first.log()).toContain('was not renewed in time');
      expect(servers.discord.requests.slice(requestCount)).toEqual([]);
      expect(await store.rows()).toEqual(rows);
      expect(submitCount(servers.gateway)).toBe(1);
      expect(result.attachments).toHaveLength(1);
      // The new owner works normally.
      expect(second.child.exitCode).toBeNull();
      expect(first.log() + second.log()).not.toContain(new URL(store.url).password);
    });
  }));

// Who gets the lease on each server is proven where leases are tested.
describe('A second bot on a store', () =>
  onOneServer((createStore) => {
    it('The second bot on a store exits with 75 and an error message while the first one runs', async () => {
      const store = await createStore();
      const servers = await startServers();
      const first = startBotProcess(servers, store.url);
      await expect.poll(first.log).toContain('Atelier is ready.');
      const second = startBotProcess(servers, store.url);
      expect(await second.exitCode).toBe(75);
      expect(second.log()).toContain('Another Atelier is using the store');
      first.child.kill('SIGTERM');
      expect(await first.exitCode).toBe(0);
      const third = startBotProcess(servers, store.url);
      await expect.poll(third.log).toContain('Atelier is ready.');
    });
  }));
