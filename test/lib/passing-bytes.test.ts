import { expect, test } from 'vitest';
import { PassingBytes } from '../../src/lib/passing-bytes.ts';

test('Young buffers are garbage-collected after every eight mebibytes, whatever the chunk size', () => {
  let collections = 0;
  const passing = new PassingBytes(() => collections++);
  for (let piece = 0; piece < 127; piece++) passing.count(64 * 1024);
  expect(collections).toBe(0);
  passing.count(64 * 1024);
  expect(collections).toBe(1);
  passing.count(7 * 2 ** 20);
  expect(collections).toBe(1);
  passing.count(20 * 2 ** 20);
  expect(collections).toBe(2);
});
