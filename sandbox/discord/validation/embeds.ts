import { isAbsent, isObject, type JsonObject, listIn, objectIn, textIn } from './json.ts';
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
  const listed = listIn(embeds);
  const violations = listed.flatMap((embed, index) => (isObject(embed) ? validateEmbed(embed, item(path, index)) : []));
  if (listed.reduce((sum: number, embed) => sum + lengthOf(objectIn(embed)), 0) > MAX_TOTAL_LENGTH) {
    const message = `Embed size exceeds maximum size of ${MAX_TOTAL_LENGTH}`;
    violations.push(violation(path, 'MAX_EMBED_SIZE_EXCEEDED', message));
  }
  return violations;
}

function validateEmbed(embed: JsonObject, path: string): Violation[] {
  // Discord reports an empty embed as a missing description.
  const empty = VISIBLE_FIELDS.every((key) => {
    const value = embed[key];
    return isAbsent(value) || value === '' || (Array.isArray(value) && value.length === 0);
  });
  const fields = listIn(embed.fields).flatMap((each, index) =>
    ['name', 'value']
      .filter((key) => isObject(each) && each[key] === '')
      .map((key) => required(field(item(field(path, 'fields'), index), key))),
  );
  return empty ? [required(field(path, 'description'))] : fields;
}

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits: applies to all embeds together. */
function lengthOf(embed: JsonObject): number {
  const fields = listIn(embed.fields).map(objectIn);
  const texts = [
    embed.title,
    embed.description,
    objectIn(embed.footer).text,
    objectIn(embed.author).name,
    ...fields.flatMap((each) => [each.name, each.value]),
  ];
  return texts.reduce((sum: number, text) => sum + textIn(text).length, 0);
}
