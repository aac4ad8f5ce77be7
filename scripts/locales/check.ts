import type { StringTree } from '../../src/locales/index.ts';
import { commonWords, wordsLikeEnglish } from './like-english.ts';

type Files = ReadonlyMap<string, StringTree>;

interface Text {
  /** The path in its file, without the category of a plural. */
  readonly key: string;
  readonly english: string;
  readonly text: string;
}

const PLURAL = /_(?:zero|one|two|few|many|other)$/;
/** Discord shows no line between them, so that they could only hide or turn text. Emoji consist of parts joined by U+200D. */
const CONTROL = /(?!\n|\u200d)[\p{Cc}\p{Cf}]/u;
const COUNT = '{{count}}';
const VALUE = /\{\{\w+\}\}/g;
/** In a command, the choice after the name of an option is as Discord shows it. */
const CHOICE = /(?<=^`\/.* [a-z_]+:).*/;
/** What is code or Discord's, not language. */
const NOT_LANGUAGE = /\{\{\w+\}\}|`[^`]*`|<[^<>\s]+>|https?:\/\/\S+|^\/[a-z]+(?: [a-z]+)?$/g;

/** What is wrong with the strings of a language; `english` is the source. Each line begins with the file and the key. */
export function localeProblems(
  language: string,
  english: Files,
  own: Files,
  maxLengthOf: (key: string) => number | undefined,
): string[] {
  const expected = expectedTexts(language, textsIn(english));
  const texts = textsIn(own);
  const ofText = ({ key, english, text }: Text): string[] => [
    ...(text.trim() === '' ? ['is empty'] : []),
    ...(english === english.trim() && text !== text.trim() ? ['begins or ends with a space'] : []),
    ...(CONTROL.test(text) ? ['has a control or bidirectional character'] : []),
    ...differences(key, english, text),
    ...(language !== 'en' && isUntranslated(language, key, english, text) ? [`is not translated: ${text}`] : []),
    ...lengthProblems(text, maxLengthOf(key)),
  ];
  return [
    ...[...texts.keys()].filter((path) => !expected.has(path)).map((path) => `${path} is not expected`),
    ...[...expected].flatMap(([path, source]) => {
      const text = texts.get(path);
      if (text === undefined) return [`${path} is missing`];
      const key = path.replace(/^[^:]*:/, '').replace(PLURAL, '');
      return ofText({ key, english: source, text }).map((problem) => `${path} ${problem}`);
    }),
  ];
}

/** All strings by file and key. */
function textsIn(files: Files): Map<string, string> {
  const entriesIn = (tree: StringTree, path: string): [string, string][] =>
    Object.entries(tree).flatMap(([name, one]) =>
      typeof one === 'string' ? [[path + name, one]] : entriesIn(one, `${path}${name}.`),
    );
  return new Map([...files].flatMap(([name, tree]) => entriesIn(tree, `${name}:`)));
}

/** The strings that a language needs, each with the English one that it translates. */
function expectedTexts(language: string, english: ReadonlyMap<string, string>): Map<string, string> {
  const rules = new Intl.PluralRules(language);
  // Where "one" is also said of 21, it needs the number that English may leave out.
  const isOneExact = rules.select(21) !== 'one';
  return new Map(
    [...english].flatMap(([path, text]): [string, string][] => {
      const base = path.replace(PLURAL, '');
      const other = english.get(`${base}_other`);
      if (base === path || other === undefined) return [[path, text]];
      const one = english.get(`${base}_one`) ?? other;
      const source = isOneExact || !other.includes(COUNT) ? one : `${one} ${COUNT}`;
      return rules
        .resolvedOptions()
        .pluralCategories.map((category) => [`${base}_${category}`, category === 'one' ? source : other]);
    }),
  );
}

/** Values, code and marks have to be the same, in any order. A plural may say its number where English does not. */
function differences(key: string, english: string, text: string): string[] {
  const compared: Readonly<Record<string, (of: string) => string[]>> = {
    values: (of) => [...new Set(of.match(english.includes(COUNT) ? VALUE : /\{\{(?!count\}\})\w+\}\}/g))],
    code: (of) => [...new Set(of.match(/`[^`]*`/g)?.map((code) => code.replace(CHOICE, '')))],
    'mentions, times or addresses': (of) => of.match(/<[^<>\s]+>|https?:\/\/[\w.:/?&=%#-]*/g) ?? [],
    marks: (of) => of.match(/\*\*|\|\||^-# |^> /gm) ?? [],
    lines: (of) => of.match(/\n/g) ?? [],
    ...(key.endsWith('.example') && {
      'names of commands and options': (of: string) => of.match(/^\/[a-z]+|(?<= )[a-z_]+:/g) ?? [],
    }),
  };
  return Object.entries(compared).flatMap(([what, read]) => {
    const [source, own] = [english, text].map((of) => read(of).sort().join(' '));
    return source === own ? [] : [`has other ${what} than English: ${own || 'none'}, not ${source || 'none'}`];
  });
}

function isUntranslated(language: string, key: string, english: string, text: string): boolean {
  // The example of a command may consist of names and values alone.
  if (text !== english || key.endsWith('.example')) return false;
  const words = text.replace(NOT_LANGUAGE, ' ').match(/\p{L}[\p{L}\p{N}-]*/gu) ?? [];
  const known = `${commonWords} ${wordsLikeEnglish[language] ?? ''}`.split(' ');
  return words.some((word) => !known.includes(word));
}

/** A value takes the place that is left. */
function lengthProblems(text: string, max: number | undefined): string[] {
  const { length } = text.replace(VALUE, '');
  return max !== undefined && length > max ? [`has ${length} characters; ${max} are allowed`] : [];
}
