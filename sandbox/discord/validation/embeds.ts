import { asList, asObject, asString, isAbsent, isObject, type JsonObject } from './json.ts';
import { field, item, required, type Violation, violation } from './violation.ts';

const MAX_TOTAL_LENGTH = 6000;
const VISIBLE_FIELDS = [
  'title',
  'description',
  'fields',
  'image',
  'thumbnail',
  'author',
  'footer',
  'video',
  'timestamp',
];

export function validateEmbeds(embeds: unknown, path: string): Violation[] {
  const embedList = asList(embeds);
  const violations = embedList.flatMap((embed, index) =>
    isObject(embed) ? validateEmbed(embed, item(path, index)) : [],
  );
  if (embedList.reduce((sum: number, embed) => sum + lengthOf(asObject(embed)), 0) > MAX_TOTAL_LENGTH) {
    const message = `Embed size exceeds maximum size of ${MAX_TOTAL_LENGTH}`;
    violations.push(violation(path, 'MAX_EMBED_SIZE_EXCEEDED', message));
  }
  return violations;
}

/** "Embed Limits": whitespace at both ends of a text does not count. */
const isTrimmedAway = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

function validateEmbed(embed: JsonObject, path: string): Violation[] {
  // Discord reports an empty embed as a missing description.
  const isEmpty = VISIBLE_FIELDS.every((key) => {
    const value = embed[key];
    return isAbsent(value) || isTrimmedAway(value) || (Array.isArray(value) && value.length === 0);
  });
  const fields = asList(embed.fields).flatMap((each, index) =>
    ['name', 'value']
      .filter((key) => isObject(each) && isTrimmedAway(each[key]))
      .map((key) => required(field(item(field(path, 'fields'), index), key))),
  );
  return isEmpty ? [required(field(path, 'description'))] : fields;
}

/**
 * The length that counts towards the limit for all embeds together:
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
function lengthOf(embed: JsonObject): number {
  const fields = asList(embed.fields).map(asObject);
  const texts = [
    embed.title,
    embed.description,
    asObject(embed.footer).text,
    asObject(embed.author).name,
    ...fields.flatMap((each) => [each.name, each.value]),
  ];
  return texts.reduce((sum: number, text) => sum + asString(text).trim().length, 0);
}
