import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

import { onServers } from '../services/store/sites.ts';
import { shipped } from '../support/shipped.ts';

import { key, type Stage, stage as sides } from './bot.ts';
import { says, submits } from './quick.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pollOptions = { timeout: 20_000 };

interface Running {
  child: ChildProcess;
  said(): string;
  ended: Promise<number | null>;
}

/** The shipped bot as a separate process. */
function run({ discord, gateway }: Stage, storeUrl: string): Running {
  const child = spawn(process.execPath, shipped('src/index.ts'), {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY: key,
      STORE_URL: storeUrl,
      STORE_LEASE_SECONDS: '5',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => (output += piece.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, said: () => output, ended };
}

describe('Two bots on one store', () =>
  onServers((stage) => {
    it('A bot that was suspended for too long finds that another one has its lease, does nothing and exits with 75', async () => {
      const site = await stage();
      const side = await sides();
      const first = run(side, site.url);
      await expect.poll(first.said, pollOptions).toContain('Atelier is ready.');
      const exchange = await side.discord.as('member').slash('imagine', { prompt: 'a fox' });
      await exchange.message(says('%'));
      first.child.kill('SIGSTOP');

      const second = run(side, site.url);
      await expect.poll(second.said, pollOptions).toContain('Atelier is ready.');
      side.gateway.setSpeed(100);
      const done = await exchange.message(says('Finished in'));
      await expect.poll(() => site.keys('finished'), pollOptions).toHaveLength(1);
      // The last write when a task is settled.
      await expect.poll(() => site.keys('live'), pollOptions).toEqual([]);
      const [rows, requests] = [await site.rows(), side.discord.requests.length];

      first.child.kill('SIGCONT');
      expect(await first.ended).toBe(75);
      expect(first.said()).toContain('was not renewed in time');
      expect(side.discord.requests.slice(requests)).toEqual([]);
      expect(await site.rows()).toEqual(rows);
      expect(submits(side.gateway)).toBe(1);
      expect(done.attachments).toHaveLength(1);
      // The new owner works normally.
      expect(second.child.exitCode).toBeNull();
      expect(first.said() + second.said()).not.toContain(new URL(site.url).password);
    });

    it('The second bot on a store exits with 75 and an error message while the first one runs', async () => {
      const site = await stage();
      const side = await sides();
      const first = run(side, site.url);
      await expect.poll(first.said, pollOptions).toContain('Atelier is ready.');
      const second = run(side, site.url);
      expect(await second.ended).toBe(75);
      expect(second.said()).toContain('Another Atelier is using the store');
      first.child.kill('SIGTERM');
      expect(await first.ended).toBe(0);
      const third = run(side, site.url);
      await expect.poll(third.said, pollOptions).toContain('Atelier is ready.');
    });
  }));
