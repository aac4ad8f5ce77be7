import { expect, it } from 'vitest';
import { chaos } from './chaos.ts';

const SEED = 374;

it('loses nothing and doubles nothing while the bot is killed and both its sides fail it', async () => {
  const { broken, figures } = await chaos({
    ...{ seed: SEED, jobs: 30, kills: 3, stormMs: 7_000, lasting: false },
    ...{ speed: 15, calmMs: 60_000 },
  });
  process.stderr.write(`${figures.join('\n')}\n`);
  expect(broken).toEqual([]);
}, 120_000);
