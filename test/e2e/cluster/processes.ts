import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import type { TestStore } from '../../services/store/sites.ts';
import { shippedArgs } from '../../support/shipped.ts';
import { type Fixture, GATEWAY_API_KEY } from '../bot.ts';
import { parseMetrics } from '../monitoring/served.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface ClusterProcess {
  child: ChildProcess;
  /** The log of the process. */
  log(): string;
  /** The exit code; null after a kill. */
  exitCode: Promise<number | null>;
}

export type Role = 'all' | 'shard' | 'worker';

/** Starts the shipped bot as a process of a cluster. */
export function startProcess(
  role: Role,
  { discord, gateway }: Fixture,
  { url }: Pick<TestStore, 'url'>,
  settings: Record<string, string> = {},
): ClusterProcess {
  const child = spawn(process.execPath, shippedArgs('src/index.ts'), {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      ATELIER_ROLE: role,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY,
      STORE_URL: url,
      // A busy server has a fifth of it for each response.
      STORE_LEASE_SECONDS: '40',
      PARTITIONS: '4',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => (output += piece.toString()));
  const exitCode = once(child, 'exit').then(([code]) => code as number | null);
  onTestFailed(() => void process.stderr.write(`The log of a ${role}:\n${output}\n`));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitCode;
  });
  return { child, log: () => output, exitCode };
}

const isReady = ({ log }: ClusterProcess): boolean => /is ready\./.test(log());

/** Whether a worker owns a partition, according to its log. */
export function owns({ log }: ClusterProcess, partition: number): boolean {
  const changes = [...log().matchAll(/"partition":(\d+),.*This worker (owns another|released a) partition/g)];
  return changes.findLast(([, number]) => Number(number) === partition)?.[2] === 'owns another';
}

/** Waits until all processes are ready, and all partitions have an owner. */
export async function waitUntilReady(processes: readonly ClusterProcess[], partitions = 4): Promise<void> {
  const logsOfUnready = (): string[] => processes.filter((one) => !isReady(one)).map(({ log }) => log());
  await expect.poll(logsOfUnready).toEqual([]);
  const ownedPartitions = (): number[] =>
    Array.from({ length: partitions }, (_, index) => index).filter((index) =>
      processes.some((one) => owns(one, index)),
    );
  await expect.poll(ownedPartitions).toHaveLength(partitions);
}

/** The metrics of the process with this `HTTP_PORT`, by name and labels. */
export async function metricsOf(port: number): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  return parseMetrics(await response.text());
}
