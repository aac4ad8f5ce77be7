import type { StringTree } from '../../src/locales/index.ts';

export const PSEUDO_LANGUAGE = 'en-XA' as const;

/** Translations are often this much longer than English. */
const GROWTH = 0.4;
const FILLER = ' ļóŕéɱ îƥšûɱ đóļóŕ šîŧ åɱéŧ';
const ACCENTED: Readonly<Record<string, string>> = Object.fromEntries(
  [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter, index) => [
    letter,
    [...'åƀçđéƒĝĥîĵķļɱñóƥǫŕšŧûṽŵẋýžÅƁÇĐÉƑĜĤÎĴĶĻṀÑÓƤǪŔŠŦÛṼŴẊÝŽ'][index] ?? letter,
  ]),
);
/** Values, code, mentions and addresses, which no language translates. */
const KEPT = /(\{\{\w+\}\}|`[^`]*`|<[^<>\s]+>|https?:\/\/\S+|(?<![\w/])\/[a-z]+)/;
/** Discord reads these marks only at the start of a line. */
const LINE_START = /^(?:-# |> |- |#+ )*/;

/** English as a made-up language, in which what is cut, or not translated, can be seen. */
export function pseudoText(english: string, max = Number.POSITIVE_INFINITY): string {
  const [start = ''] = LINE_START.exec(english) ?? [];
  const parts = english.slice(start.length).split(KEPT);
  const translated = parts.map((part, index) => (index % 2 === 0 ? accented(part) : part)).join('');
  const free = max - english.length - 2;
  if (free < 0) return start + translated;
  const { length } = parts.filter((_, index) => index % 2 === 0).join('');
  const added = Math.min(free, Math.ceil(length * GROWTH));
  return `${start}⟦${translated}${FILLER.repeat(added).slice(0, added).trimEnd()}⟧`;
}

const accented = (text: string): string => text.replace(/[a-z]/gi, (letter) => ACCENTED[letter] ?? letter);

export const pseudoStrings = (
  english: StringTree,
  maxLengthOf: (key: string) => number | undefined,
  path = '',
): StringTree =>
  Object.fromEntries(
    Object.entries(english).map(([name, one]) => {
      if (typeof one !== 'string') return [name, pseudoStrings(one, maxLengthOf, `${path}${name}.`)];
      // An example consists of names and values.
      const isExample = name === 'example';
      return [name, isExample ? one : pseudoText(one, maxLengthOf((path + name).replace(/_(?:one|other)$/, '')))];
    }),
  );
