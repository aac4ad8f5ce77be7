import { ApplicationCommandType, Locale } from 'discord-api-types/v10';
import { isObject, type JsonObject, textIn } from './json.ts';
import { field, type Violation, violation } from './violation.ts';
import { badChoice } from './wording.ts';

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-naming */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** The schema refuses empty names and longer ones. */
const LONGEST = 32;

const LOCALES: readonly string[] = Object.values(Locale);

/** Names of context menus may have capitals and spaces; names that a member types may not. */
export const isMenu = (type: unknown): boolean =>
  type === ApplicationCommandType.User || type === ApplicationCommandType.Message;

export function validateName(of: JsonObject, path: string, menu: boolean): Violation[] {
  const localised = isObject(of.name_localizations) ? Object.entries(of.name_localizations) : [];
  const at = field(path, 'name_localizations');
  const names: [string, unknown][] = localised.map(([locale, name]) => [field(at, locale), name]);
  names.unshift([field(path, 'name'), of.name]);
  return names
    .filter(([, name]) => !isValidName(textIn(name), menu))
    .map(([where]) => violation(where, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid'));
}

function isValidName(name: string, menu: boolean): boolean {
  if (name === '' || name.length > LONGEST) return true;
  return menu ? name.trim() !== '' : NAME.test(name) && name === name.toLowerCase();
}

export function validateLocales(of: JsonObject, path: string): Violation[] {
  return ['name_localizations', 'description_localizations'].flatMap((key) => {
    const texts = of[key];
    if (!isObject(texts)) return [];
    return Object.keys(texts)
      .filter((locale) => !LOCALES.includes(locale))
      .map((locale) => badChoice(field(field(path, key), locale), LOCALES));
  });
}

export interface Named {
  readonly of: JsonObject;
  readonly path: string;
}

/** Returns the things whose name or translation is already used by an earlier one of the same kind. */
export function repeated<Thing extends Named>(things: readonly Thing[], kind: (thing: Thing) => unknown): Thing[] {
  const seen = new Set<string>();
  return things.filter((thing) => {
    const { name, name_localizations: localizations } = thing.of;
    const translated = isObject(localizations) ? Object.entries(localizations) : [];
    const names = [['', name], ...translated].filter(([, each]) => typeof each === 'string');
    const keys = names.map(([locale, each]) => JSON.stringify([kind(thing), locale, each]));
    const repeats = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return repeats;
  });
}
