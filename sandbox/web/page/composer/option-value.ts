import { OptionType } from '../discord-api.ts';
import { bytesText } from '../markdown/time.ts';
import type { Choice, Option } from './commands.ts';

/** The current value of an option. */
export type OptionValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'choice'; readonly choice: Choice }
  | { readonly kind: 'file'; readonly file: File };

export const displayText = (value: OptionValue | undefined): string =>
  value?.kind === 'text' ? value.text : value?.kind === 'choice' ? value.choice.name : '';

const isEmpty = (value: OptionValue | undefined): boolean =>
  !value || (value.kind === 'text' && value.text.trim() === '');

/** Validates an option as Discord's own client does before it sends a command. */
export function validateOption(
  option: Option,
  value: OptionValue | undefined,
  uploadBytes: number,
): string | undefined {
  if (isEmpty(value)) return option.required ? 'This option is required.' : undefined;
  if (value?.kind === 'file')
    return value.file.size > uploadBytes ? `That file is larger than ${bytesText(uploadBytes)}.` : undefined;
  if (value?.kind !== 'text') return undefined;
  if (acceptsOnlyListed(option)) return 'Choose an option from the list.';
  if (isNumeric(option)) return validateNumber(option, value.text.trim());
  const { min_length: min = 0, max_length: max = 6_000 } = option;
  const { length } = value.text;
  if (length < min) return `Enter at least ${min} characters.`;
  return length > max ? `Enter at most ${max} characters (now ${length}).` : undefined;
}

function validateNumber({ type, min_value: min, max_value: max }: Option, text: string): string | undefined {
  const value = Number(text.replace(',', '.'));
  if (!Number.isFinite(value)) return 'Enter a number.';
  if (type === OptionType.integer && !Number.isInteger(value)) return 'Enter a whole number.';
  if (min !== undefined && value < min) return `Enter ${min} or more.`;
  return max !== undefined && value > max ? `Enter ${max} or less.` : undefined;
}

export const isNumeric = ({ type }: Option): boolean => type === OptionType.integer || type === OptionType.number;

/** Whether only an entry of a list is valid. */
export const acceptsOnlyListed = ({ type, choices }: Option): boolean =>
  (choices?.length ?? 0) > 0 ||
  type === OptionType.boolean ||
  (type >= OptionType.user && type <= OptionType.mentionable);

/** Returns undefined for an empty option, which is not sent. */
export function valueToSend(option: Option, value: OptionValue | undefined): Choice['value'] | File | undefined {
  if (!value || isEmpty(value)) return undefined;
  if (value.kind === 'file') return value.file;
  if (value.kind === 'choice') return value.choice.value;
  return isNumeric(option) ? Number(value.text.trim().replace(',', '.')) : value.text;
}
