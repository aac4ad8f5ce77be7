import i18next, { type TFunction, type TypeOptions } from 'i18next';
import { en } from './en.ts';

export type SharedSentences = typeof en;

/** Says a sentence by its key. The type checker knows all keys: `commands/index.ts` adds those of the features. */
export type Say = TFunction;

/** Names of the message menus, which Discord shows under "Apps". */
export type MenuName = keyof TypeOptions['resources']['translation']['menus'];

/** Sentences, nested by key. */
export interface Sentences {
  readonly [name: string]: string | Sentences;
}

/** The translation function for the shared sentences and those of the features. */
export function createSay(features: readonly Sentences[]): Say {
  const language = i18next.createInstance();
  // Discord shows text as text: there is no HTML to protect, and `&amp;` would be seen.
  void language.init({ lng: 'en', resources: {}, interpolation: { escapeValue: false }, initAsync: false });
  for (const sentences of [en, ...features]) language.addResourceBundle('en', 'translation', sentences, true);
  return language.t;
}

/** For sentences whose key is put together from the names of commands and options. */
export function sentenceAt(sentences: Sentences, [name = '', ...path]: readonly string[]): string | undefined {
  const found = Object.hasOwn(sentences, name) ? sentences[name] : undefined;
  if (typeof found === 'object') return sentenceAt(found, path);
  return path.length === 0 ? found : undefined;
}
