import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customId, readCustomId } from '../../src/discord/custom-id.ts';

describe('a custom id', () => {
  it('says again what was put into it, whatever that is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 4 }), (args) => {
        expect(readCustomId(customId('models', 3, ...args))).toEqual({ verb: 'models', version: 3, args });
      }),
    );
  });

  it('keeps the plain form that messages of today carry', () => {
    expect(customId('a', 1, '01k2', '3')).toBe('a.1.01k2.3');
  });

  it('is never longer than Discord takes', () => {
    expect(() => customId('a', 1, 'x'.repeat(100))).toThrow(RangeError);
  });

  it.each([
    '',
    'a',
    'a.',
    'a.0',
    'a.x',
    'A.1',
    'a.1.~',
    'a.1.~*',
    'a.1.b c',
    '../a.1',
    `a.1.${'x'.repeat(100)}`,
    'a.99999',
  ])('that is forged (%j) is none', (text) => {
    expect(readCustomId(text)).toBeUndefined();
  });

  it('that is any text at all is read or is none, and never breaks the reader', () => {
    fc.assert(fc.property(fc.string(), (text) => void readCustomId(text)));
  });
});
