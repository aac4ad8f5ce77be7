import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../src/lib/exact-json.ts';
import { readCost } from '../../../../src/services/gateway/read/cost.ts';

describe('The cost in a response', () => {
  it.each([
    ['{"quota": 250000}', '0.5'],
    ['{"quota": 15617.2839450617}', '0.0312345678901234'],
    ['{"quota": "1"}', '0.000002'],
    ['{"quota": 123456789012345678901234567890}', '246913578024691357802469.13578'],
    ['{"usage": {"cost": 0.00014}}', '0.00014'],
    ['{"usage": {"cost": 1.4e-7}}', '0.00000014'],
    ['{"usage": {"cost": 0}}', '0'],
    ['{"usage": {"total_cost": "0.10"}}', '0.1'],
    ['{"cost_usd": 0.02}', '0.02'],
    ['{"cost": 0.02, "currency": "usd"}', '0.02'],
    ['{"quota": 500000, "usage": {"cost": 3}}', '3'],
  ])('The cost in %s is read to the last digit, in dollars', (body, cost) => {
    expect(readCost(parseExact(body))).toBe(cost);
  });

  it.each([
    '{"cost": 0.02}',
    '{"total_cost": 0.02}',
    '{"price": 1}',
    '{"credits": 5}',
    '{"cost": 0.02, "currency": "CNY"}',
    '{"usage": {"cost": 0.02, "currency": "EUR"}}',
    '{"quota": 0}',
    '{"quota": -5}',
    '{"quota": null}',
    '{"quota": "NaN"}',
    '{"quota": "Infinity"}',
    '{"quota": "0x10"}',
    '{"quota": "1e999999999"}',
    '{"quota": {"used": 5}}',
    '{"quota": [5]}',
    '{"quota": true}',
    `{"quota": ${'9'.repeat(61)}}`,
    '{"data": {"quota": 5}}',
    'null',
    '[]',
    '"quota"',
  ])('The response %s contains no cost in dollars', (body) => {
    expect(readCost(parseExact(body))).toBeUndefined();
  });

  it('The cost is a short decimal or undefined, whatever the response contains', () => {
    const fieldNames = fc.constantFrom('quota', 'cost', 'cost_usd', 'currency', 'usage', 'total_cost');
    fc.assert(
      fc.property(fc.dictionary(fieldNames, fc.jsonValue()), (body) => {
        const cost = readCost(body) ?? '0';
        expect(cost).toMatch(/^\d+(\.\d+)?$/);
        expect(cost.length).toBeLessThanOrEqual(70);
      }),
    );
  });
});
