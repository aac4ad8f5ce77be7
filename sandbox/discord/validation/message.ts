import { MessageFlags, MessageReferenceType } from 'discord-api-types/v10';
import { validateAttachments } from './attachments.ts';
import { validateComponent } from './components.ts';
import { validateEmbeds } from './embeds.ts';
import type { BodyFacts } from './facts.ts';
import { asNumber, asObject, isAbsent, isObject, type JsonObject } from './json.ts';
import { layoutOf, validateLayout } from './layout.ts';
import { validateMentions } from './mentions.ts';
import { requestOptions, messageSchemas as schema } from './schemas.ts';
import { validateShape } from './shape.ts';
import { flattenComponents } from './tree.ts';
import { validateUniqueIds } from './unique-ids.ts';
import { field, type Violation, violation } from './violation.ts';
import { isVoice, validateVoice } from './voice.ts';

export type MessageEndpoint = keyof typeof schema;

const MAX_NONCE_LENGTH = 25;

const EDITS: ReadonlySet<MessageEndpoint> = new Set(['callbackUpdate', 'webhookEdit', 'channelEdit']);

export function validateMessage(endpoint: MessageEndpoint, body: unknown, facts: BodyFacts, path = ''): Violation[] {
  const shapeViolations = validateShape(schema[endpoint], body, path, requestOptions);
  if (!isObject(body)) return shapeViolations;
  const isEdit = EDITS.has(endpoint);
  const previousFlags = facts.previous?.flags;
  const layout = layoutOf(body, isEdit, previousFlags);
  const components = flattenComponents(body.components, field(path, 'components'));
  return [
    ...shapeViolations,
    ...validateLayout(body, layout, path, previousFlags),
    ...components.flatMap(validateComponent),
    ...validateUniqueIds(components),
    ...validateEmbeds(body.embeds, field(path, 'embeds')),
    ...validateMentions(body.allowed_mentions, field(path, 'allowed_mentions')),
    ...validateAttachments(body, facts, path),
    ...validateNonce(body.nonce, field(path, 'nonce')),
    ...validateFlags(endpoint, body, path),
    ...validateVoice(body, facts, isEdit, path),
    ...(isEmpty(body, facts, isEdit) && !isVoice(body.flags) ? [emptyMessage(path)] : []),
  ];
}

/** Discord itself reports this with the code 50006 instead of a form error. */
const emptyMessage = (path: string): Violation => violation(path, 'MESSAGE_EMPTY', 'Cannot send an empty message');

function validateNonce(nonce: unknown, noncePath: string): Violation[] {
  if (typeof nonce !== 'string' || nonce.length <= MAX_NONCE_LENGTH) return [];
  return [violation(noncePath, 'NONCE_TYPE_TOO_LONG', `Must be ${MAX_NONCE_LENGTH} or fewer characters long.`)];
}

function validateFlags(endpoint: MessageEndpoint, message: JsonObject, path: string): Violation[] {
  const isEphemeral = ((asNumber(message.flags) ?? 0) & MessageFlags.Ephemeral) !== 0;
  // Only interaction responses can be ephemeral; in a channel, everyone would see a private result.
  if (endpoint !== 'channel' || !isEphemeral) return [];
  return [violation(field(path, 'flags'), 'MESSAGE_FLAG_NOT_ALLOWED', 'A channel message cannot be ephemeral')];
}

function isEmpty(message: JsonObject, facts: BodyFacts, isEdit: boolean): boolean {
  if (facts.files.length > 0 || !isAbsent(message.poll) || !isAbsent(message.shared_client_theme)) return false;
  if (asObject(message.message_reference).type === MessageReferenceType.Forward) return false;
  const { previous } = facts;
  const isNew = !isEdit || ((previous?.flags ?? 0) & MessageFlags.Loading) !== 0;
  const wasComponentsV2 = ((previous?.flags ?? 0) & MessageFlags.IsComponentsV2) !== 0;
  // An edit keeps the fields it omits, so those count as empty only if they cannot have had content.
  const isFieldEmpty = (name: string, wasEmpty: boolean): boolean => {
    const value = message[name];
    if (value === undefined) return wasEmpty;
    if (typeof value === 'string') return value.trim() === '';
    return value === null || (Array.isArray(value) && value.length === 0);
  };
  return (
    isFieldEmpty('content', isNew || wasComponentsV2) &&
    isFieldEmpty('embeds', isNew || wasComponentsV2) &&
    isFieldEmpty('sticker_ids', isNew || wasComponentsV2 || previous !== undefined) &&
    isFieldEmpty('components', isNew) &&
    isFieldEmpty('attachments', isNew || previous?.attachmentNames.length === 0)
  );
}
