import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { startPostgres, startRedis } from '../../support/store-servers.ts';
import { singleSceneStudio } from '../../support/studio.ts';
import type { Report } from '../chaos.ts';
import { clusterChaos } from './cluster.ts';

export const clusterStores = { redis: startRedis, postgres: startPostgres } as const;
export type ClusterStore = keyof typeof clusterStores;

export interface ClusterRun {
  seed: number;
  jobs: number;
  kills: number;
  pauses: number;
  serverKills: number;
  store: ClusterStore;
}

const MS_PER_JOB = 500;
const MS_PER_KILL = 10_000;
const MS_PER_PAUSE = 20_000;
const MS_PER_SERVER_KILL = 30_000;
/** At this speed an image takes about ten seconds. */
const SPEED = 4;
const SETTLE_TIMEOUT_MS = 4 * 60_000;
const GUILDS = 24;
const KILLS_PER_MEMBERSHIP_CHANGE = 4;

/** Runs the cluster against its own database server, which flushes each write to disk before acknowledging it. Returns undefined if the server is not installed. */
export async function runCluster({ store, ...scale }: ClusterRun): Promise<Report | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-cluster-'));
  // The user that Postgres runs as must be able to reach its data folder.
  chmodSync(folder, 0o755);
  const storeFolder = join(folder, store);
  mkdirSync(storeFolder);
  const password = randomBytes(12).toString('hex');
  const server = await clusterStores[store]({ folder: storeFolder, port: await freePort(), password, isDurable: true });
  const studio = singleSceneStudio();
  try {
    if (!server) return undefined;
    const { jobs, kills, pauses, serverKills } = scale;
    return await clusterChaos({
      ...scale,
      studio,
      server,
      storeUrl: server.url,
      guilds: GUILDS,
      membershipChanges: Math.ceil(kills / KILLS_PER_MEMBERSHIP_CHANGE),
      stormMs: Math.max(
        jobs * MS_PER_JOB,
        kills * MS_PER_KILL,
        pauses * MS_PER_PAUSE,
        serverKills * MS_PER_SERVER_KILL,
      ),
      includeLongFaults: true,
      speed: SPEED,
      settleTimeoutMs: SETTLE_TIMEOUT_MS,
    });
  } finally {
    await studio.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
