import { describe, expect, it } from 'vitest';
import { Rates } from '../../src/discord/rates.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { ManualClock } from '../support/manual-clock.ts';

function ratesOf(settings: ConstructorParameters<typeof Rates>[0]['settings']) {
  const clock = new ManualClock();
  const warned: string[] = [];
  return { clock, warned, rates: new Rates({ settings, clock, log: { warn: (_, text) => warned.push(text) } }) };
}

const ann = { userId: 'ann', guildId: 'den' };
const bob = { userId: 'bob', guildId: 'den' };
const allowed = (count: number, ask: () => unknown) =>
  Array.from({ length: count }, ask).filter((refusal) => refusal === undefined).length;

describe('Rates of requests', () => {
  it('A member beyond their rate is refused until a stated time, and other members are not affected', () => {
    const { rates, clock, warned } = ratesOf({ member: { atOnce: 2, perSecond: 1 } });
    expect(allowed(5, () => rates.refuseInteraction(ann))).toBe(2);
    const refusal = rates.refuseInteraction(ann);
    expect(refusal).toMatchObject({ key: 'refusals.tooFast', variables: { until: clock.now() / 1000 + 1 } });
    expect(rates.refuseInteraction(bob)).toBeUndefined();
    clock.advance(1_000);
    expect(rates.refuseInteraction(ann)).toBeUndefined();
    expect(warned).toHaveLength(1);
    clock.advance(60_000);
    allowed(5, () => rates.refuseInteraction(ann));
    expect(warned).toHaveLength(2);
  });

  it('A server’s rate is shared by its members, and a refused request does not count towards it', () => {
    const { rates } = ratesOf({ member: { atOnce: 2, perSecond: 1 }, server: { atOnce: 3, perSecond: 1 } });
    expect(allowed(50, () => rates.refuseInteraction(ann))).toBe(2);
    expect(allowed(50, () => rates.refuseInteraction(bob))).toBe(1);
    expect(rates.refuseInteraction({ userId: 'cem', guildId: 'lair' })).toBeUndefined();
    expect(rates.refuseInteraction({ userId: 'bob', guildId: undefined })).toBeUndefined();
  });

  it('Suggestions have a rate of their own', () => {
    const { rates } = ratesOf({ member: { atOnce: 1, perSecond: 1 } });
    expect(allowed(9, () => rates.refuseSuggestion(ann))).toBe(5);
    expect(rates.refuseInteraction(ann)).toBeUndefined();
  });

  it('Exports and new talks have a rate of their own, whatever the settings', () => {
    const { rates } = ratesOf({});
    expect(allowed(1_000, () => rates.refuseInteraction(ann))).toBe(1_000);
    for (let at = 0; at < 10; at++) rates.mustAllow('export', ann);
    expect(() => rates.mustAllow('export', ann)).toThrow(Refusal);
    expect(() => rates.mustAllow('talk', ann)).not.toThrow();
  });
});
