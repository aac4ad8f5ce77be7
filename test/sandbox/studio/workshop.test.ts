import { afterAll, describe, expect, it } from 'vitest';
import { StudioWorker } from '../../../sandbox/gateway/studio/workshop.ts';

const script = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (job) => {
    if (job === 'die') process.exit(3);
    if (job === 'fail') parentPort.postMessage({ failure: 'It did not work.' });
    else parentPort.postMessage({ result: job });
  });`;
const pool = new StudioWorker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
afterAll(() => pool.close());

describe('The worker pool of the studio', () => {
  it('The job of a worker that exits is rejected, and the next job gets a new worker', async () => {
    const outcomes = await Promise.allSettled(['one', 'die', 'two', 'fail', 'three'].map((job) => pool.run(job)));
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
    ).toEqual(['one', 'Error: A studio worker exited with code 3.', 'two', 'Error: It did not work.', 'three']);
  });

  it('Waiting jobs are rejected when the pool closes', async () => {
    const busyPool = new StudioWorker(new URL('data:text/javascript,setTimeout(() => {}, 100000)'));
    const results = Promise.allSettled([busyPool.run('one'), busyPool.run('two')]);
    await busyPool.close();
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
