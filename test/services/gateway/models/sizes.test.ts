import { expect, it } from 'vitest';
import { largerSizes, sizeVariantOf } from '../../../../src/services/gateway/model-ids.ts';

const listedModels = ['lumen', 'lumen-2K', 'lumen-4K', 'maker/lumen-2K', 'small-4k'].map((id) => ({ id }));

it.each([
  ['lumen', ['2K', '4K']],
  ['lumen-2K', ['4K']],
  ['lumen-4K', []],
  ['maker/lumen', ['2K']],
  ['maker/lumen-2K', []],
  // Ids are compared exactly.
  ['small', []],
  ['LUMEN', []],
  ['', []],
] as const)('The larger variants of %j in the list are %j', (id, sizes) => {
  expect(largerSizes(id, listedModels)).toEqual(sizes);
});

it('A variant is only offered if it is larger', () => {
  expect(sizeVariantOf('lumen', '2K')).toBe('lumen-2K');
  expect(sizeVariantOf('lumen-2K', '4K')).toBe('lumen-4K');
  expect(sizeVariantOf('lumen-4K', '2K')).toBeUndefined();
  expect(sizeVariantOf('lumen-2K', '2K')).toBeUndefined();
});
