import { describe, expect, it, onTestFinished } from 'vitest';
import { onServers } from '../../services/store/sites.ts';
import { singleSceneStudio } from '../../support/studio.ts';
import { clusterChaos } from './cluster.ts';

const SEED = 21;
/** Beside other tests, processes start slowly. */
const WAIT_LIMIT_MS = 600_000;

describe('A cluster under chaos', () =>
  onServers((createTestStore) =>
    it(
      'No order is lost and no result is posted twice when shards and workers are killed and paused',
      async () => {
        const { url } = await createTestStore();
        const studio = singleSceneStudio();
        onTestFinished(() => studio.close());
        const { failures, figures } = await clusterChaos({
          ...{ seed: SEED, jobs: 12, kills: 2, pauses: 1, serverKills: 0, membershipChanges: 1, guilds: 8 },
          ...{ stormMs: 10_000, includeLongFaults: false, speed: 15, patienceMs: 30_000, settleTimeoutMs: 240_000 },
          ...{ storeUrl: url, studio },
        });
        process.stderr.write(`${figures.join('\n')}\n`);
        expect(failures).toEqual([]);
      },
      WAIT_LIMIT_MS,
    ),
  ));
