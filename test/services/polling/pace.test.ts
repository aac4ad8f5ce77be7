import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Latency, Pace, RateMeter } from '../../../src/services/polling/pace.ts';
import type { Trouble } from '../../../src/services/polling/scheduler.ts';
import { all, stage } from './stage.ts';

const minute = 60_000;

describe('The pace', () => {
  it('The pace is the full allowance until the gateway complains, and then half of the recent rate', () => {
    const pace = new Pace(100);
    expect(pace.at(0)).toBe(100);
    expect(pace.slowDown('complaint', 40, 0)).toBe(true);
    expect(pace.at(0)).toBe(20);
  });

  it('The pace drops by less if responses only become slow', () => {
    const pace = new Pace(100);
    pace.slowDown('slowness', 100, 0);
    expect(pace.at(0)).toBe(70);
  });

  it('The pace rises evenly, recovers in twenty seconds, and continues up to the allowance', () => {
    const pace = new Pace(100);
    pace.slowDown('complaint', 40, 0);
    expect([5_000, 10_000, 20_000].map((at) => pace.at(at))).toEqual([25, 30, 40]);
    expect(pace.at(10 * minute)).toBe(100);
  });

  it('The pace counts the complaints of concurrent polls once', () => {
    const pace = new Pace(100);
    for (const at of [0, 100, 1_999]) pace.slowDown('complaint', 40, at);
    expect(pace.at(2_000)).toBeCloseTo(22);
    expect(pace.slowDown('complaint', 22, 2_000)).toBe(true);
    expect(pace.at(2_000)).toBeCloseTo(11);
  });

  it('The pace stays above zero and within the allowance after any events', () => {
    const falls = fc.record({
      wait: fc.integer({ min: 0, max: 100_000 }),
      rate: fc.double({ min: 0, max: 1_000, noNaN: true }),
      why: fc.constantFrom('complaint' as const, 'slowness' as const),
    });
    fc.assert(
      fc.property(fc.array(falls), fc.integer({ min: 1, max: 1_000 }), (events, perSecond) => {
        const pace = new Pace(perSecond);
        let now = 0;
        for (const { wait, rate, why } of events) {
          now += wait;
          pace.slowDown(why, rate, now);
          expect(pace.at(now)).toBeGreaterThanOrEqual(0.01 * perSecond);
          expect(pace.at(now)).toBeLessThanOrEqual(perSecond);
        }
        expect(pace.at(now + 20 * minute)).toBe(perSecond);
      }),
    );
  });
});

describe('The latency of a lane', () => {
  const told = (latency: Latency, ms: number, times: number): number =>
    Array.from({ length: times }, () => latency.noteLatency(ms)).filter(Boolean).length;

  it('The latency of a lane is high when several responses are slow, and is reported once until there is enough new evidence', () => {
    const latency = new Latency();
    expect(told(latency, 200, 100)).toBe(0);
    expect(told(latency, 3_000, 1)).toBe(0);
    expect(told(latency, 200, 20)).toBe(0);
    expect(told(latency, 3_000, 5)).toBe(1);
    expect(told(latency, 200, 100)).toBe(0);
  });

  it('The latency of a lane is ignored before the normal latency is known, and whenever it is short', () => {
    expect(told(new Latency(), 9_000, 49)).toBe(0);
    const quick = new Latency();
    expect(told(quick, 5, 100) + told(quick, 900, 100)).toBe(0);
  });
});

describe('The rate meter', () => {
  it('The rate meter reports the recent number per second', () => {
    const meter = new RateMeter();
    expect(meter.rate(0)).toBe(0);
    for (let at = 0; at < 10_000; at += 20) meter.count(at);
    expect(meter.rate(10_000)).toBeGreaterThan(48);
    expect(meter.rate(10_000)).toBeLessThan(52);
    expect(meter.rate(20_000)).toBeLessThan(0.01);
  });
});

describe('A gateway that accepts a limited number of polls per second', () => {
  /** Tasks polled every two seconds, at a gateway that counts the polls. */
  async function against(takes: number, tasks: number, ms: number) {
    const set = stage({ limits: { perSecond: 100, inFlight: 50 } });
    const { scheduler, lane, at, now, pass, questions } = set;
    let received: number[] = [];
    const refused: number[] = [];
    const road = lane('l', (ids): ReturnType<typeof all> | Trouble => {
      received = received.filter((moment) => moment > now() - 1_000);
      if (received.length >= takes) {
        refused.push(now());
        return { kind: 'busy', reason: 'Slow down.', retryAfterMs: 1_000 };
      }
      received.push(now());
      return all(ids, { again: at(now() + 2_000) });
    });
    for (let task = 0; task < tasks; task += 1) scheduler.add({ id: `${task}`, lane: road, group: 'g', at: at(0) });
    scheduler.start();
    await pass(ms);
    return { ...set, refused, taken: questions.length - refused.length };
  }

  it('A gateway with a poll limit refuses few polls once the pace is found, and most of its limit is used', async () => {
    const { refused, taken, lines } = await against(20, 100, 300_000);
    expect(refused.filter((at) => at > 60_000).length).toBeLessThan(20);
    expect(taken).toBeGreaterThan(0.5 * 20 * 300);
    expect(lines.some(({ sentence }) => sentence.includes('polling rate was reduced'))).toBe(true);
  });

  it('A gateway that accepts all polls does not slow the pace down', async () => {
    const { refused, lines } = await against(1_000, 100, 60_000);
    expect(refused).toEqual([]);
    expect(lines).toEqual([]);
  });
});
