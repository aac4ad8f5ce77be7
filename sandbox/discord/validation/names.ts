import { ApplicationCommandType, Locale } from 'discord-api-types/v10';
import { asString, isObject, type JsonObject } from './json.ts';
import { field, type Violation, violation } from './violation.ts';
import { badChoice } from './zod-issues.ts';

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-naming */
const NAME_PATTERN = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** The schema refuses empty names and names longer than this. */
const MAX_NAME_LENGTH = 32;

const LOCALES: readonly string[] = Object.values(Locale);

/** Context menu commands, whose names may contain capitals and spaces, unlike names that members type. */
export const isMenu = (type: unknown): boolean =>
  type === ApplicationCommandType.User || type === ApplicationCommandType.Message;

export function validateName(object: JsonObject, path: string, isMenuCommand: boolean): Violation[] {
  const translations = isObject(object.name_localizations) ? Object.entries(object.name_localizations) : [];
  const fieldPath = field(path, 'name_localizations');
  const names: [string, unknown][] = translations.map(([locale, name]) => [field(fieldPath, locale), name]);
  names.unshift([field(path, 'name'), object.name]);
  return names
    .filter(([, name]) => !isValidName(asString(name), isMenuCommand))
    .map(([namePath]) => violation(namePath, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid'));
}

function isValidName(name: string, isMenuCommand: boolean): boolean {
  if (name === '' || name.length > MAX_NAME_LENGTH) return true;
  return isMenuCommand ? name.trim() !== '' : NAME_PATTERN.test(name) && name === name.toLowerCase();
}

export function validateLocales(object: JsonObject, path: string): Violation[] {
  return ['name_localizations', 'description_localizations'].flatMap((key) => {
    const translations = object[key];
    if (!isObject(translations)) return [];
    return Object.keys(translations)
      .filter((locale) => !LOCALES.includes(locale))
      .map((locale) => badChoice(field(field(path, key), locale), LOCALES));
  });
}

export interface NamedObject {
  readonly object: JsonObject;
  readonly path: string;
}

/** Returns the objects whose name or translation is already used by an earlier object of the same kind. */
export function duplicateNames<Item extends NamedObject>(
  objects: readonly Item[],
  kindOf: (item: Item) => unknown,
): Item[] {
  const seen = new Set<string>();
  return objects.filter((item) => {
    const { name, name_localizations: localizations } = item.object;
    const translatedNames = isObject(localizations) ? Object.entries(localizations) : [];
    const names = [['', name], ...translatedNames].filter(([, each]) => typeof each === 'string');
    const keys = names.map(([locale, each]) => JSON.stringify([kindOf(item), locale, each]));
    const isDuplicate = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return isDuplicate;
  });
}
