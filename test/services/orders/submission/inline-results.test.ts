import { expect, it } from 'vitest';
import type { Snapshot } from '../../../../src/services/gateway/snapshot.ts';
import { InlineResults } from '../../../../src/services/orders/submission/inline-results.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MIB = 2 ** 20;
const snapshot = (length: number, state: Snapshot['state'] = 'succeeded'): Snapshot =>
  ({ state, media: [{ kind: 'image', base64: 'A'.repeat(length) }] }) as unknown as Snapshot;

it('A result within a response is kept until it has been shown once', () => {
  const results = new InlineResults(new ManualClock());
  const one = snapshot(10);
  results.keep('a', one);
  expect(results.take('a')).toBe(one);
  expect(results.take('a')).toBeUndefined();
});

it('Neither a result that is a URL nor a preview of a running task is kept', () => {
  const results = new InlineResults(new ManualClock());
  results.keep('a', snapshot(0));
  results.keep('b', snapshot(10, 'running'));
  expect([results.take('a'), results.take('b')]).toEqual([undefined, undefined]);
});

it('A result that is not shown within a minute is dropped', () => {
  const clock = new ManualClock();
  const results = new InlineResults(clock);
  results.keep('a', snapshot(10));
  clock.advance(60_000);
  expect(results.take('a')).toBeUndefined();
});

it('All kept results together take at most 16 MiB, which are freed once they are shown', () => {
  const results = new InlineResults(new ManualClock());
  results.keep('a', snapshot(10 * MIB));
  results.keep('b', snapshot(10 * MIB));
  expect(results.take('b')).toBeUndefined();
  results.take('a');
  results.keep('b', snapshot(16 * MIB));
  expect(results.take('b')).toBeDefined();
});

it('No timer is left once the kept results are cleared', () => {
  const cancelled: number[] = [];
  const results = new InlineResults({ now: () => 0, after: (ms) => () => void cancelled.push(ms) });
  results.keep('a', snapshot(10));
  results.clear();
  expect(results.take('a')).toBeUndefined();
  expect(cancelled).toEqual([60_000]);
});
