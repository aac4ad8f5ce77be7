import { describe, expect, it } from 'vitest';
import { Pressure } from '../../../../src/services/orders/polling/capacity.ts';
import { createFixture, verdictForAll } from './fixture.ts';

/** Applies the same load for the given time. */
function pressureAfter(
  seconds: number,
  load: { rate: number; allowed: number; queue: number },
  pressure = new Pressure(),
): Pressure {
  for (let at = 0; at <= seconds * 1_000; at += 100) pressure.update(load, at);
  return pressure;
}

describe('The poll pressure', () => {
  it('The poll pressure is 1 while the allowance is not used up', () => {
    expect(pressureAfter(600, { rate: 90, allowed: 100, queue: 0 }).value).toBe(1);
    expect(new Pressure().value).toBe(1);
  });

  it('The poll pressure grows while polls queue, up to a limit, and returns to 1 when the queue is gone', () => {
    const load = { rate: 100, allowed: 100, queue: 500 };
    const values = [1, 5, 20, 300].map((seconds) => pressureAfter(seconds, load).value);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values[0]).toBeLessThan(1.1);
    expect(values.at(-1)).toBeLessThanOrEqual(6);
    const relieved = pressureAfter(300, load);
    relieved.update({ rate: 50, allowed: 100, queue: 0 }, 600_000);
    expect(relieved.value).toBe(1);
  });

  it('The poll pressure grows if polls queue behind slow responses although more polls are allowed', () => {
    expect(pressureAfter(30, { rate: 20, allowed: 100, queue: 200 }).value).toBeGreaterThan(1.5);
  });

  it('The poll pressure reduces demand to the allowance, so tasks that follow it hardly queue', async () => {
    const { scheduler, lane, at, now, pass, polls } = createFixture({
      limits: { perSecond: 20, inFlight: 100 },
      random: Math.random,
    });
    const lateness: number[] = [];
    const dueTimes = new Map<string, number>();
    const testLane = lane('l', (ids) => {
      const next = now() + 4_000 * scheduler.pressure;
      for (const id of ids) {
        if (now() > 200_000) lateness.push(now() - (dueTimes.get(id) ?? now()));
        dueTimes.set(id, next);
      }
      return verdictForAll(ids, { again: at(next) });
    });
    for (let task = 0; task < 160; task += 1)
      scheduler.add({ id: `${task}`, lane: testLane, group: 'g', nextPollAt: at(task * 50) });
    scheduler.start();
    await pass(400_000);
    expect(scheduler.pressure).toBeGreaterThan(1.8);
    expect(scheduler.pressure).toBeLessThan(3);
    expect(polls.filter((poll) => poll.at > 200_000).length).toBeGreaterThan(0.85 * 20 * 200);
    const mean = lateness.reduce((sum, ms) => sum + ms, 0) / lateness.length;
    expect(mean).toBeLessThan(1_000);
  });
});
