import { logNormal, randomOf } from '../../sandbox/gateway/random.ts';
import { createStudio } from '../../sandbox/gateway/studio/index.ts';
import { program } from '../harness/program.ts';
import { noiseImage, openSides } from '../harness/sides.ts';

const SEED = 1;
/** The gateway's own durations of `/imagine` have a median of 38.7 s and a sigma of 0.3: with both, jobs have a median of 20 s and a sigma of 0.4. */
const SPEED = 1.936;
const ADDED_SIGMA = Math.sqrt(0.4 ** 2 - 0.3 ** 2);
const IMAGE_SIDE = 64;

export const startGateway = program(import.meta, openGateway);

async function openGateway() {
  const image = await noiseImage(IMAGE_SIDE);
  // Drawing is not measured, so every image is the same.
  const studio = { ...createStudio(), drawGrid: async () => image };
  const { gateway } = await openSides({ gateway: { seed: SEED, speed: SPEED, studio } });
  const random = randomOf(SEED);
  const slowNextJob = (): void => {
    gateway.faults.add({ do: { type: 'slow', times: logNormal(random, 1, ADDED_SIGMA) } });
  };
  slowNextJob();
  gateway.jobs.on('change', (_, previous) => {
    if (!previous) slowNextJob();
  });
  return {
    url: () => gateway.url,
    /** The polls of each job and when it ended, by the machine's clock. */
    jobs: () =>
      gateway.jobs.list().map(({ id, prompt, finishedAt }) => {
        const { polls, queries } = gateway.tally.countOf(id);
        return { prompt, finishedAt, polls: polls + queries };
      }),
  };
}
