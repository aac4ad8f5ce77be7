import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../src/discord/rates.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { ManualClock } from '../support/manual-clock.ts';

function createRates(settings: ConstructorParameters<typeof RateLimiter>[0]['settings']) {
  const clock = new ManualClock();
  const warned: string[] = [];
  return { clock, warned, rates: new RateLimiter({ settings, clock, log: { warn: (_, text) => warned.push(text) } }) };
}

const ann = { userId: 'ann', guildId: 'den' };
const bob = { userId: 'bob', guildId: 'den' };
const countAllowed = (count: number, request: () => unknown) =>
  Array.from({ length: count }, request).filter((refusal) => refusal === undefined).length;

describe('The rate limits of requests', () => {
  it('A member who exceeds their rate limit is refused until a stated time, and other members are not affected', () => {
    const { rates, clock, warned } = createRates({ member: { atOnce: 2, perSecond: 1 } });
    expect(countAllowed(5, () => rates.refuseInteraction(ann))).toBe(2);
    const refusal = rates.refuseInteraction(ann);
    expect(refusal).toMatchObject({ key: 'refusals.tooFast', variables: { until: clock.now() / 1000 + 1 } });
    expect(rates.refuseInteraction(bob)).toBeUndefined();
    clock.advance(1_000);
    expect(rates.refuseInteraction(ann)).toBeUndefined();
    expect(warned).toHaveLength(1);
    clock.advance(60_000);
    countAllowed(5, () => rates.refuseInteraction(ann));
    expect(warned).toHaveLength(2);
  });

  it('A server’s rate limit is shared by its members, and a refused request does not count towards it', () => {
    const { rates } = createRates({ member: { atOnce: 2, perSecond: 1 }, server: { atOnce: 3, perSecond: 1 } });
    expect(countAllowed(50, () => rates.refuseInteraction(ann))).toBe(2);
    expect(countAllowed(50, () => rates.refuseInteraction(bob))).toBe(1);
    expect(rates.refuseInteraction({ userId: 'cem', guildId: 'lair' })).toBeUndefined();
    expect(rates.refuseInteraction({ userId: 'bob', guildId: undefined })).toBeUndefined();
  });

  it('Suggestions have a separate rate limit', () => {
    const { rates } = createRates({ member: { atOnce: 1, perSecond: 1 } });
    expect(countAllowed(9, () => rates.refuseSuggestion(ann))).toBe(5);
    expect(rates.refuseInteraction(ann)).toBeUndefined();
  });

  it('Exports and new live conversations have separate rate limits, regardless of the settings', () => {
    const { rates } = createRates({});
    expect(countAllowed(1_000, () => rates.refuseInteraction(ann))).toBe(1_000);
    for (let attempt = 0; attempt < 10; attempt++) rates.mustAllow('export', ann);
    expect(() => rates.mustAllow('export', ann)).toThrow(Refusal);
    expect(() => rates.mustAllow('talk', ann)).not.toThrow();
  });
});
