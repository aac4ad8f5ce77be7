import { MessageFlags, MessageReferenceType } from 'discord-api-types/v10';
import { validateAttachments } from './attachments.ts';
import { validateComponent } from './components.ts';
import { validateEmbeds } from './embeds.ts';
import type { BodyFacts } from './facts.ts';
import { validateIdentity } from './identity.ts';
import { isAbsent, isObject, type JsonObject, numberIn, objectIn } from './json.ts';
import { layoutOf, validateLayout } from './layout.ts';
import { validateMentions } from './mentions.ts';
import { request, message as schema } from './schemas.ts';
import { validateShape } from './shape.ts';
import { flattenComponents } from './tree.ts';
import { field, type Violation, violation } from './violation.ts';
import { isVoice, validateVoice } from './voice.ts';

export type MessagePlace = keyof typeof schema;

const NONCE = 25;

const EDITS: ReadonlySet<MessagePlace> = new Set(['callbackUpdate', 'webhookEdit', 'channelEdit']);

export function validateMessage(place: MessagePlace, body: unknown, facts: BodyFacts, path = ''): Violation[] {
  const found = validateShape(schema[place], body, path, request);
  if (!isObject(body)) return found;
  const editing = EDITS.has(place);
  const before = facts.before?.flags;
  const layout = layoutOf(body, editing, before);
  const components = flattenComponents(body.components, field(path, 'components'));
  return [
    ...found,
    ...validateLayout(body, layout, path, before),
    ...components.flatMap(validateComponent),
    ...validateIdentity(components),
    ...validateEmbeds(body.embeds, field(path, 'embeds')),
    ...validateMentions(body.allowed_mentions, field(path, 'allowed_mentions')),
    ...validateAttachments(body, facts, path),
    ...validateNonce(body.nonce, field(path, 'nonce')),
    ...validateFlags(place, body, path),
    ...validateVoice(body, facts, editing, path),
    ...(isEmpty(body, facts, editing) && !isVoice(body.flags) ? [empty(path)] : []),
  ];
}

/** Discord itself reports this with the code 50006 instead of a form error. */
const empty = (path: string): Violation => violation(path, 'MESSAGE_EMPTY', 'Cannot send an empty message');

function validateNonce(nonce: unknown, at: string): Violation[] {
  if (typeof nonce !== 'string' || nonce.length <= NONCE) return [];
  return [violation(at, 'NONCE_TYPE_TOO_LONG', `Must be ${NONCE} or fewer characters long.`)];
}

function validateFlags(place: MessagePlace, message: JsonObject, path: string): Violation[] {
  const ephemeral = ((numberIn(message.flags) ?? 0) & MessageFlags.Ephemeral) !== 0;
  // Only interaction responses can be ephemeral; in a channel, everyone would see a private result.
  if (place !== 'channel' || !ephemeral) return [];
  return [violation(field(path, 'flags'), 'MESSAGE_FLAG_NOT_ALLOWED', 'A channel message cannot be ephemeral')];
}

function isEmpty(message: JsonObject, facts: BodyFacts, editing: boolean): boolean {
  if (facts.files.length > 0 || !isAbsent(message.poll) || !isAbsent(message.shared_client_theme)) return false;
  if (objectIn(message.message_reference).type === MessageReferenceType.Forward) return false;
  const { before } = facts;
  const fresh = !editing || ((before?.flags ?? 0) & MessageFlags.Loading) !== 0;
  const v2 = ((before?.flags ?? 0) & MessageFlags.IsComponentsV2) !== 0;
  // An edit keeps the fields it omits, so those count as empty only if they cannot have had content.
  const gone = (name: string, nothingBefore: boolean): boolean => {
    const value = message[name];
    if (value === undefined) return nothingBefore;
    if (typeof value === 'string') return value.trim() === '';
    return value === null || (Array.isArray(value) && value.length === 0);
  };
  return (
    gone('content', fresh || v2) &&
    gone('embeds', fresh || v2) &&
    gone('sticker_ids', fresh || v2 || before !== undefined) &&
    gone('components', fresh) &&
    gone('attachments', fresh || before?.attachmentNames.length === 0)
  );
}
