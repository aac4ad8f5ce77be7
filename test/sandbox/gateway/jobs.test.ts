import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationOf } from '../../../sandbox/gateway/durations.ts';
import { FileCache } from '../../../sandbox/gateway/file-cache.ts';
import type { Job } from '../../../sandbox/gateway/job.ts';
import { Pace } from '../../../sandbox/gateway/pace.ts';
import { randomOf } from '../../../sandbox/gateway/random.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { startTestGateway } from './bench.ts';

describe('The durations of jobs', () => {
  it('Durations have the median of their kind and a long tail, and depend only on the seed', () => {
    const jobSeconds = (seed: number) => {
      const random = randomOf(seed);
      return Array.from({ length: 500 }, () => durationOf('imagine', 'imgx-7', random)).map(
        ({ queued, running }) => (queued + running) / 1_000,
      );
    };
    const sortedSeconds = jobSeconds(3).sort((one, other) => one - other);
    expect(sortedSeconds[250]).toBeGreaterThan(28);
    expect(sortedSeconds[250]).toBeLessThan(52);
    expect((sortedSeconds[499] ?? 0) - (sortedSeconds[250] ?? 0)).toBeGreaterThan(
      (sortedSeconds[250] ?? 0) - (sortedSeconds[0] ?? 0),
    );
    expect(jobSeconds(3)).toEqual(jobSeconds(3));
    expect(jobSeconds(3)).not.toEqual(jobSeconds(4));
  });
});

describe('Jobs on the clock of the gateway', () => {
  it('A job applies a control action that arrives during a change', async () => {
    const { gateway, post, clock } = await startTestGateway();
    gateway.jobs.on('change', (job: Job) => {
      if (job.progress === 11) gateway.jobs.freeze(job.id);
    });
    const { json } = await post('/v1/images/generations/jobs', { model: 'lumen-image-1', prompt: 'a' });
    clock.advance(24 * 3_600_000);
    expect(gateway.jobs.get(json.id)).toMatchObject({ state: 'running', progress: 11 });
  });

  it('A job emits an event for each change of its state and of its progress', async () => {
    const { gateway, post, runToEnd } = await startTestGateway();
    const changes: string[] = [];
    gateway.jobs.on('change', (job: Job) => changes.push(`${job.state} ${job.progress}`));
    const { json } = await post('/v1/images/generations/jobs', { model: 'lumen-image-1', prompt: 'a' });
    await runToEnd(json.id);
    expect(changes).toEqual([
      'queued 0',
      'running 0',
      ...[11, 22, 33, 44, 56, 67, 78, 89].map((progress) => `running ${progress}`),
      'succeeded 100',
    ]);
  });

  it('A job at ten times the speed takes a tenth of the time', async () => {
    const jobMsAt = async (speed: number) => {
      const { gateway, post, runToEnd } = await startTestGateway({ speed, seed: 11 });
      const { json } = await post('/v1/images/generations/jobs', { model: 'lumen-image-1', prompt: 'a' });
      await runToEnd(json.id);
      const job = gateway.jobs.get(json.id);
      return (job?.finishedAt ?? 0) - (job?.createdAt ?? 0);
    };
    // Both durations are rounded to whole milliseconds.
    expect(Math.abs((await jobMsAt(1)) - (await jobMsAt(10)) * 10)).toBeLessThanOrEqual(20);
  });

  it('A running job continues at a new speed', async () => {
    const { gateway, post, clock } = await startTestGateway({ seed: 11 });
    const { json } = await post('/v1/images/generations/jobs', { model: 'lumen-image-1', prompt: 'a' });
    clock.advance(3_000);
    const runningJob = gateway.jobs.get(json.id);
    expect(runningJob?.state).toBe('running');
    gateway.setSpeed(1_000);
    expect(gateway.settings.speed).toBe(1_000);
    clock.advance(100);
    expect(gateway.jobs.get(json.id)?.state).toBe('succeeded');
    expect(() => gateway.setSpeed(0)).toThrow(RangeError);
  });

  it('The same seed and requests lead to the same jobs', async () => {
    const run = async () => {
      const { gateway, post, runToEnd } = await startTestGateway({ seed: 5 });
      const { json } = await post('/imgx/submit/imagine', { prompt: 'a' });
      await runToEnd(json.id);
      const { id, seed, finishedAt } = gateway.jobs.get(json.id) ?? {};
      return { id, seed, finishedAt };
    };
    expect(await run()).toEqual(await run());
  });

  it('Jobs stop once the gateway has been closed', async () => {
    const { gateway, post, clock } = await startTestGateway();
    const { json } = await post('/imgx/submit/imagine', { prompt: 'a' });
    await gateway.close();
    clock.advance(3_600_000);
    expect(gateway.jobs.get(json.id)?.state).toBe('queued');
  });
});

describe('The pace of the gateway', () => {
  it('A timer fires at the right time if the speed changes while it runs', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 50 })), { maxLength: 20 }),
        (intervals) => {
          const clock = new ManualClock();
          const pace = new Pace(clock, 1);
          let firedAt: number | undefined;
          pace.after(20_000, () => {
            firedAt = pace.elapsed();
          });
          for (const [ms, speed] of intervals) {
            clock.advance(ms);
            pace.setSpeed(speed);
          }
          clock.advance(20_000);
          expect(firedAt).toBeCloseTo(20_000, 1);
          expect(pace.clockTimeAt(pace.elapsed())).toBeCloseTo(clock.now(), 1);
        },
      ),
    );
  });
});

describe('The cache of files', () => {
  it('The cache removes the least recently used file', () => {
    const cache = new FileCache(10);
    const file = (size: number) => ({ bytes: Buffer.alloc(size), mime: 'x' });
    cache.put('a', file(4));
    cache.put('b', file(4));
    cache.get('a');
    cache.put('c', file(4));
    expect([cache.get('a'), cache.get('b'), cache.get('c')].map((one) => one !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
    cache.put('a', file(1));
    cache.put('d', file(5));
    expect(cache.get('c')).toBeDefined();
    cache.put('huge', file(99));
    expect(cache.get('huge')).toBeUndefined();
  });
});
