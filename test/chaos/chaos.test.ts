import { expect, it, onTestFinished } from 'vitest';
import { singleSceneStudio } from '../support/studio.ts';

import { runChaos } from './chaos.ts';

const SEED = 374;
/**
 * A successful run takes half a minute. If the bot has exited, many checks time out before the run can report that.
 */
const WAIT_LIMIT_MS = 300_000;

// Redis and Postgres are under chaos in `cluster/` and `money/`.
it(
  'No order is lost and no result is posted twice while the bot is killed and both servers fail',
  async () => {
    const studio = singleSceneStudio();
    onTestFinished(() => studio.close());
    const { failures, figures } = await runChaos({
      seed: SEED,
      jobs: 30,
      kills: 3,
      stormMs: 7_000,
      includeLongFaults: false,
      speed: 15,
      settleTimeoutMs: 60_000,
      studio,
    });
    process.stderr.write(`${figures.join('\n')}\n`);
    expect(failures).toEqual([]);
  },
  WAIT_LIMIT_MS,
);
