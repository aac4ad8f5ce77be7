import { bytesText } from '../markdown/time.ts';
import { OptionType } from '../wire.ts';
import type { Choice, Option } from './commands.ts';

/** The current value of an option. */
export type OptionValue =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'choice'; readonly choice: Choice }
  | { readonly is: 'file'; readonly file: File };

export const shownText = (filled: OptionValue | undefined): string =>
  filled?.is === 'text' ? filled.text : filled?.is === 'choice' ? filled.choice.name : '';

const isEmpty = (filled: OptionValue | undefined): boolean =>
  !filled || (filled.is === 'text' && filled.text.trim() === '');

/** Validates an option as Discord's own client does before it sends a command. */
export function objection(option: Option, filled: OptionValue | undefined, uploadBytes: number): string | undefined {
  if (isEmpty(filled)) return option.required ? 'This option is required.' : undefined;
  if (filled?.is === 'file')
    return filled.file.size > uploadBytes ? `That file is larger than ${bytesText(uploadBytes)}.` : undefined;
  if (filled?.is !== 'text') return undefined;
  if (acceptsOnlyListed(option)) return 'Choose an option from the list.';
  if (isNumeric(option)) return numberObjection(option, filled.text.trim());
  const { min_length: least = 0, max_length: most = 6_000 } = option;
  const { length } = filled.text;
  if (length < least) return `Enter at least ${least} characters.`;
  return length > most ? `Enter at most ${most} characters (now ${length}).` : undefined;
}

function numberObjection({ type, min_value: least, max_value: most }: Option, text: string): string | undefined {
  const value = Number(text.replace(',', '.'));
  if (!Number.isFinite(value)) return 'Enter a number.';
  if (type === OptionType.integer && !Number.isInteger(value)) return 'Enter a whole number.';
  if (least !== undefined && value < least) return `Enter ${least} or more.`;
  return most !== undefined && value > most ? `Enter ${most} or less.` : undefined;
}

export const isNumeric = ({ type }: Option): boolean => type === OptionType.integer || type === OptionType.number;

/** Whether only an entry of a list is valid. */
export const acceptsOnlyListed = ({ type, choices }: Option): boolean =>
  (choices?.length ?? 0) > 0 ||
  type === OptionType.boolean ||
  (type >= OptionType.user && type <= OptionType.mentionable);

/** Undefined for an empty option, which is not sent. */
export function sentValue(option: Option, filled: OptionValue | undefined): Choice['value'] | File | undefined {
  if (!filled || isEmpty(filled)) return undefined;
  if (filled.is === 'file') return filled.file;
  if (filled.is === 'choice') return filled.choice.value;
  return isNumeric(option) ? Number(filled.text.trim().replace(',', '.')) : filled.text;
}
