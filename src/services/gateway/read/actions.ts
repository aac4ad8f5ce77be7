import { asNumber, asText, firstAt, places } from './places.ts';
import type { Action } from './snapshot.ts';

export const buttonPlaces = {
  customId: places('customId', 'custom_id'),
  label: places('label'),
  emoji: places('emoji', 'emoji.name'),
  style: places('style'),
} as const;

export function actionFrom(value: unknown): Action | undefined {
  const customId = firstAt(value, buttonPlaces.customId, asText);
  if (customId === undefined) return undefined;
  return {
    customId,
    label: firstAt(value, buttonPlaces.label, asText) ?? '',
    emoji: firstAt(value, buttonPlaces.emoji, asText) ?? '',
    style: firstAt(value, buttonPlaces.style, asNumber),
  };
}
