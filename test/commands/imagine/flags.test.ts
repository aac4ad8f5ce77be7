import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FlagValues,
  flagsFor,
  flagValueRefusal,
  negativeFlagRefusal,
} from '../../../src/commands/imagine/flags.ts';
import { imagineRequest } from '../../../src/commands/imagine/request.ts';
import { Refusal } from '../../../src/lib/refusal.ts';

/** The flag of each option, and the flags that a member can type instead. */
const table: { values: FlagValues; written: string; typed: string[] }[] = [
  { values: { aspect: '16:9' }, written: '--ar 16:9', typed: ['--ar 1:1', '--aspect 1:1', '—ar 1:1', '--ar=1:1'] },
  { values: { version: '6.1' }, written: '--v 6.1', typed: ['--v 7', '--version 7', '--niji 6', '--v7'] },
  { values: { version: 'niji 7' }, written: '--niji 7', typed: ['--v 7', '—niji 6', '--niji'] },
  { values: { style: 'raw' }, written: '--style raw', typed: ['--style cute', '–style 4a'] },
  { values: { quality: '0.5' }, written: '--quality 0.5', typed: ['--q 2', '--quality 2', '--Q 2', '--q2'] },
  { values: { stylize: 0 }, written: '--stylize 0', typed: ['--s 50', '--stylize 50', '—s 50'] },
  { values: { chaos: 100 }, written: '--chaos 100', typed: ['--c 1', '--chaos 1', '--CHAOS 1', '--chaos {1, 2}'] },
  { values: { weird: 250 }, written: '--weird 250', typed: ['--w 1', '--weird 1'] },
  { values: { weight: 0.25 }, written: '--iw 0.25', typed: ['--iw 2', '—iw .5'] },
  { values: { seed: 4_294_967_295 }, written: '--seed 4294967295', typed: ['--seed 1', '--seed:1'] },
  { values: { tile: true }, written: '--tile', typed: ['--tile', '—tile,'] },
  { values: { negative: ' people,\n text ' }, written: '--no people, text', typed: ['--no cars', '—no cars'] },
];

describe('An /imagine option', () => {
  it.each(table)('An option is written as $written', ({ values, written }) => {
    expect(flagsFor('a fox', values)).toEqual([written]);
  });

  it.each(table.flatMap(({ values, typed }) => typed.map((flag) => [flag, values] as const)))(
    'A typed flag %s takes precedence over the option',
    (flag, values) => {
      expect(flagsFor(flag, values)).toEqual([]);
      expect(flagsFor(`a fox ${flag} --fast`, values)).toEqual([]);
    },
  );

  it.each([
    'a well--argued case',
    'a fox—no wolf',
    'https://files.example/--ar/a--ar.png',
    'a fox — ar 16:9',
    '--arrow',
    '--no-one',
    'ar 16:9',
    '-ar 16:9',
  ])('An option still adds its flag if the prompt contains "%s", which is not that flag', (words) => {
    expect(flagsFor(words, { aspect: '1:1', negative: 'text' })).toEqual(['--ar 1:1', '--no text']);
  });

  it('An option without a value adds no flag', () => {
    expect(flagsFor('a fox', { tile: false, negative: ' \n ', seed: undefined })).toEqual([]);
  });
});

describe('The check of the values of typed flags', () => {
  it.each([
    ['--chaos 101', '--chaos'],
    ['--c -1', '--c'],
    ['—s 1000.5', '--s'],
    ['--weird=3001', '--weird'],
    ['--iw 4', '--iw'],
    ['--seed 4294967296', '--seed'],
    ['--seed 99999999999999999999999999', '--seed'],
    ['--chaos 5 --chaos 500', '--chaos'],
    ['--stylize abc', '--stylize'],
    ['--quality 9', '--quality'],
    ['--q 0', '--q'],
    ['--seed', '--seed'],
    ['--chaos --tile', '--chaos'],
    ['--ar 16:x', '--ar'],
    ['--ar 0:5', '--ar'],
    ['—aspect=16', '--aspect'],
    ['--v 99', '--v'],
    ['--v', '--v'],
    ['--niji 60', '--niji'],
    ['--zoom 9', '--zoom'],
    ['--zoom .5', '--zoom'],
    ['--no', '--no'],
    ['--no --tile', '--no'],
    ['--style', '--style'],
  ])('The check of flags refuses %s', (words, flag) => {
    expect(flagValueRefusal(`a fox ${words}`)?.variables).toMatchObject({ flag });
  });

  it.each([
    '--chaos 0 --stylize 1000 --weird 3000 --iw .5 --seed 4294967295',
    '--chaos {10, 500}',
    '--ar {1:1, 16:9}',
    '--ar 1.5:1, --q .25 --s50',
    'a fox —c’est beau',
    '--stop 500 --v 8 --niji',
    '--version 5.2 --niji 4 --style raw --no dogs --zoom 1.4',
    'chaos 500',
  ])('The check of flags accepts %s', (words) => {
    expect(flagValueRefusal(words)).toBeUndefined();
  });
});

it('An excluded term must not contain flags', () => {
  expect(negativeFlagRefusal({ negative: 'people --ar 1:1' })?.variables).toEqual({ flag: '--ar' });
  expect(negativeFlagRefusal({ negative: '—no people' })?.variables).toEqual({ flag: '--no' });
  expect(negativeFlagRefusal({ negative: 'well-lit people, half—timbered houses' })).toBeUndefined();
  expect(negativeFlagRefusal({})).toBeUndefined();
});

const groups = table.map(({ typed }) => [...new Set(typed.map((flag) => /\p{L}+/u.exec(flag)?.[0].toLowerCase()))]);
const names = (flags: readonly string[]) => flags.map((flag) => /^--(\p{L}+)/u.exec(flag)?.[1]);
const requests = fc.record<Required<FlagValues>, never>(
  {
    aspect: fc.constantFrom('1:1', '16:9'),
    style: fc.constantFrom('raw', 'cute'),
    quality: fc.constantFrom('1', '0.5'),
    version: fc.constantFrom('7', 'niji 7'),
    stylize: fc.integer({ min: 0, max: 1_000 }),
    chaos: fc.integer({ min: 0, max: 100 }),
    weird: fc.integer({ min: 0, max: 3_000 }),
    weight: fc.constantFrom(0, 0.5, 3),
    seed: fc.integer({ min: 0, max: 4_294_967_295 }),
    tile: fc.constant(true),
    negative: fc.constantFrom('people', 'text, signs'),
  },
  { requiredKeys: [] },
);
const typedFlag = fc.constantFrom(...table.flatMap(({ typed }) => typed));
const phrase = fc.array(fc.oneof(fc.constantFrom('a', 'fox', 'snow—white', '🦊', 'no', '—', '::2'), typedFlag));

describe('Any prompt with any options', () => {
  it('A typed flag takes precedence, and no flag is added twice', () => {
    fc.assert(
      fc.property(phrase, requests, (pieces, values) => {
        const typedNames = new Set(
          pieces.flatMap((piece) => /^(?:--|[–—])(\p{L}+)/u.exec(piece)?.[1]?.toLowerCase() ?? []),
        );
        const addedNames = names(flagsFor(pieces.join(' '), values));
        expect(new Set(addedNames).size).toBe(addedNames.length);
        for (const group of groups) {
          const typedGroup = group.filter((name) => typedNames.has(name ?? ''));
          if (typedGroup.length > 0) expect(addedNames.filter((name) => group.includes(name))).toEqual([]);
        }
      }),
    );
  });

  it('Every option adds a flag if the prompt contains none', () => {
    fc.assert(
      fc.property(requests, (values) => {
        expect(flagsFor('a fox', values)).toHaveLength(Object.keys(values).length);
      }),
    );
  });

  it('The text of the prompt is kept unchanged, and only flags are added after it', () => {
    const anything = fc.oneof(
      phrase.map((pieces) => pieces.join(' ')),
      fc.string({ unit: 'grapheme' }),
    );
    const links = fc.constantFrom(
      undefined,
      'https://files.example/1.png',
      'http://files.example/a, http://x.example/b',
    );
    fc.assert(
      fc.property(anything, requests, links, (prompt, values, linkList) => {
        const request = imagineRequest({ prompt, ...values, links: linkList });
        fc.pre(!(request instanceof Refusal));
        const { typed = '' } = request;
        expect(request.typed).toBe(prompt.trim());
        expect(request.prompt.startsWith(typed)).toBe(true);
        expect(request.prompt.slice(typed.length)).toMatch(/^(?: --\p{L}.*)?$/su);
        expect(flagsFor(request.prompt, values)).toEqual([]);
      }),
    );
  });
});
