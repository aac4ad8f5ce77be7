/** The languages that Atelier speaks; English is the source of the others. */
export const languages = ['en', 'de', 'es-ES', 'fr', 'ja', 'ko', 'pt-BR', 'ru', 'zh-CN'] as const;
export type Language = (typeof languages)[number];

/** The name of a language, by default in itself. */
export function languageName(language: Language, reader: Language = language): string {
  const name =
    new Intl.DisplayNames([reader], { type: 'language', languageDisplay: 'standard' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

/** The language for a locale of Discord; English for one without. */
export function languageOf(locale: string | undefined): Language {
  return locale === 'es-419' ? 'es-ES' : (languages.find((language) => language === locale) ?? 'en');
}
