import { expect } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import type { TestStore } from '../../services/store/sites.ts';
import { noLimits } from '../../support/no-limits.ts';
import { createFixture, type Fixture } from '../bot.ts';
import { type ClusterProcess, owns, type Role, startProcess, waitUntilReady } from './processes.ts';

export const acknowledgementRoute = { method: 'POST', route: '/interactions/:interaction/:token/callback' };

export interface Cluster extends Fixture {
  storeServer: TestStore;
  partitions: number;
  start(role: Role): ClusterProcess;
}

interface ClusterOptions {
  speed?: number;
  /** The number of partitions. Which servers and members share one differs from run to run. */
  partitions?: number | ((discord: EmbeddedDiscord) => number);
  shards?: number;
  /** Long, because a store server must respond within a fifth of it; short only in tests that wait for a lease to expire. */
  leaseSeconds?: number;
  settings?: Record<string, string>;
}

export async function createCluster(
  createStore: () => Promise<TestStore>,
  {
    speed = 20,
    partitions: requestedPartitions = 4,
    shards = 1,
    leaseSeconds = 40,
    settings = {},
  }: ClusterOptions = {},
): Promise<Cluster> {
  const [storeServer, servers] = [
    await createStore(),
    await createFixture({ discord: { shards }, gateway: { speed }, settings }),
  ];
  const partitions =
    typeof requestedPartitions === 'number' ? requestedPartitions : requestedPartitions(servers.discord);
  const allSettings = {
    ...noLimits,
    PARTITIONS: String(partitions),
    SHARD_COUNT: String(shards),
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
export async function startFullCluster({ start, partitions }: Cluster): Promise<[ClusterProcess, ClusterProcess]> {
  const workers: [ClusterProcess, ClusterProcess] = [start('worker'), start('worker')];
  await waitUntilReady([start('shard'), ...workers], partitions);
  // While a partition passes from one worker to the other, neither owns it.
  const isSharedEvenly = (): boolean => {
    const [one = 0, other = 0] = workers.map((worker) => ownedPartitions(worker, partitions).length);
    return one + other === partitions && Math.abs(one - other) < 2;
  };
  await expect.poll(isSharedEvenly).toBe(true);
  return workers;
}

export const ownedPartitions = (worker: ClusterProcess, partitions: number): number[] =>
  Array.from({ length: partitions }, (_, partition) => partition).filter((partition) => owns(worker, partition));

const partitionIn = ({ world }: EmbeddedDiscord, guild: string, partitions: number): number =>
  partitionOf(bucketOf(world.guild(guild).id), partitions);

/** A number of partitions that puts the two servers and a member into different ones; their ids differ from run to run. */
export function separatingPartitionCount({ world }: EmbeddedDiscord): number {
  const homes = [world.guild('atelier').id, world.guild('elsewhere').id, world.user('member').id];
  for (let count = 4; ; count += 1)
    if (new Set(homes.map((home) => partitionOf(bucketOf(home), count))).size === homes.length) return count;
}

/** The partition of a server, by default of `atelier`. */
export const homePartition = ({ discord, partitions }: Cluster, guild = 'atelier'): number =>
  partitionIn(discord, guild, partitions);

export function ownerOf(cluster: Cluster, workers: readonly ClusterProcess[]): ClusterProcess {
  const owner = workers.find((worker) => owns(worker, homePartition(cluster)));
  if (!owner) throw new Error(`No worker owns partition ${homePartition(cluster)}.`);
  return owner;
}

export async function kill({ child, exitCode }: ClusterProcess): Promise<void> {
  child.kill('SIGKILL');
  await exitCode;
}

export const callbackCount = ({ requests }: EmbeddedDiscord): number =>
  requests.filter(({ route }) => route === acknowledgementRoute.route).length;

/** Whether a command or a button press was answered: executed, or refused with a message that says what to do. */
export const isAnswered = (message: Message): boolean =>
  /Finished in|Try again in a moment|the form could not be opened/.test(text(message));
