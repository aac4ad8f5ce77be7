import i18next, { type FormatterModule, type TFunction, type TypeOptions } from 'i18next';
import { en } from './en.ts';

export type SharedStrings = typeof en;

/** Returns the string for a key. The type checker knows all keys: `commands/index.ts` adds those of the features. */
export type Say = TFunction;

/** How members know a kind of task; a name that is not known is shown as it is. */
export const kindNameIn =
  (say: Say) =>
  (kind: string): string =>
    say(`tasks.kinds.${kind}`, { defaultValue: kind });

/** The names of the bot's entries in the Apps menu of messages. */
export type MenuName = keyof TypeOptions['resources']['translation']['menus'];

/** Strings, nested by key. */
export interface StringTree {
  readonly [name: string]: string | StringTree;
}

/** The translation function for the shared strings and those of the features. */
export function createSay(features: readonly StringTree[]): Say {
  const language = i18next.createInstance();
  // Discord shows plain text: there is no HTML to escape, and `&amp;` would be visible.
  const interpolation = { escapeValue: false, alwaysFormat: true };
  void language.use(countFormatter).init({ lng: 'en', resources: {}, interpolation, initAsync: false });
  for (const strings of [en, ...features]) language.addResourceBundle('en', 'translation', strings, true);
  // Most strings contain no values, such as the labels of buttons. A message has a dozen of them, so each is looked up once.
  const plainStrings = new Map<string, unknown>();
  return new Proxy(language.t, {
    apply(say, self, [key, ...values]) {
      if (values.length > 0) return Reflect.apply(say, self, [key, ...values]);
      if (!plainStrings.has(key)) plainStrings.set(key, Reflect.apply(say, self, [key]));
      return plainStrings.get(key);
    },
  });
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

/** Returns the string at a path that is built from the names of commands and options; undefined if there is none. */
export function stringAt(strings: StringTree, [name = '', ...path]: readonly string[]): string | undefined {
  const value = Object.hasOwn(strings, name) ? strings[name] : undefined;
  if (typeof value === 'object') return stringAt(value, path);
  return path.length === 0 ? value : undefined;
}
