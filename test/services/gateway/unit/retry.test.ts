import { describe, expect, it } from 'vitest';
import {
  GatewayError,
  type GatewayErrorKind,
  parseRetryAfter,
  waitBeforeRetry,
} from '../../../../src/services/gateway/errors.ts';

const now = Date.UTC(2026, 0, 1);

describe('Retry-After', () => {
  it.each<[string, string | string[] | undefined, number | undefined]>([
    ['seconds', '7', 7_000],
    ['seconds with blanks', ' 7 ', 7_000],
    ['zero', '0', 0],
    ['a fraction', '1.5', 1_500],
    ['a date to come', 'Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['a date gone by', 'Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['the first of several', ['3', '9'], 3_000],
    ['nothing', undefined, undefined],
    ['an empty text', '', undefined],
    ['an empty list', [], undefined],
    ['a word', 'soon', undefined],
    ['a unit', '5s', undefined],
    ['less than nothing', '-5', undefined],
    ['words with a number', 'soon 5', undefined],
    ['more than any number', '9'.repeat(400), undefined],
  ])('Retry-After as %s', (_what, header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});

const failed = (kind: GatewayErrorKind, retryAfterMs?: number): GatewayError =>
  new GatewayError('m', { kind, retryAfterMs });

describe('a read that failed', () => {
  it.each(['rate-limited', 'unavailable', 'unreachable', 'malformed'] as const)(
    'A read that failed is tried again after a wait that grows, up to five seconds: %s',
    (kind) => {
      const longest = [1, 2, 3, 4, 5, 20].map((attempt) => waitBeforeRetry(failed(kind), attempt, () => 1));
      expect(longest).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
      expect(waitBeforeRetry(failed(kind), 3, () => 0.5)).toBe(1_000);
      expect(waitBeforeRetry(failed(kind), 3, () => 0)).toBe(0);
    },
  );

  it.each(['unauthorized', 'forbidden', 'quota', 'not-found', 'invalid', 'not-offered'] as const)(
    'A read that failed is not tried again where the answer will not change: %s',
    (kind) => {
      expect(waitBeforeRetry(failed(kind), 1, () => 0.5)).toBeUndefined();
      expect(waitBeforeRetry(failed(kind, 1_000), 1, () => 0.5)).toBeUndefined();
    },
  );

  it('A read that failed waits at least as long as the gateway asks', () => {
    expect(waitBeforeRetry(failed('rate-limited', 3_000), 1, () => 0)).toBe(3_000);
    expect(waitBeforeRetry(failed('rate-limited', 100), 1, () => 1)).toBe(500);
    expect(waitBeforeRetry(failed('rate-limited', 5_000), 1, () => 1)).toBe(5_000);
  });

  it('A read that failed is left to its caller where the gateway asks for more wait limit than one call has', () => {
    expect(waitBeforeRetry(failed('rate-limited', 5_001), 1, () => 0)).toBeUndefined();
    expect(waitBeforeRetry(failed('unavailable', 60_000), 1, () => 0)).toBeUndefined();
  });
});
