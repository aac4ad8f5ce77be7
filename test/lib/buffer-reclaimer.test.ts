import { expect, test } from 'vitest';
import { BufferReclaimer } from '../../src/lib/buffer-reclaimer.ts';

test('Young buffers are garbage-collected after every eight mebibytes, regardless of the chunk size', () => {
  let collectionCount = 0;
  const reclaimer = new BufferReclaimer(() => collectionCount++);
  for (let piece = 0; piece < 127; piece++) reclaimer.count(64 * 1024);
  expect(collectionCount).toBe(0);
  reclaimer.count(64 * 1024);
  expect(collectionCount).toBe(1);
  reclaimer.count(7 * 2 ** 20);
  expect(collectionCount).toBe(1);
  reclaimer.count(20 * 2 ** 20);
  expect(collectionCount).toBe(2);
});
