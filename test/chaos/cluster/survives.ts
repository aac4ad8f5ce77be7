import { describe, expect, it, onTestFinished } from 'vitest';
import { onStores } from '../../services/store/sites.ts';
import { singleSceneStudio } from '../../support/studio.ts';
import { clusterChaos } from './cluster.ts';

const SEED = 21;

/** One test file for each server, so that both can run at the same time: mostly they wait for leases to end. */
export function clusterSurvives(server: 'redis' | 'postgres'): void {
  describe('A cluster under chaos', () =>
    onStores([server], (createTestStore) =>
      it('No order is lost and no result is posted twice when shards and workers are killed and paused', async () => {
        const { url } = await createTestStore();
        const studio = singleSceneStudio();
        onTestFinished(() => studio.close());
        const { failures, figures } = await clusterChaos({
          seed: SEED,
          jobs: 12,
          kills: 2,
          pauses: 1,
          serverKills: 0,
          membershipChanges: 1,
          guilds: 8,
          stormMs: 10_000,
          includeLongFaults: false,
          speed: 15,
          patienceMs: 30_000,
          settleTimeoutMs: 240_000,
          storeUrl: url,
          studio,
        });
        process.stderr.write(`${figures.join('\n')}\n`);
        expect(failures).toEqual([]);
      }),
    ));
}
