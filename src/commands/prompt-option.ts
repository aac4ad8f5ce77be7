import type { TextOption } from '../discord/options.ts';
import { Refusal } from '../lib/refusal.ts';

/** As much as Discord lets a member type into an option. */
export const LONGEST_OPTION = 6_000;

export const promptOption = { type: 'text', required: true, most: LONGEST_OPTION } as const satisfies TextOption;

/** Letters that nobody sees are no words. */
export const saysAnything = (words: string): boolean => /[^\s\p{Cf}]/u.test(words);

export const emptyPrompt = ({ prompt }: { prompt: string }): Refusal | undefined =>
  saysAnything(prompt) ? undefined : new Refusal('refusals.optionPromptEmpty');
