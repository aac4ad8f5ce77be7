import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import type { Site } from '../../services/store/sites.ts';
import { shipped } from '../../support/shipped.ts';
import { key, type Stage } from '../bot.ts';
import { valuesIn } from '../monitoring/served.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface ClusterProcess {
  child: ChildProcess;
  /** The log of the process. */
  said(): string;
  /** The exit code; null after a kill. */
  ended: Promise<number | null>;
}

export type Role = 'all' | 'shard' | 'worker';

/** The shipped bot as a process of a cluster. */
export function startProcess(
  role: Role,
  { discord, gateway }: Stage,
  { url }: Pick<Site, 'url'>,
  settings: Record<string, string> = {},
): ClusterProcess {
  const child = spawn(process.execPath, shipped('src/index.ts'), {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      ATELIER_ROLE: role,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY: key,
      STORE_URL: url,
      STORE_LEASE_SECONDS: '5',
      PARTITIONS: '4',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => (output += piece.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  onTestFailed(() => void process.stderr.write(`The log of a ${role}:\n${output}\n`));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, said: () => output, ended };
}

/** A busy machine takes a minute to start several processes. */

const saysReady = ({ said }: ClusterProcess): boolean => /is ready\./.test(said());

/** Whether a worker owns a partition, according to its log. */
export function owns({ said }: ClusterProcess, partition: number): boolean {
  const changes = [...said().matchAll(/"partition":(\d+),.*This worker (owns another|released a) partition/g)];
  return changes.findLast(([, number]) => Number(number) === partition)?.[2] === 'owns another';
}

/** On a busy machine, each of several processes that start at once gets only a small share of it. */
export const startLimit = { timeout: 150_000 };

/** Waits until all processes are ready, and all partitions have an owner. */
export async function whole(processes: readonly ClusterProcess[], partitions = 4): Promise<void> {
  const unready = (): string[] => processes.filter((one) => !saysReady(one)).map(({ said }) => said());
  await expect.poll(unready, startLimit).toEqual([]);
  const owned = (): number[] =>
    Array.from({ length: partitions }, (_, at) => at).filter((at) => processes.some((one) => owns(one, at)));
  await expect.poll(owned, startLimit).toHaveLength(partitions);
}

/** The metrics of the process with this `HTTP_PORT`, by name and labels. */
export async function metricsOf(port: number): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  return valuesIn(await response.text());
}
