import { describe, expect, it, onTestFinished } from 'vitest';
import { onServersIfEnabled } from '../../e2e/cluster/on-request.ts';
import { singleSceneStudio } from '../../support/studio.ts';
import { clusterChaos } from './cluster.ts';

const SEED = 21;
const WAIT_LIMIT_MS = 300_000;

describe('A cluster under chaos', () =>
  onServersIfEnabled((stage) =>
    it(
      'No order is lost and no result is posted twice when shards and workers are killed and paused',
      async () => {
        const { url } = await stage();
        const studio = singleSceneStudio();
        onTestFinished(() => studio.close());
        const { failures, figures } = await clusterChaos({
          ...{ seed: SEED, jobs: 20, kills: 2, pauses: 1, serverKills: 0, membershipChanges: 1, guilds: 8 },
          ...{ stormMs: 10_000, includeLongFaults: false, speed: 15, settleTimeoutMs: 60_000, storeUrl: url, studio },
        });
        process.stderr.write(`${figures.join('\n')}\n`);
        expect(failures).toEqual([]);
      },
      WAIT_LIMIT_MS,
    ),
  ));
