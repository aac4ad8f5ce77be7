import i18next, { type TFunction, type TypeOptions } from 'i18next';
import { en } from './en.ts';

export type SharedTexts = typeof en;

/** Returns the text for a key. The type checker knows all keys: `commands/index.ts` adds those of the features. */
export type Say = TFunction;

/** The names of the message menus, which Discord shows under "Apps". */
export type MenuName = keyof TypeOptions['resources']['translation']['menus'];

/** Texts, nested by key. */
export interface Texts {
  readonly [name: string]: string | Texts;
}

/** The translation function for the shared texts and those of the features. */
export function createSay(features: readonly Texts[]): Say {
  const language = i18next.createInstance();
  // Discord shows plain text: there is no HTML to escape, and `&amp;` would be visible.
  void language.init({ lng: 'en', resources: {}, interpolation: { escapeValue: false }, initAsync: false });
  for (const texts of [en, ...features]) language.addResourceBundle('en', 'translation', texts, true);
  return language.t;
}

/** For texts whose key is built from the names of commands and options. */
export function textAt(texts: Texts, [name = '', ...path]: readonly string[]): string | undefined {
  const found = Object.hasOwn(texts, name) ? texts[name] : undefined;
  if (typeof found === 'object') return textAt(found, path);
  return path.length === 0 ? found : undefined;
}
