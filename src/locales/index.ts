import i18next, { type TFunction } from 'i18next';
import { en } from './en.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
    returnNull: false;
  }
}

/** Says a sentence by its key; the keys are checked by the type checker. */
export type Say = TFunction;

export function speak(): Say {
  const language = i18next.createInstance();
  // Discord shows text as text: there is no HTML to protect, and `&amp;` would be seen.
  void language.init({
    lng: 'en',
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  return language.t;
}

/** For sentences whose key is put together from the names of commands and options. */
export function sentenceAt(path: readonly string[]): string | undefined {
  let found: unknown = en;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return typeof found === 'string' ? found : undefined;
}
