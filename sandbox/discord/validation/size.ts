import { asList, asObject, asString, isObject, type JsonObject } from './json.ts';

/** Command, group, subcommand, option and choice; the schema refuses deeper nesting. */
const MAX_DEPTH = 5;

/**
 * https://discord.com/developers/docs/interactions/application-commands: names, descriptions and values of a command,
 * its options and their choices are added up; only the longest translation of each text counts.
 */
export function commandSize(command: JsonObject, depth = 0): number {
  if (depth > MAX_DEPTH) return 0;
  const { value } = command;
  const inner = [...asList(command.options), ...asList(command.choices)];
  return (
    longestLength(command.name, command.name_localizations) +
    longestLength(command.description, command.description_localizations) +
    (typeof value === 'string' || typeof value === 'number' ? String(value).length : 0) +
    inner.reduce((sum: number, each) => sum + commandSize(asObject(each), depth + 1), 0)
  );
}

function longestLength(text: unknown, localizations: unknown): number {
  const texts = isObject(localizations) ? Object.values(localizations) : [];
  return texts.reduce((max: number, each) => Math.max(max, asString(each).length), asString(text).length);
}
