import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/lib/decimals.ts';
import { maxTokens, measuresOf } from '../../../src/services/money/measures.ts';
import { costOf, type Price } from '../../../src/services/money/price.ts';

const longPrice = '0.123456789012345678901234567890123456789';

describe('The cost of a job based on its price', () => {
  it.each<[string, Price, Parameters<typeof measuresOf>[0], string | undefined]>([
    ['a price per job', { each: longPrice }, {}, longPrice],
    ['a price with trailing zeros', { each: '1.00' }, {}, '1.00'],
    ['a price per image', { each: '0.03' }, { metadata: { n: 4 } } as object, '0.12'],
    ['a price per second', { perSecond: '0.0089285714285714' }, { duration: '4.5' } as object, '0.0401785714285713'],
    ['a default length', { perSecond: '0.01', usualSeconds: '5' }, {}, '0.05'],
    ['no known length', { perSecond: '0.01' }, {}, undefined],
    ['a length that is not a number', { perSecond: '0.01' }, { duration: 'long' } as object, undefined],
    ['a base price and a price per second', { each: '0.1', perSecond: '0.01' }, { duration: 3 } as object, '0.13'],
    ['a mode', { each: '0.02', times: { mode: { pro: '2' } } }, { mode: 'PRO' } as object, '0.04'],
    ['a mode that is not listed', { each: '0.02', times: { mode: { pro: '2' } } }, { mode: 'std' } as object, '0.02'],
    [
      'several factors',
      { each: '0.02', times: { resolution: { '1080p': '1.5' }, sound: { on: '2', off: '1' }, size: { '1x1': '9' } } },
      { resolution: '1080p', metadata: { generate_audio: true } } as object,
      '0.06',
    ],
    [
      'sound that is off',
      { each: '1', times: { sound: { on: '2', off: '0.5' } } },
      { extra: { sound: 'false' } } as object,
      '0.5',
    ],
    [
      'flags of a prompt',
      { each: '1', times: { mode: { turbo: '2' }, quality: { '2': '3' } } },
      { prompt: 'a --q 2 --turbo' },
      '6',
    ],
    [
      'flag-like text for a model',
      { each: '1', times: { mode: { turbo: '2' } } },
      { prompt: 'a --turbo', model: 'm' },
      '1',
    ],
    [
      'several numbers, of which the largest counts',
      { each: '1' },
      { metadata: { n: 2, batch_size: 'x' }, extra: { n: 1, num_images: '8', nested: [{ count: 3 }] } } as object,
      '8',
    ],
    [
      'a number in nested fields and several in a prompt',
      { each: '1' },
      { prompt: 'a —r=5 --repeat 2', metadata: { parameters: { n: 4 } } } as object,
      '5',
    ],
    [
      'several lengths and modes, of which the most expensive count',
      { perSecond: '0.1', times: { mode: { pro: '2', eco: '0.5' } } },
      { duration: 5, mode: 'eco', metadata: { seconds: '20', mode: 'pro' } } as object,
      '4',
    ],
    ['an unknown number of tokens', { perMillion: { input: '1', output: '1' } }, {}, undefined],
  ])('The cost based on %s is exact, or unknown', (_name, price, request, cost) => {
    expect(costOf(price, measuresOf(request), undefined)).toBe(cost);
  });

  const perMillion = { input: '1.25', output: '10', cachedInput: '0.125', audioInput: '32', audioOutput: '64' };

  it.each([
    [{ input: 1_000, output: 500 }, '0.00625'],
    [{ input: 1_000, output: 500, cached: 400 }, '0.0058'],
    [{ input: 1_000, output: 500, audioInput: 1_000, audioOutput: 500 }, '0.064'],
    [{ input: 1_000 }, undefined],
    [{ output: 1 }, undefined],
    [{ input: 10, output: 1, cached: 11 }, undefined],
    [{ input: 10, output: 1, audioOutput: 2 }, undefined],
    // It is unknown whether the cached tokens are text or audio.
    [{ input: 10, output: 1, cached: 5, audioInput: 5 }, undefined],
  ])('The cost of the tokens %j is %s', (tokens, cost) => {
    expect(costOf({ perMillion }, { count: 1 }, tokens)).toBe(cost);
  });

  it('Cached audio has the price of audio if cached tokens cost the same', () => {
    const price = { perMillion: { input: '1', output: '1', audioInput: '2' } };
    const tokens = { input: 300, output: 0, cached: 200, audioInput: 250 };
    expect(costOf(price, { count: 1 }, tokens)).toBe('0.00055');
  });

  it('The cost of audio is unknown without a price for it', () => {
    const price = { perMillion: { input: '1', output: '1' } };
    expect(costOf(price, { count: 1 }, { input: 5, output: 5, audioInput: 1 })).toBeUndefined();
    expect(costOf(price, { count: 1 }, { input: 5, output: 5, audioInput: 0 })).toBe('0.00001');
  });

  it('The estimated tokens of an answer grow with what is sent, and are never fewer than the bytes of the question', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (prompt) => {
        const { input = 0, output = 0 } = maxTokens({ prompt });
        expect(input).toBeGreaterThanOrEqual(Buffer.byteLength(prompt));
        expect(output).toBe(4_000);
        const withImage = maxTokens({ prompt, pictures: [{ address: 'https://a.example/1.png', name: '1' }] });
        expect(withImage.input).toBe(input + 2_000);
        expect(maxTokens({ prompt, after: 'an earlier answer' } as object).input).toBe(input + 20_000);
      }),
    );
  });

  it('The measures of any request are short and within limits, whatever a member typed', () => {
    const value = fc.oneof(fc.string({ maxLength: 200 }), fc.double(), fc.boolean(), fc.constant(null), fc.object());
    const names = ['duration', 'size', 'resolution', 'quality', 'mode', 'n', 'count', 'sound', 'seconds'];
    const fields = fc.dictionary(fc.constantFrom(...names), value);
    fc.assert(
      fc.property(fields, fields, fields, (ownFields, metadata, extra) => {
        const { count, seconds = '1', ...labels } = measuresOf({ ...ownFields, metadata, extra } as object);
        expect(count).toBeGreaterThanOrEqual(1);
        expect(compare(seconds, '1000000')).toBe(-1);
        for (const label of Object.values(labels).flat()) expect(label.length).toBeLessThanOrEqual(40);
      }),
    );
  });
});
