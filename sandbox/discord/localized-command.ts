import { isObject, type JsonObject } from './validation/json.ts';

/** https://discord.com/developers/docs/reference#locales, "Locale Fallbacks" of commands. */
const FALLBACKS: Readonly<Record<string, string>> = { 'en-US': 'en-GB', 'en-GB': 'en-US', 'es-419': 'es-ES' };

const DICTIONARY = /^(name|description)_localizations$/;

/** A command as lists have it, and as a client shows it: each text also in one locale, if it has a translation, instead of in all. */
export function localizedCommand<Value>(value: Value, locale: string): Value;
export function localizedCommand(value: unknown, locale: string): unknown {
  return withDictionaries(value, (texts, _default, name) => {
    const text = texts[locale] ?? texts[FALLBACKS[locale] ?? ''];
    return typeof text === 'string' ? { [`${name}_localized`]: text } : {};
  });
}

/** Any translation that equals the default is ignored (documentation, "Localization"). */
export function withoutRepeatedTexts<Value>(value: Value): Value;
export function withoutRepeatedTexts(value: unknown): unknown {
  return withDictionaries(value, (texts, defaultText, name) => ({
    [`${name}_localizations`]: Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== defaultText)),
  }));
}

type Replace = (texts: JsonObject, defaultText: unknown, name: string) => JsonObject;

/** Replaces the translations in a command, its options and their choices. */
function withDictionaries(value: unknown, replace: Replace): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withDictionaries(one, replace));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([key, one]) => {
    const [, name] = DICTIONARY.exec(key) ?? [];
    if (name === undefined) return [[key, withDictionaries(one, replace)] as const];
    return Object.entries(replace(isObject(one) ? one : {}, value[name], name));
  });
  return Object.fromEntries(fields);
}
