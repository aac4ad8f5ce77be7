import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { nameHolder, openPartitions } from '../../../src/services/store/index.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { onServers, type Site } from './sites.ts';
import { makeTask, settled } from './stage.ts';

/** The test waits for its end, and a busy server has a fifth of it for each request. */
const LEASE_MS = 5_000;
const PARTITION = 2;
const program = fileURLToPath(new URL('suspended-writer.ts', import.meta.url));

async function openPartition({ url, scheme, log, clock }: Site): Promise<StoredTasks> {
  const parts = { specs: kindSpecs, log, clock, leaseMs: LEASE_MS, partitions: 4, holder: nameHolder() };
  const partitions = await openPartitions({ url, scheme }, parts);
  onTestFinished(() => partitions.close());
  // It waits for the rest of the lease, and fails if the holder renews it.
  return partitions.open(PARTITION);
}

async function isRefused(site: Site, partition: string, open: () => Promise<StoredTasks>): Promise<void> {
  const task = makeTask();
  const args = [program, site.url, String(LEASE_MS), partition, JSON.stringify(task)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
  const next = await open();
  await next.put(settled(task));
  const before = await site.rows();

  child.kill('SIGCONT');
  expect(await ended).toBe(75);
  expect(await site.rows()).toEqual(before);
  expect(before.some(({ text }) => text.includes('late'))).toBe(false);
  next.ownership.mustBeOurs();
}

describe.skipIf(process.platform === 'win32')(
  'A process that is suspended between its check and its write (needs SIGSTOP)',
  () =>
    onServers((stage) => {
      it('A bot that owns the whole store leaves the row of its successor unchanged, and exits with 75', async () => {
        const site = await stage();
        await isRefused(site, '', () => site.open({ leaseMs: LEASE_MS }));
      });

      it('A worker leaves the row of the next owner of its partition unchanged, and exits with 75', async () => {
        const site = await stage();
        await isRefused(site, String(PARTITION), () => openPartition(site));
      });
    }),
);
