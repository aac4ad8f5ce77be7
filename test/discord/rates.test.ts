import { describe, expect, it } from 'vitest';
import { RateLimiter, type RateSettings } from '../../src/discord/rates.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { ManualClock } from '../support/manual-clock.ts';

const ignore = (): void => undefined;

function createRateLimiter(settings: RateSettings) {
  const clock = new ManualClock();
  const warnings: string[] = [];
  return {
    clock,
    warned: warnings,
    rateLimiter: new RateLimiter(settings, clock, {
      info: ignore,
      warn: (_, text) => warnings.push(text),
      error: ignore,
    }),
  };
}

const ann = { userId: 'ann', guildId: 'den' };
const bob = { userId: 'bob', guildId: 'den' };
const countAllowed = (count: number, request: () => unknown) =>
  Array.from({ length: count }, request).filter((refusal) => refusal === undefined).length;

describe('The rate limits of requests', () => {
  it('A member who exceeds their rate limit is refused until a stated time, and other members are not affected', () => {
    const { rateLimiter, clock, warned: warnings } = createRateLimiter({ member: { atOnce: 2, perSecond: 1 } });
    expect(countAllowed(5, () => rateLimiter.refuseInteraction(ann))).toBe(2);
    const refusal = rateLimiter.refuseInteraction(ann);
    expect(refusal).toMatchObject({ key: 'refusals.tooFast', variables: { until: clock.now() / 1000 + 1 } });
    expect(rateLimiter.refuseInteraction(bob)).toBeUndefined();
    clock.advance(1_000);
    expect(rateLimiter.refuseInteraction(ann)).toBeUndefined();
    expect(warnings).toHaveLength(1);
    clock.advance(60_000);
    countAllowed(5, () => rateLimiter.refuseInteraction(ann));
    expect(warnings).toHaveLength(2);
  });

  it('A server’s rate limit is shared by its members, and a refused request does not count towards it', () => {
    const { rateLimiter } = createRateLimiter({
      member: { atOnce: 2, perSecond: 1 },
      server: { atOnce: 3, perSecond: 1 },
    });
    expect(countAllowed(50, () => rateLimiter.refuseInteraction(ann))).toBe(2);
    expect(countAllowed(50, () => rateLimiter.refuseInteraction(bob))).toBe(1);
    expect(rateLimiter.refuseInteraction({ userId: 'cem', guildId: 'lair' })).toBeUndefined();
    expect(rateLimiter.refuseInteraction({ userId: 'bob', guildId: undefined })).toBeUndefined();
  });

  it('Suggestions have a separate rate limit', () => {
    const { rateLimiter } = createRateLimiter({ member: { atOnce: 1, perSecond: 1 } });
    expect(countAllowed(9, () => rateLimiter.refuseSuggestion(ann))).toBe(5);
    expect(rateLimiter.refuseInteraction(ann)).toBeUndefined();
  });

  it('Exports and new live conversations have separate rate limits, regardless of the settings', () => {
    const { rateLimiter } = createRateLimiter({});
    expect(countAllowed(1_000, () => rateLimiter.refuseInteraction(ann))).toBe(1_000);
    for (let attempt = 0; attempt < 10; attempt++) rateLimiter.assertAllowed('export', ann);
    expect(() => rateLimiter.assertAllowed('export', ann)).toThrow(Refusal);
    expect(() => rateLimiter.assertAllowed('talk', ann)).not.toThrow();
  });

  it('In one channel, 30 messages are answered at once, and then six a minute', () => {
    const { rateLimiter, clock } = createRateLimiter({});
    const isRefused = (): true | undefined => (rateLimiter.allowsMessageIn('studio') ? undefined : true);
    expect(countAllowed(100, isRefused)).toBe(30);
    clock.advance(60_000);
    expect(countAllowed(100, isRefused)).toBe(6);
    expect(rateLimiter.allowsMessageIn('hall')).toBe(true);
  });
});
