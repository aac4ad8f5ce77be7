import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson } from '../../src/lib/exact-json.ts';

describe('Formatted JSON', () => {
  it('Compact and indented JSON are formatted the way JSON.stringify would format them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const expected = JSON.stringify(value, null, 2);
        expect(formatJson(JSON.stringify(value), 1_000_000)).toBe(expected);
        expect(formatJson(JSON.stringify(value, null, 7), 1_000_000)).toBe(expected);
      }),
    );
  });

  it('Numbers are kept exactly as they were written', () => {
    expect(formatJson('[1.10,-0,1E400]', 100)).toBe('[\n  1.10,\n  -0,\n  1E400\n]');
  });

  it('JSON that would become too long is not formatted', () => {
    const deeplyNested = '['.repeat(5_000) + ']'.repeat(5_000);
    expect(formatJson(deeplyNested, 1_000_000)).toBeUndefined();
  });
});
