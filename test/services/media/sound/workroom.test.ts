import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { WorkerPool } from '../../../../src/lib/worker-pool.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** A worker that fails in the way its job requests, as it might on a broken file, or else responds with its job count. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  let done = 0;
  parentPort.on('message', ({ bytes }) => {
    done++;
    const [action] = bytes;
    if (action === 1) process.exit(3);
    if (action === 2) throw new Error('This was not expected.');
    if (action === 3) { const kept = []; for (;;) kept.push(new Array(100_000).fill({})); }
    if (action === 4) for (;;);
    console.error('Noise that nobody should see.');
    parentPort.postMessage({ failed: String(done) });
  });`)}`,
);

const job = (action: number) => ({ bytes: Uint8Array.of(action) });
const outcomeOf = async (run: Promise<unknown>): Promise<string> =>
  await run.then((answer) => JSON.stringify(answer), String);

describe('The pool of the audio workers', () => {
  it('The pool of the audio workers loses only the file that crashed its worker, and a new worker continues', {
    tags: ['breadth'],
  }, async () => {
    const pool = new WorkerPool(script, systemClock);
    const outcomes = await Promise.all([0, 0, 1, 0, 2, 0, 3, 0].map((action) => outcomeOf(pool.run(job(action), []))));
    expect(outcomes).toEqual([
      '{"failed":"1"}',
      '{"failed":"2"}',
      'WorkerLost: The worker ended with code 3.',
      '{"failed":"1"}',
      'WorkerLost: The worker failed.',
      '{"failed":"1"}',
      'WorkerLost: The worker failed.',
      '{"failed":"1"}',
    ]);
    await pool.close();
  });

  it('The pool of the audio workers terminates a hanging worker, and waiting files get another one', async () => {
    const clock = new ManualClock();
    const pool = new WorkerPool(script, clock);
    await outcomeOf(pool.run(job(0), []));
    const outcomes = Promise.all([4, 0].map((action) => outcomeOf(pool.run(job(action), []))));
    clock.advance(30_000);
    expect(await outcomes).toEqual(['WorkerLost: It took too long.', '{"failed":"1"}']);
    await pool.close();
  });

  it('The pool of the audio workers measures the time limit of a job from its start, not from the previous job', async () => {
    const clock = new ManualClock();
    const pool = new WorkerPool(script, clock);
    await outcomeOf(pool.run(job(0), []));
    clock.advance(29_999);
    expect(await outcomeOf(pool.run(job(0), []))).toBe('{"failed":"2"}');
    await pool.close();
  });

  it('The pool of the audio workers terminates its worker after a minute without work, and starts another for the next file', async () => {
    const clock = new ManualClock();
    const pool = new WorkerPool(script, clock);
    await outcomeOf(pool.run(job(0), []));
    clock.advance(59_999);
    expect(await outcomeOf(pool.run(job(0), []))).toBe('{"failed":"2"}');
    clock.advance(60_000);
    expect(await outcomeOf(pool.run(job(0), []))).toBe('{"failed":"1"}');
    await pool.close();
  });

  it('The pool of the audio workers keeps a worker while it has work, however long the pause, and terminates it afterwards', async () => {
    const clock = new ManualClock();
    let isNeeded = true;
    const pool = new WorkerPool(script, clock, { isNeeded: () => isNeeded });
    await outcomeOf(pool.run(job(0), []));
    clock.advance(600_000);
    expect(await outcomeOf(pool.run(job(0), []))).toBe('{"failed":"2"}');
    isNeeded = false;
    clock.advance(60_000);
    expect(await outcomeOf(pool.run(job(0), []))).toBe('{"failed":"1"}');
    await pool.close();
  });

  it('The pool of the audio workers continues with other files while one hangs, and terminates that one after its time limit', async () => {
    const clock = new ManualClock();
    const pool = new WorkerPool(script, clock, { workers: 2 });
    const hangingJob = outcomeOf(pool.run(job(4), [], { longestMs: 20_000 }));
    const outcomes = [];
    for (let file = 0; file < 3; file++) outcomes.push(await outcomeOf(pool.run(job(0), [])));
    expect(outcomes).toEqual(['{"failed":"1"}', '{"failed":"2"}', '{"failed":"3"}']);
    clock.advance(20_000);
    expect(await hangingJob).toBe('WorkerLost: It took too long.');
    expect(await outcomeOf(pool.run(job(0), []))).toBe('{"failed":"4"}');
    await pool.close();
  });

  it('The pool of the audio workers immediately refuses files that exceed its queue', async () => {
    const pool = new WorkerPool(script, new ManualClock());
    const outcomes = Array.from({ length: 40 }, () => outcomeOf(pool.run(job(0), [])));
    expect((await Promise.all(outcomes)).filter((outcome) => outcome.includes('refusals.busy'))).toHaveLength(7);
    await pool.close();
  });

  it('The pool of the audio workers tells waiting and later callers that the bot is stopping', async () => {
    const pool = new WorkerPool(script, new ManualClock());
    const waiting = [4, 0].map((action) => outcomeOf(pool.run(job(action), [])));
    await pool.close();
    expect(await Promise.all([...waiting, outcomeOf(pool.run(job(0), []))])).toEqual(
      Array<string>(3).fill('Refusal: refusals.stopping'),
    );
  });
});
