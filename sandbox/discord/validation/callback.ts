import { InteractionResponseType, MessageFlags } from 'discord-api-types/v10';
import type { BodyFacts } from './facts.ts';
import { asList, asObject, isAbsent, isObject, type JsonObject } from './json.ts';
import { validateMessage } from './message.ts';
import { validateModal } from './modal.ts';
import { requestOptions, choicesSchemas as schema } from './schemas.ts';
import { validateShape } from './shape.ts';
import { required, type Violation, violation } from './violation.ts';
import { badChoice } from './zod-issues.ts';

const RESPONSE_TYPES = [1, 4, 5, 6, 7, 8, 9, 12];
const MESSAGE_KEYS = ['content', 'embeds', 'attachments', 'poll', 'tts', 'allowed_mentions'];

/** Selects the schema by `type`, because a union of all types would report a violation for each of them. */
export function validateCallback(body: unknown, facts: BodyFacts): Violation[] {
  if (!isObject(body)) return [violation('', 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a ModelType')];
  const { type, data } = body;
  if (isAbsent(type)) return [required('type')];
  if (!RESPONSE_TYPES.includes(type as number)) return [badChoice('type', RESPONSE_TYPES)];
  const unknown = Object.keys(body)
    .filter((key) => key !== 'type' && key !== 'data' && body[key] !== undefined)
    .map((key) => violation(key, 'UNKNOWN_KEY', 'Discord does not know this field in a callback and would ignore it.'));
  return [...unknown, ...validateData(type as InteractionResponseType, data, facts)];
}

function validateData(type: InteractionResponseType, data: unknown, facts: BodyFacts): Violation[] {
  if (isDataOfOtherType(type, data)) {
    return [violation('data', 'CALLBACK_DATA_MISMATCH', `A callback of type ${type} cannot carry this kind of data`)];
  }
  switch (type) {
    case InteractionResponseType.ChannelMessageWithSource:
      return validateMessage('callback', data, facts, 'data');
    case InteractionResponseType.UpdateMessage:
      return isAbsent(data) ? [] : validateMessage('callbackUpdate', data, facts, 'data');
    case InteractionResponseType.DeferredChannelMessageWithSource:
      return validateDeferral(data);
    case InteractionResponseType.ApplicationCommandAutocompleteResult:
      return validateChoices(data);
    case InteractionResponseType.Modal:
      return validateModal(data, 'data');
    default:
      return [];
  }
}

/** Data of another callback type is reported as one violation, not as one for each missing key. */
function isDataOfOtherType(type: InteractionResponseType, data: unknown): boolean {
  if (!isObject(data)) return false;
  const has = (...keys: string[]): boolean => keys.some((key) => !isAbsent(data[key]));
  switch (type) {
    case InteractionResponseType.ChannelMessageWithSource:
    case InteractionResponseType.UpdateMessage:
      // Components and flags do not identify the type: modals have components, and deferrals have flags.
      return has('choices', 'custom_id', 'title') && !has(...MESSAGE_KEYS);
    case InteractionResponseType.DeferredChannelMessageWithSource:
      return has('choices', 'custom_id', 'title');
    case InteractionResponseType.ApplicationCommandAutocompleteResult:
      return !has('choices') && has('custom_id', 'title', 'components', 'flags', ...MESSAGE_KEYS);
    case InteractionResponseType.Modal:
      return !has('custom_id', 'title') && has('choices', 'components', 'flags', ...MESSAGE_KEYS);
    default:
      return Object.keys(data).length > 0;
  }
}

/** A deferral only decides whether the response is ephemeral; the edit that follows supplies everything else. */
function validateDeferral(data: unknown): Violation[] {
  if (isAbsent(data)) return [];
  if (!isObject(data)) return [violation('data', 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a ModelType')];
  const violations = Object.keys(data)
    .filter((key) => key !== 'flags' && !isAbsent(data[key]) && data[key] !== false)
    .map((key) => violation(`data.${key}`, 'CALLBACK_DATA_MISMATCH', 'A deferral can carry only flags'));
  const { flags } = data as JsonObject;
  if (!isAbsent(flags) && flags !== 0 && flags !== MessageFlags.Ephemeral) {
    violations.push(violation('data.flags', 'DEFERRAL_FLAGS_INVALID', 'A deferral can carry only the EPHEMERAL flag'));
  }
  return violations;
}

function validateChoices(data: unknown): Violation[] {
  if (isAbsent(data)) return [required('data')];
  // The callback does not contain the option's type, so the first choice determines it.
  const first = asObject(asList(asObject(data).choices)[0]).value;
  const kind = typeof first !== 'number' ? 'text' : Number.isInteger(first) ? 'integer' : 'number';
  return validateShape(schema[kind], data, 'data', requestOptions);
}
