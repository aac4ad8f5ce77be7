import { readdirSync, readFileSync } from 'node:fs';
import i18next, { type FormatterModule, type TFunction } from 'i18next';
import type { Strings } from './strings.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Strings };
    returnNull: false;
  }
}

/** Returns the string for a key. The type checker knows all keys and their variables: `npm run locales` writes them down. */
export type Say = TFunction;

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
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), 'utf8'))]));
}

/** Large counts and limits have separators. Other numbers are times for Discord, which must stay as they are. */
const countFormatter: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, _format, _language, { interpolationkey: name } = {}) =>
    typeof value === 'number' && (name === 'count' || name === 'max') ? value.toLocaleString('en') : value,
};

const english = i18next.createInstance();
// Discord shows plain text: there is no HTML to escape, and `&amp;` would be visible.
const interpolation = { escapeValue: false, alwaysFormat: true };
void english.use(countFormatter).init({ lng: 'en', resources: {}, interpolation, initAsync: false });
for (const file of stringFiles('en').values()) english.addResourceBundle('en', 'translation', file, true);

/** All strings, and with them those of commands, options and choices, which Discord and `/help` show. */
export const strings: StringTree = english.getResourceBundle('en', 'translation');

// Most strings contain no values, such as the labels of buttons. A message has a dozen of them, so each is looked up once.
const plainStrings = new Map<string, unknown>();
export const say: Say = new Proxy(english.t, {
  apply(translate, self, [key, ...values]) {
    if (values.length > 0) return Reflect.apply(translate, self, [key, ...values]);
    if (!plainStrings.has(key)) plainStrings.set(key, Reflect.apply(translate, self, [key]));
    return plainStrings.get(key);
  },
});

/** Returns the string at a path that is built from the names of commands and options; undefined if there is none. */
export function stringAt(tree: StringTree, [name = '', ...path]: readonly string[]): string | undefined {
  const value = Object.hasOwn(tree, name) ? tree[name] : undefined;
  if (typeof value === 'object') return stringAt(value, path);
  return path.length === 0 ? value : undefined;
}
