import { expect } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import type { Site } from '../../services/store/sites.ts';
import { noLimits } from '../../support/no-limits.ts';
import { type Stage, stage } from '../bot.ts';
import { type ClusterProcess, owns, type Role, startLimit, startProcess, whole } from './processes.ts';

/** On a busy machine a process may get processor time late. */
const patient = { limits: { acknowledgeMs: 60_000 } };
export const acknowledgement = { method: 'POST', route: '/interactions/:interaction/:token/callback' };
export const waitLimit = { timeout: 400_000 };

export interface Scene extends Stage {
  place: Site;
  partitions: number;
  start(role: Role): ClusterProcess;
}

interface SceneOptions {
  speed?: number;
  /** By default it is random which servers and members share a partition. */
  partitions?: number | ((discord: EmbeddedDiscord) => number);
  shards?: number;
  /** A busy server has a fifth of it for each response, so it is long, except in tests that wait for its end. */
  leaseSeconds?: number;
  settings?: Record<string, string>;
}

export async function scene(
  site: () => Promise<Site>,
  { speed = 20, partitions: wanted = 4, shards = 1, leaseSeconds = 40, settings = {} }: SceneOptions = {},
): Promise<Scene> {
  const [place, sides] = [await site(), await stage({ discord: { ...patient, shards }, gateway: { speed }, settings })];
  const partitions = typeof wanted === 'number' ? wanted : wanted(sides.discord);
  const all = {
    ...{ ...noLimits, PARTITIONS: String(partitions), SHARD_COUNT: String(shards) },
    STORE_LEASE_SECONDS: String(leaseSeconds),
    ...settings,
  };
  return { ...sides, place, partitions, start: (role) => startProcess(role, sides, place, all) };
}

/** A shard process and two workers, each of which has its share. */
export async function wholeScene({ start, partitions }: Scene): Promise<[ClusterProcess, ClusterProcess]> {
  const workers: [ClusterProcess, ClusterProcess] = [start('worker'), start('worker')];
  await whole([start('shard'), ...workers], partitions);
  const difference = (): number => {
    const [one = 0, other = 0] = workers.map((worker) => owned(worker, partitions).length);
    return Math.abs(one - other);
  };
  await expect.poll(difference, startLimit).toBeLessThan(2);
  return workers;
}

export const owned = (worker: ClusterProcess, partitions: number): number[] =>
  Array.from({ length: partitions }, (_, partition) => partition).filter((partition) => owns(worker, partition));

const partitionIn = ({ world }: EmbeddedDiscord, guild: string, partitions: number): number =>
  partitionOf(bucketOf(world.guild(guild).id), partitions);

/** So many partitions that the two servers are in different ones, although their ids differ from run to run. */
export function partitionsApart(discord: EmbeddedDiscord): number {
  let partitions = 4;
  while (partitionIn(discord, 'atelier', partitions) === partitionIn(discord, 'elsewhere', partitions)) partitions += 1;
  return partitions;
}

/** The partition of a server, by default of the studio. */
export const homeOf = ({ discord, partitions }: Scene, guild = 'atelier'): number =>
  partitionIn(discord, guild, partitions);

export function ownerOf(there: Scene, workers: readonly ClusterProcess[]): ClusterProcess {
  const owner = workers.find((worker) => owns(worker, homeOf(there)));
  if (!owner) throw new Error(`No worker owns partition ${homeOf(there)}.`);
  return owner;
}

export async function kill({ child, ended }: ClusterProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

export const callbacks = ({ requests }: EmbeddedDiscord): number =>
  requests.filter(({ route }) => route === acknowledgement.route).length;

/** Whether a command or a press was answered: carried out, or refused with a sentence that tells what to do. */
export const isAnswered = (message: Message): boolean =>
  /Finished in|Try again in a moment|Press the button again/.test(text(message));
