import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { nameHolder } from '../../../src/services/store/holder.ts';
import { openPartitions } from '../../../src/services/store/partitions.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { cacheArgs } from '../../support/shipped.ts';
import { onServers, type TestStore } from './sites.ts';
import { makeTask, settled } from './store-fixture.ts';

/** It does not expire during a test. Each request may take a fifth of it, which is enough on a busy machine. */
const LEASE_MS = 60_000;
const PARTITION = 2;
const program = fileURLToPath(new URL('suspended-writer.ts', import.meta.url));

async function openPartition({ url, scheme, log, clock }: TestStore): Promise<StoredTasks> {
  const parts = { specs: kindSpecs, log, clock, leaseMs: LEASE_MS, partitions: 4, holder: nameHolder() };
  const partitions = await openPartitions({ url, scheme }, parts);
  onTestFinished(() => partitions.close());
  return partitions.open(PARTITION);
}

const isStopped = (pid: number): boolean => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));

async function expectRefusedWrite(
  testStore: TestStore,
  partition: string,
  open: () => Promise<StoredTasks>,
): Promise<void> {
  const task = makeTask();
  const args = [program, testStore.url, String(LEASE_MS), partition, JSON.stringify(task)];
  const child = spawn(process.execPath, [...cacheArgs, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exitCode = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitCode;
  });
  await expect.poll(() => isStopped(child.pid ?? 0)).toBe(true);
  await testStore.forgetLease();
  const nextStore = await open();
  await nextStore.put(settled(task));
  const rowsBefore = await testStore.rows();

  child.kill('SIGCONT');
  expect(await exitCode).toBe(75);
  expect(await testStore.rows()).toEqual(rowsBefore);
  expect(rowsBefore.some(({ text }) => text.includes('late'))).toBe(false);
  nextStore.ownership.assertOwned();
}

describe.skipIf(process.platform !== 'linux')(
  'A process that is suspended between its check and its write (needs Linux’s /proc)',
  () =>
    onServers((createTestStore) => {
      it('A bot that owns the whole store leaves the row of its successor unchanged, and exits with 75', async () => {
        const testStore = await createTestStore();
        await expectRefusedWrite(testStore, '', () => testStore.open({ leaseMs: LEASE_MS }));
      });

      it('A worker leaves the row of the next owner of its partition unchanged, and exits with 75', async () => {
        const testStore = await createTestStore();
        await expectRefusedWrite(testStore, String(PARTITION), () => openPartition(testStore));
      });
    }),
);
