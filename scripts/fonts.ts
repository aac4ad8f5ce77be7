import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runWithoutOptions } from './usage.ts';

/** Installed only for this script, because they contain every weight of the fonts. */
const packages = [
  'subset-font@2.9.0',
  'harfbuzzjs@1.6.4',
  'dejavu-fonts-ttf@2.37.3',
  ...['jp', 'kr', 'sc'].map((name) => `@expo-google-fonts/noto-sans-${name}@0.4.3`),
];
const target = new URL('../src/services/media/process/fonts/', import.meta.url);

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The characters that an encoding has for two bytes, of which the first is in this range. */
function encoded(encoding: string, firstLead: number, lastLead: number, firstTrail = 0x40): Set<number> {
  const decoder = new TextDecoder(encoding);
  const texts = range(firstLead, lastLead).flatMap((lead) =>
    range(firstTrail, 0xfe).map((trail) => decoder.decode(Uint8Array.of(lead, trail))),
  );
  return new Set(texts.filter((text) => /^\p{Script=Han}$/u.test(text)).map((text) => text.codePointAt(0) ?? 0));
}

const kanji = encoded('euc-jp', 0xb0, 0xf4, 0xa1);
const punctuation = [...range(0x2460, 0x2473), ...range(0x3000, 0x303f), ...range(0xff00, 0xffef)];
const LAST_CODE_POINT = 0x1ffff;

const noto = (script: string): string =>
  `@expo-google-fonts/noto-sans-${script.toLowerCase()}/400Regular/NotoSans${script}_400Regular`;

/** Which characters of which font. */
const fonts: Readonly<Record<string, Iterable<number>>> = {
  'dejavu-fonts-ttf/ttf/DejaVuSansCondensed': range(0x20, LAST_CODE_POINT),
  // Titles are Latin, Greek or Cyrillic; others get their weight from fonts.conf.
  'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold': [...range(0x20, 0x52f), ...range(0x1e00, 0x23ff)],
  [noto('JP')]: [...kanji, ...punctuation, ...range(0x3040, 0x30ff), ...range(0x31f0, 0x33ff)],
  // The first level of Big5 has the common characters of Traditional Chinese.
  [noto('SC')]: [...encoded('gbk', 0xb0, 0xf7, 0xa1), ...encoded('big5', 0xa4, 0xc6).difference(kanji), ...punctuation],
  [noto('KR')]: [...range(0x3131, 0x318e), ...range(0xac00, 0xd7a3)],
};

/** For vertical text, variable weights and formulas, which charts do not have. */
const dropTables = ['vmtx', 'vhea', 'VORG', 'BASE', 'STAT', 'FFTM', 'MATH', 'kern'];

async function writeFonts(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'atelier-fonts-'));
  const { status } = spawnSync('npm', ['install', '--ignore-scripts', '--prefix', folder.path, ...packages], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('npm could not install the fonts.');
  const installed = (path: string): string => join(folder.path, 'node_modules', path);
  const { default: subset } = await import(installed('subset-font/index.js'));
  const { Blob, Face } = await import(installed('harfbuzzjs/dist/index.mjs'));
  const bits = new Uint8Array((LAST_CODE_POINT + 1) / 8);
  for (const [path, characters] of Object.entries(fonts)) {
    const text = Array.from(characters, (one) => String.fromCodePoint(one))
      .join('')
      .toWellFormed();
    // Chinese, Japanese and Korean characters are drawn each on its own.
    const keepFeatures = path.startsWith('@expo') ? [] : undefined;
    const font = await subset(readFileSync(installed(`${path}.ttf`)), text, {
      noHinting: true,
      dropTables,
      keepFeatures,
    });
    writeFileSync(new URL(`${basename(path).split('_')[0]}.ttf`, target), font);
    for (const one of new Face(new Blob(font), 0).collectUnicodes())
      bits[one >> 3] = (bits[one >> 3] ?? 0) | (1 << (one & 7));
  }
  writeFileSync(new URL('characters.bits', target), bits);
  copyFileSync(installed('dejavu-fonts-ttf/LICENSE'), new URL('LICENSE-DejaVu.txt', target));
  copyFileSync(installed('@expo-google-fonts/noto-sans-jp/LICENSE_FONT'), new URL('LICENSE-Noto.txt', target));
}

const DOES = 'Writes the fonts of charts, and which characters they have, from packages that it downloads.';
await runWithoutOptions('npm run fonts', DOES, writeFonts);
