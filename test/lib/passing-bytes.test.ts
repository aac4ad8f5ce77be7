import { expect, test } from 'vitest';
import { BufferReclaimer } from '../../src/lib/passing-bytes.ts';

test('Young buffers are garbage-collected after every eight mebibytes, whatever the chunk size', () => {
  let collections = 0;
  const byteCounter = new BufferReclaimer(() => collections++);
  for (let piece = 0; piece < 127; piece++) byteCounter.count(64 * 1024);
  expect(collections).toBe(0);
  byteCounter.count(64 * 1024);
  expect(collections).toBe(1);
  byteCounter.count(7 * 2 ** 20);
  expect(collections).toBe(1);
  byteCounter.count(20 * 2 ** 20);
  expect(collections).toBe(2);
});
