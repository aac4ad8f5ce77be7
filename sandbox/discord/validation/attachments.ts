import { ComponentType } from 'discord-api-types/v10';
import type { BodyFacts } from './facts.ts';
import { asList, asObject, asString, isAbsent, type JsonObject, toPrintable } from './json.ts';
import { type MediaUrl, mediaUrlsIn } from './media.ts';
import { field, item, type Violation, violation } from './violation.ts';

const MAX_FILES = 10;

/** Uploaded files have short numbers as ids; an id as long as a snowflake refers to a file that Discord already has. */
const isStored = (id: string): boolean => id.length >= 15;

export function validateAttachments(message: JsonObject, facts: BodyFacts, path: string): Violation[] {
  const names = namesIn(message, facts);
  const hasTooMany = facts.files.length > MAX_FILES;
  return [
    ...validateIds(message, facts, field(path, 'attachments')),
    ...(hasTooMany
      ? [violation(field(path, 'files'), 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_FILES} or fewer in length.`)]
      : []),
    ...mediaUrlsIn(message, path).flatMap((mediaUrl) => validateMediaUrl(mediaUrl, names)),
  ];
}

function validateIds(message: JsonObject, { files, previous }: BodyFacts, path: string): Violation[] {
  const uploaded = new Set(files.map(({ id }) => id));
  // The files of an edited message are known only by name, so any stored id passes if the message has files.
  const canKeep = previous === undefined || previous.attachmentNames.length > 0;
  return asList(message.attachments).flatMap((each, index) => {
    const id = idOf(each);
    if (id === undefined || uploaded.has(id) || (isStored(id) && canKeep)) return [];
    return [notFound(field(item(path, index), 'id'), id)];
  });
}

const notFound = (path: string, reference: string): Violation =>
  violation(path, 'ATTACHMENT_NOT_FOUND', `Attachment data not found: ${toPrintable(reference)}`);

function idOf(attachment: unknown): string | undefined {
  const { id } = asObject(attachment);
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The names that `attachment://` may use: those of uploaded files, and those of files that an edit keeps. */
function namesIn(message: JsonObject, { files, previous }: BodyFacts): ReadonlySet<string> {
  const attachments = asList(message.attachments).map(asObject);
  const uploaded = files.map(({ id, name }) => {
    const renamed = asString(attachments.find((each) => idOf(each) === id)?.filename);
    return renamed === '' ? name : renamed;
  });
  const keepsFiles = isAbsent(message.attachments) || attachments.some((each) => isStored(idOf(each) ?? ''));
  const names = [...uploaded, ...(keepsFiles ? (previous?.attachmentNames ?? []) : [])];
  // Discord replaces spaces in file names with underscores.
  return new Set(names.flatMap((name) => [name, name.replaceAll(' ', '_')]));
}

function validateMediaUrl({ url, path, componentType }: MediaUrl, names: ReadonlySet<string>): Violation[] {
  // The schema refuses invalid URLs.
  if (!URL.canParse(url)) return [];
  const [scheme = '', name = ''] = url.split('://', 2);
  // File components accept only uploaded files.
  const schemes = componentType === ComponentType.File ? ['attachment'] : ['http', 'https', 'attachment'];
  if (!schemes.includes(scheme.toLowerCase())) {
    const expected = schemes.map((each) => `'${each}'`).join(', ');
    return [violation(path, 'URL_TYPE_INVALID_SCHEME', `Scheme must be one of (${expected}).`)];
  }
  return scheme.toLowerCase() === 'attachment' && !names.has(name) ? [notFound(path, url)] : [];
}
