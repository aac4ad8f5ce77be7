import { describe, expect, it, onTestFinished } from 'vitest';
import { onStores } from '../../services/store/sites.ts';
import { singleSceneStudio } from '../../support/studio.ts';
import { runMoneyChaos } from './money.ts';

const WAIT_LIMIT_MS = 300_000;
/** A server differs from a file only in how its store is reached and owned: two kills and two cut connections show that. */
const FILE_SCALE = { members: 30, orders: 240, kills: 3 };
const SERVER_SCALE = { members: 10, orders: 80, kills: 2 };

describe('Money under chaos', () =>
  onStores(['sqlite', 'redis', 'postgres'], (createTestStore) =>
    it(
      'No reservation exceeds a limit, none is lost or released twice, and the books equal the gateway’s bill to the last digit',
      async () => {
        const { url, kind, cutConnections } = await createTestStore();
        const studio = singleSceneStudio();
        onTestFinished(() => studio.close());
        const { failures, figures } = await runMoneyChaos({
          seed: 21,
          ...(kind === 'sqlite' ? FILE_SCALE : SERVER_SCALE),
          storeUrl: url,
          ...(kind !== 'sqlite' && { cutConnections }),
          studio,
        });
        process.stderr.write(`${figures.join('\n')}\n`);
        expect(failures).toEqual([]);
      },
      WAIT_LIMIT_MS,
    ),
  ));
