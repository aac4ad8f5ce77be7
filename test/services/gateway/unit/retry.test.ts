import { describe, expect, it } from 'vitest';
import {
  GatewayError,
  type GatewayErrorKind,
  parseRetryAfter,
  waitBeforeRetry,
} from '../../../../src/services/gateway/errors.ts';

const now = Date.UTC(2026, 0, 1);

describe('The Retry-After header', () => {
  it.each<[string, string | string[] | undefined, number | undefined]>([
    ['seconds', '7', 7_000],
    ['seconds with spaces', ' 7 ', 7_000],
    ['zero', '0', 0],
    ['a fraction', '1.5', 1_500],
    ['a future date', 'Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['a past date', 'Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['the first of several', ['3', '9'], 3_000],
    ['nothing', undefined, undefined],
    ['an empty string', '', undefined],
    ['an empty list', [], undefined],
    ['a word', 'soon', undefined],
    ['a unit', '5s', undefined],
    ['a negative number', '-5', undefined],
    ['text with a number', 'soon 5', undefined],
    ['a number out of range', '9'.repeat(400), undefined],
  ])('The Retry-After header is parsed if it is valid, and otherwise ignored: %s', (_what, header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});

const errorOf = (kind: GatewayErrorKind, retryAfterMs?: number): GatewayError =>
  new GatewayError('m', { kind, retryAfterMs });

describe('The retry of a failed read', () => {
  it.each(['rate-limited', 'unavailable', 'unreachable', 'malformed'] as const)(
    'The retry of a failed read waits longer each time, up to five seconds: %s',
    (kind) => {
      const maxWaits = [1, 2, 3, 4, 5, 20].map((attempt) => waitBeforeRetry(errorOf(kind), attempt, () => 1));
      expect(maxWaits).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
      expect(waitBeforeRetry(errorOf(kind), 3, () => 0.5)).toBe(1_000);
      expect(waitBeforeRetry(errorOf(kind), 3, () => 0)).toBe(0);
    },
  );

  it.each(['unauthorized', 'forbidden', 'quota', 'not-found', 'invalid', 'not-offered'] as const)(
    'A failed read is not retried if the response would not change: %s',
    (kind) => {
      expect(waitBeforeRetry(errorOf(kind), 1, () => 0.5)).toBeUndefined();
      expect(waitBeforeRetry(errorOf(kind, 1_000), 1, () => 0.5)).toBeUndefined();
    },
  );

  it('A retry of a failed read waits at least as long as the gateway asks', () => {
    expect(waitBeforeRetry(errorOf('rate-limited', 3_000), 1, () => 0)).toBe(3_000);
    expect(waitBeforeRetry(errorOf('rate-limited', 100), 1, () => 1)).toBe(500);
    expect(waitBeforeRetry(errorOf('rate-limited', 5_000), 1, () => 1)).toBe(5_000);
  });

  it('A failed read is not retried if the gateway asks for a longer wait than one call may take', () => {
    expect(waitBeforeRetry(errorOf('rate-limited', 5_001), 1, () => 0)).toBeUndefined();
    expect(waitBeforeRetry(errorOf('unavailable', 60_000), 1, () => 0)).toBeUndefined();
  });
});
