import { existsSync, readdirSync, readFileSync } from 'node:fs';
import i18next, { type FormatterModule, type TFunction } from 'i18next';
import { countText, durationText } from '../lib/formats.ts';
import type { Language } from '../lib/languages.ts';
import type { Strings } from './strings.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Strings };
    returnNull: false;
  }
}

/** Returns the string for a key, in one language. The type checker knows all keys and their variables: `npm run locales` writes them down. */
export type Say = TFunction & { readonly language: Language };

/** How members know a kind of task; a name that is not known is shown as it is. */
export const kindNameIn =
  (say: Say) =>
  (kind: string): string =>
    say(`tasks.kinds.${kind}`, { defaultValue: kind });

/** The names of the bot's entries in the Apps menu of messages. */
export type MenuName = keyof Strings['menus'];

/** Strings, nested by key. */
export interface StringTree {
  readonly [name: string]: string | StringTree;
}

/** The files of a language by their names. Together they are one tree. */
export function stringFiles(language: string): Map<string, StringTree> {
  const folder = new URL(`./${language}/`, import.meta.url);
  const names = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.json'));
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), 'utf8'))]));
}

/** Large counts and limits have separators, and seconds that a name calls a duration have units. Other numbers are times for Discord, which must stay as they are. */
const numberFormatter: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format(value, _format, language = 'en', { interpolationkey: name = '' } = {}) {
    if (typeof value !== 'number') return value;
    if (/duration$/i.test(name)) return durationText(value, { language });
    return name === 'count' || name === 'max' ? countText(value, { language }) : value;
  },
};

export const translations = i18next.createInstance();
// Discord shows plain text: there is no HTML to escape, and `&amp;` would be visible.
const interpolation = { escapeValue: false, alwaysFormat: true };
void translations.use(numberFormatter).init({
  lng: 'en',
  fallbackLng: 'en',
  load: 'currentOnly',
  resources: {},
  interpolation,
  initAsync: false,
});

/** The sentences of each language that was needed. */
const loaded = new Map<Language, Say>();

/** Reads the files of a language when it is first needed. A sentence that it lacks is said in English. By default, for what is stored without a language, too. */
export function sayIn(language: Language = 'en'): Say {
  const known = loaded.get(language);
  if (known) return known;
  for (const file of stringFiles(language).values())
    translations.addResourceBundle(language, 'translation', file, true);
  const say = withPlainStringsKept(language, translations.getFixedT(language));
  loaded.set(language, say);
  return say;
}

/** Most strings contain no values, such as the labels of buttons. A message has a dozen of them, so each is looked up once. */
function withPlainStringsKept(language: Language, translate: TFunction): Say {
  const plainStrings = new Map<string, unknown>();
  const say = new Proxy(translate, {
    apply(target, self, [key, ...values]) {
      if (values.length > 0) return Reflect.apply(target, self, [key, ...values]);
      if (!plainStrings.has(key)) plainStrings.set(key, Reflect.apply(target, self, [key]));
      return plainStrings.get(key);
    },
  });
  return Object.assign(say, { language });
}

export const say = sayIn('en');

/** All strings of a language, and with them those of commands, options and choices, which Discord and `/help` show. */
export function stringsIn(language: Language): StringTree {
  sayIn(language);
  return translations.getResourceBundle(language, 'translation') ?? {};
}

export const strings = stringsIn('en');

/** Returns the string at a path that is built from the names of commands and options; undefined if there is none. */
export function stringAt(tree: StringTree, [name = '', ...path]: readonly string[]): string | undefined {
  const value = Object.hasOwn(tree, name) ? tree[name] : undefined;
  if (typeof value === 'object') return stringAt(value, path);
  return path.length === 0 ? value : undefined;
}

/** The same in a language, or in English if the language lacks it. */
export const stringIn = (language: Language, path: readonly string[]): string | undefined =>
  stringAt(stringsIn(language), path) ?? stringAt(strings, path);
