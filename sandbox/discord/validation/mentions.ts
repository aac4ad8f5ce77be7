import { asList, isObject } from './json.ts';
import { validateUniqueValues } from './unique-values.ts';
import { field, type Violation, violation } from './violation.ts';

/**
 * https://discord.com/developers/docs/resources/message#allowed-mentions-object: either all mentions of a kind are
 * allowed, or those of listed ids.
 */
export function validateMentions(allowed: unknown, path: string): Violation[] {
  if (!isObject(allowed)) return [];
  const conflictingKinds = ['users', 'roles'].filter(
    (kind) => asList(allowed.parse).includes(kind) && asList(allowed[kind]).length > 0,
  );
  return [
    ...['parse', 'users', 'roles'].flatMap((key) => validateUniqueValues(allowed[key], field(path, key))),
    ...conflictingKinds.map((kind) => {
      const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
      return violation(path, 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', message);
    }),
  ];
}
