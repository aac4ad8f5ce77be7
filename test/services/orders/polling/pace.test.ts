import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pace, RateMeter } from '../../../../src/services/orders/polling/capacity.ts';
import type { Trouble } from '../../../../src/services/orders/polling/lane.ts';
import { createFixture, verdictForAll } from './fixture.ts';

const minute = 60_000;

describe('The pace', () => {
  it('The pace is the full allowance until the gateway complains, and then half of the recent rate', () => {
    const pace = new Pace();
    expect(pace.shareAt(0)).toBe(1);
    expect(pace.halve(0.4, 0)).toBe(true);
    expect(pace.shareAt(0)).toBe(0.2);
  });

  it('The pace rises evenly, recovers in twenty seconds, and continues up to the allowance', () => {
    const pace = new Pace();
    pace.halve(0.4, 0);
    expect([5_000, 10_000, 20_000].map((at) => pace.shareAt(at))).toEqual(
      [0.25, 0.3, 0.4].map((share) => expect.closeTo(share)),
    );
    expect(pace.shareAt(10 * minute)).toBe(1);
  });

  it('The pace counts the complaints of concurrent polls once', () => {
    const pace = new Pace();
    for (const at of [0, 100, 1_999]) pace.halve(0.4, at);
    expect(pace.shareAt(2_000)).toBeCloseTo(0.22);
    expect(pace.halve(0.22, 2_000)).toBe(true);
    expect(pace.shareAt(2_000)).toBeCloseTo(0.11);
  });

  it('The pace stays above zero and within the allowance after any events', () => {
    const complaints = fc.record({
      wait: fc.integer({ min: 0, max: 100_000 }),
      share: fc.double({ min: 0, max: 10, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(complaints), (events) => {
        const pace = new Pace();
        let now = 0;
        for (const { wait, share } of events) {
          now += wait;
          pace.halve(share, now);
          expect(pace.shareAt(now)).toBeGreaterThanOrEqual(0.01);
          expect(pace.shareAt(now)).toBeLessThanOrEqual(1);
        }
        expect(pace.shareAt(now + 20 * minute)).toBe(1);
      }),
    );
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
