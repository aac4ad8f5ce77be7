import { describe, expect, it, onTestFinished } from 'vitest';
import { onStores } from '../services/store/sites.ts';
import { thriftyStudio } from '../support/studio.ts';

import { chaos } from './chaos.ts';

const SEED = 374;
/** A good run takes half a minute. One whose bot is gone is asked for without a result many times, and must still come to say so. */
const WAIT_LIMIT_MS = 300_000;

describe('the bot', () =>
  onStores(['sqlite', 'redis', 'postgres'], (stage) =>
    it(
      'The bot loses nothing and doubles nothing while it is killed and both its sides fail it',
      async () => {
        const { url } = await stage();
        const studio = thriftyStudio();
        onTestFinished(() => studio.close());
        const { broken, figures } = await chaos({
          ...{ seed: SEED, jobs: 30, kills: 3, stormMs: 7_000, lasting: false },
          ...{ speed: 15, calmMs: 60_000, storeUrl: url, studio },
        });
        process.stderr.write(`${figures.join('\n')}\n`);
        expect(broken).toEqual([]);
      },
      WAIT_LIMIT_MS,
    ),
  ));
