import { expect, it } from 'vitest';
import { PCM_RATE } from '../../../src/lib/pcm.ts';
import { Recording } from '../../../src/services/talks/recording.ts';

it('puts the pieces of a sound together as they came', () => {
  const recording = new Recording();
  expect(recording.isEmpty).toBe(true);
  for (const piece of [[1, 2], [], [3]]) recording.add(Int16Array.from(piece));
  expect([...recording.whole()]).toEqual([1, 2, 3]);
  expect(recording.isEmpty).toBe(false);
  expect(recording.isCut).toBe(false);
});

it('keeps ten minutes of it, and says that more came', () => {
  const recording = new Recording();
  const minute = new Int16Array(60 * PCM_RATE);
  for (let count = 0; count < 9; count++) recording.add(minute);
  recording.add(minute.subarray(1));
  expect(recording.isCut).toBe(false);
  recording.add(Int16Array.from([7, 8]));
  recording.add(minute);
  expect(recording.isCut).toBe(true);
  expect(recording.whole()).toHaveLength(600 * PCM_RATE);
  expect(recording.whole().at(-1)).toBe(7);
});
