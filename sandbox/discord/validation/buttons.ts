import { ButtonStyle } from 'discord-api-types/v10';
import { validateEmoji } from './emoji.ts';
import { isAbsent, isBlank, type JsonObject } from './json.ts';
import { field, required, type Violation, violation } from './violation.ts';

/** https://discord.com/developers/docs/components/reference#button: the style decides which fields are allowed. */
export function validateButton(button: JsonObject, path: string): Violation[] {
  const isPremium = button.style === ButtonStyle.Premium;
  const isEmpty = !isPremium && isBlank(button.label) && isAbsent(button.emoji);
  return [
    ...(isPremium ? validatePremium(button, path) : validateTarget(button, path)),
    ...(isEmpty ? [violation(path, 'BUTTON_COMPONENT_EMPTY', 'A button must have a label or an emoji')] : []),
    ...validateEmoji(button.emoji, field(path, 'emoji')),
  ];
}

function validateTarget(button: JsonObject, path: string): Violation[] {
  const { custom_id: customId, url, sku_id: sku } = button;
  const fieldPath = field(path, 'custom_id');
  if (!isAbsent(sku)) return [forbidden(path, 'sku_id')];
  if (!isAbsent(customId) && !isAbsent(url)) {
    const message = 'A custom id and url cannot both be specified';
    return [violation(fieldPath, 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE', message)];
  }
  if (button.style === ButtonStyle.Link) {
    if (!isAbsent(customId)) return [forbidden(path, 'custom_id')];
    return isAbsent(url) ? [required(field(path, 'url'))] : validateScheme(url, field(path, 'url'));
  }
  if (!isAbsent(url)) return [forbidden(path, 'url')];
  return isAbsent(customId)
    ? [violation(fieldPath, 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED', 'A custom id is required')]
    : [];
}

function validatePremium(button: JsonObject, path: string): Violation[] {
  const found = ['custom_id', 'url', 'label', 'emoji'].filter((key) => !isAbsent(button[key]));
  const missing = isAbsent(button.sku_id) ? [required(field(path, 'sku_id'))] : [];
  return [...missing, ...found.map((key) => forbidden(path, key))];
}

const forbidden = (path: string, key: string): Violation =>
  violation(field(path, key), 'BUTTON_COMPONENT_FIELD_FORBIDDEN', `A button of this style cannot have "${key}"`);

function validateScheme(url: unknown, fieldPath: string): Violation[] {
  // The schema refuses invalid URLs.
  if (typeof url !== 'string' || !URL.canParse(url) || /^(https?|discord):/i.test(url)) return [];
  return [violation(fieldPath, 'URL_TYPE_INVALID_SCHEME', "Scheme must be one of ('http', 'https', 'discord').")];
}
