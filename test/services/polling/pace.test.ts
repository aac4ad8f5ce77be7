import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Latency, Pace, RateMeter } from '../../../src/services/polling/pace.ts';
import type { Trouble } from '../../../src/services/polling/scheduler.ts';
import { createFixture, verdictForAll } from './fixture.ts';

const minute = 60_000;

describe('The pace', () => {
  it('The pace is the full allowance until the gateway complains, and then half of the recent rate', () => {
    const pace = new Pace(100);
    expect(pace.rateAt(0)).toBe(100);
    expect(pace.slowDown('complaint', 40, 0)).toBe(true);
    expect(pace.rateAt(0)).toBe(20);
  });

  it('The pace drops by less if responses only become slow', () => {
    const pace = new Pace(100);
    pace.slowDown('slowness', 100, 0);
    expect(pace.rateAt(0)).toBe(70);
  });

  it('The pace rises evenly, recovers in twenty seconds, and continues up to the allowance', () => {
    const pace = new Pace(100);
    pace.slowDown('complaint', 40, 0);
    expect([5_000, 10_000, 20_000].map((at) => pace.rateAt(at))).toEqual([25, 30, 40]);
    expect(pace.rateAt(10 * minute)).toBe(100);
  });

  it('The pace counts the complaints of concurrent polls once', () => {
    const pace = new Pace(100);
    for (const at of [0, 100, 1_999]) pace.slowDown('complaint', 40, at);
    expect(pace.rateAt(2_000)).toBeCloseTo(22);
    expect(pace.slowDown('complaint', 22, 2_000)).toBe(true);
    expect(pace.rateAt(2_000)).toBeCloseTo(11);
  });

  it('The pace stays above zero and within the allowance after any events', () => {
    const slowdowns = fc.record({
      wait: fc.integer({ min: 0, max: 100_000 }),
      rate: fc.double({ min: 0, max: 1_000, noNaN: true }),
      reason: fc.constantFrom('complaint' as const, 'slowness' as const),
    });
    fc.assert(
      fc.property(fc.array(slowdowns), fc.integer({ min: 1, max: 1_000 }), (events, perSecond) => {
        const pace = new Pace(perSecond);
        let now = 0;
        for (const { wait, rate, reason } of events) {
          now += wait;
          pace.slowDown(reason, rate, now);
          expect(pace.rateAt(now)).toBeGreaterThanOrEqual(0.01 * perSecond);
          expect(pace.rateAt(now)).toBeLessThanOrEqual(perSecond);
        }
        expect(pace.rateAt(now + 20 * minute)).toBe(perSecond);
      }),
    );
  });
});

describe('The latency of a lane', () => {
  const reportCount = (latency: Latency, ms: number, times: number): number =>
    Array.from({ length: times }, () => latency.recordLatency(ms)).filter(Boolean).length;

  it('The latency of a lane is high when several responses are slow, and is reported once until there is enough new evidence', () => {
    const latency = new Latency();
    expect(reportCount(latency, 200, 100)).toBe(0);
    expect(reportCount(latency, 3_000, 1)).toBe(0);
    expect(reportCount(latency, 200, 20)).toBe(0);
    expect(reportCount(latency, 3_000, 5)).toBe(1);
    expect(reportCount(latency, 200, 100)).toBe(0);
  });

  it('The latency of a lane is ignored before the normal latency is known, and whenever it is short', () => {
    expect(reportCount(new Latency(), 9_000, 49)).toBe(0);
    const fastLatency = new Latency();
    expect(reportCount(fastLatency, 5, 100) + reportCount(fastLatency, 900, 100)).toBe(0);
  });
});

describe('The rate meter', () => {
  it('The rate meter reports the recent number of events per second', () => {
    const meter = new RateMeter();
    expect(meter.rate(0)).toBe(0);
    for (let at = 0; at < 10_000; at += 20) meter.count(at);
    expect(meter.rate(10_000)).toBeGreaterThan(48);
    expect(meter.rate(10_000)).toBeLessThan(52);
    expect(meter.rate(20_000)).toBeLessThan(0.01);
  });
});

describe('A gateway that accepts a limited number of polls per second', () => {
  /** Polls tasks every two seconds, at a gateway that accepts a limited number of polls per second. */
  async function pollGateway(limit: number, tasks: number, ms: number) {
    const setup = createFixture({ limits: { perSecond: 100, inFlight: 50 } });
    const { scheduler, lane, at, now, pass, polls } = setup;
    let received: number[] = [];
    const refused: number[] = [];
    const testLane = lane('l', (ids): ReturnType<typeof verdictForAll> | Trouble => {
      received = received.filter((moment) => moment > now() - 1_000);
      if (received.length >= limit) {
        refused.push(now());
        return { kind: 'busy', reason: 'Slow down.', retryAfterMs: 1_000 };
      }
      received.push(now());
      return verdictForAll(ids, { again: at(now() + 2_000) });
    });
    for (let task = 0; task < tasks; task += 1)
      scheduler.add({ id: `${task}`, lane: testLane, group: 'g', nextPollAt: at(0) });
    scheduler.start();
    await pass(ms);
    return { ...setup, refused, acceptedCount: polls.length - refused.length };
  }

  it('A gateway with a poll limit refuses few polls once the pace has settled, and most of its limit is used', async () => {
    const { refused, acceptedCount, lines } = await pollGateway(20, 100, 300_000);
    expect(refused.filter((at) => at > 60_000).length).toBeLessThan(20);
    expect(acceptedCount).toBeGreaterThan(0.5 * 20 * 300);
    expect(lines.some(({ message }) => message.includes('polling rate was reduced'))).toBe(true);
  });

  it('A gateway that accepts all polls does not slow the pace down', async () => {
    const { refused, lines } = await pollGateway(1_000, 100, 60_000);
    expect(refused).toEqual([]);
    expect(lines).toEqual([]);
  });
});
