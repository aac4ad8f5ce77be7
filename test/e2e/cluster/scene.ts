import { expect } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import type { TestStore } from '../../services/store/sites.ts';
import { noLimits } from '../../support/no-limits.ts';
import { type Stage, stage } from '../bot.ts';
import { type ClusterProcess, owns, type Role, startLimit, startProcess, waitUntilReady } from './processes.ts';

/** On a busy machine, a process may be scheduled late. */
const longDeadline = { limits: { acknowledgeMs: 60_000 } };
export const acknowledgement = { method: 'POST', route: '/interactions/:interaction/:token/callback' };
export const waitLimit = { timeout: 400_000 };

export interface Scene extends Stage {
  storeServer: TestStore;
  partitions: number;
  start(role: Role): ClusterProcess;
}

interface SceneOptions {
  speed?: number;
  /** By default it is random which servers and members share a partition. */
  partitions?: number | ((discord: EmbeddedDiscord) => number);
  shards?: number;
  /** A store server must respond within a fifth of the lease, so it is long, except in tests that wait for it to expire. */
  leaseSeconds?: number;
  settings?: Record<string, string>;
}

export async function scene(
  site: () => Promise<TestStore>,
  { speed = 20, partitions: requestedPartitions = 4, shards = 1, leaseSeconds = 40, settings = {} }: SceneOptions = {},
): Promise<Scene> {
  const [storeServer, servers] = [
    await site(),
    await stage({ discord: { ...longDeadline, shards }, gateway: { speed }, settings }),
  ];
  const partitions =
    typeof requestedPartitions === 'number' ? requestedPartitions : requestedPartitions(servers.discord);
  const allSettings = {
    ...{ ...noLimits, PARTITIONS: String(partitions), SHARD_COUNT: String(shards) },
    STORE_LEASE_SECONDS: String(leaseSeconds),
    ...settings,
  };
  return {
    ...servers,
    storeServer,
    partitions,
    start: (role) => startProcess(role, servers, storeServer, allSettings),
  };
}

/** Starts a shard process and two workers, and waits until each worker owns its share of the partitions. */
export async function startFullCluster({ start, partitions }: Scene): Promise<[ClusterProcess, ClusterProcess]> {
  const workers: [ClusterProcess, ClusterProcess] = [start('worker'), start('worker')];
  await waitUntilReady([start('shard'), ...workers], partitions);
  const difference = (): number => {
    const [one = 0, other = 0] = workers.map((worker) => ownedPartitions(worker, partitions).length);
    return Math.abs(one - other);
  };
  await expect.poll(difference, startLimit).toBeLessThan(2);
  return workers;
}

export const ownedPartitions = (worker: ClusterProcess, partitions: number): number[] =>
  Array.from({ length: partitions }, (_, partition) => partition).filter((partition) => owns(worker, partition));

const partitionIn = ({ world }: EmbeddedDiscord, guild: string, partitions: number): number =>
  partitionOf(bucketOf(world.guild(guild).id), partitions);

/** A number of partitions that puts the two servers into different ones; their ids differ from run to run. */
export function separatingPartitionCount(discord: EmbeddedDiscord): number {
  let partitions = 4;
  while (partitionIn(discord, 'atelier', partitions) === partitionIn(discord, 'elsewhere', partitions)) partitions += 1;
  return partitions;
}

/** The partition of a server, by default of `atelier`. */
export const homePartition = ({ discord, partitions }: Scene, guild = 'atelier'): number =>
  partitionIn(discord, guild, partitions);

export function ownerOf(cluster: Scene, workers: readonly ClusterProcess[]): ClusterProcess {
  const owner = workers.find((worker) => owns(worker, homePartition(cluster)));
  if (!owner) throw new Error(`No worker owns partition ${homePartition(cluster)}.`);
  return owner;
}

export async function kill({ child, exitCode }: ClusterProcess): Promise<void> {
  child.kill('SIGKILL');
  await exitCode;
}

export const callbackCount = ({ requests }: EmbeddedDiscord): number =>
  requests.filter(({ route }) => route === acknowledgement.route).length;

/** Whether a command or a button press was answered: executed, or refused with a message that says what to do. */
export const isAnswered = (message: Message): boolean =>
  /Finished in|Try again in a moment|Press the button again/.test(text(message));
