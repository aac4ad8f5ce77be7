import { globSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { type StringTree, stringFiles } from '../../../src/locales/index.ts';
import { isDrawable } from '../../../src/services/media/is-drawable.ts';

const folder = 'src/services/media/process/fonts';
const fonts = globSync(`${folder}/*.ttf`);

/** The code points in the character tables of a font, of which format 12 has groups, and format 4 segments. */
function charactersOf(font: Buffer): number[] {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + 16 * index);
  const start = font.readUInt32BE((tables.find((at) => font.toString('latin1', at, at + 4) === 'cmap') ?? 0) + 8);
  const subtables = Array.from({ length: font.readUInt16BE(start + 2) }, (_, index) =>
    font.subarray(start + font.readUInt32BE(start + 8 + 8 * index)),
  );
  return subtables.flatMap((table) => (table.readUInt16BE(0) === 12 ? inGroups(table) : inSegments(table)));
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const inGroups = (table: Buffer): number[] =>
  range(0, table.readUInt32BE(12) - 1).flatMap((index) =>
    range(table.readUInt32BE(16 + 12 * index), table.readUInt32BE(20 + 12 * index)),
  );

function inSegments(table: Buffer): number[] {
  expect(table.readUInt16BE(0)).toBe(4);
  const size = table.readUInt16BE(6);
  return range(0, size / 2 - 1).flatMap((index) => {
    const [endAt, startAt] = [14 + 2 * index, 16 + size + 2 * index];
    const offset = table.readUInt16BE(startAt + 2 * size);
    // Holes in a segment have the glyph 0, and so has U+FFFF, which ends the table.
    return range(table.readUInt16BE(startAt), table.readUInt16BE(endAt)).filter(
      (code) =>
        code < 0xffff &&
        (offset === 0 ||
          table.readUInt16BE(startAt + 2 * size + offset + 2 * (code - table.readUInt16BE(startAt))) > 0),
    );
  });
}

const stringsIn = (tree: StringTree | string | undefined): string[] =>
  typeof tree === 'object' ? Object.values(tree).flatMap(stringsIn) : [tree ?? ''];

/** The characters that an encoding has for two bytes in these ranges. */
function encoded(encoding: string, leads: readonly number[], trails: readonly number[]): string {
  const decoder = new TextDecoder(encoding);
  return leads
    .flatMap((lead) => trails.map((trail) => decoder.decode(Uint8Array.of(lead, trail))))
    .filter((text) => /^[\p{L}\p{N}]$/u.test(text))
    .join('');
}
const highBytes = range(0xa1, 0xfe);

it('The list of drawable characters is what the fonts of charts have', () => {
  const inFonts = new Set(fonts.flatMap((path) => charactersOf(readFileSync(path))));
  expect(inFonts.size).toBeGreaterThan(25_000);
  const listed = range(0, 0x1ffff).filter(
    (code) => !(code >= 0xd800 && code < 0xe000) && isDrawable(String.fromCodePoint(code)),
  );
  expect(listed.filter((code) => !inFonts.has(code))).toEqual([]);
  expect(inFonts.size).toBe(listed.length);
});

it('The fonts of charts take up at most 8 MB', () => {
  const bytes = globSync(`${folder}/*`).reduce((sum, path) => sum + statSync(path).size, 0);
  expect(bytes).toBeLessThan(8_000_000);
});

it.each([
  ['Japanese', 'euc-jp', range(0xa3, 0xf4), highBytes],
  ['Simplified Chinese', 'gbk', range(0xb0, 0xf7), highBytes],
  ['Traditional Chinese', 'big5', range(0xa4, 0xc6), [...range(0x40, 0x7e), ...highBytes]],
  ['Korean', 'euc-kr', range(0xb0, 0xc8), highBytes],
])('Charts can draw the common characters of %s', (_language, encoding, leads, trails) => {
  const text = encoded(encoding, leads, trails);
  expect(text.length).toBeGreaterThan(2_300);
  expect([...text].filter((character) => !isDrawable(character))).toEqual([]);
});

it.each(['山田太郎', '김민수', '쀍똠', 'Иван', '小明', '东莞', '繁體', 'Łukasz', 'Ἀλέξανδρος', 'ñ', 'ẞ', 'ﾊﾝｶｸ'])(
  'Charts can draw the name %s',
  (name) => expect(isDrawable(name)).toBe(true),
);

it.each(['\u{1f984}', 'ที', '\u{20bb7}', '\u{10ffff}', 'a\u0001'])('Charts cannot draw the name %j', (name) =>
  expect(isDrawable(name)).toBe(false),
);

const languages = globSync('src/locales/*/').map((path) => basename(path));

it.each(languages)('Charts can draw all words of the language %s', (language) => {
  const strings = [...stringFiles(language).values()].flatMap(stringsIn).join('');
  // Emoji are in messages only.
  const text = strings.replace(/\p{Extended_Pictographic}\ufe0f?|\n/gu, '');
  expect(text.length).toBeGreaterThan(1_000);
  expect([...text].filter((character) => !isDrawable(character))).toEqual([]);
});
