import { z } from 'zod';

/** The language of the member, by their settings or as a locale of Discord, if it is known and not English. */
export const memberLanguage = z
  .string()
  .regex(/^(?!en)[a-z]{2}(?:-(?:[A-Z]{2}|\d{3}))?$/)
  .optional()
  .catch(undefined);

/** A hint for the model, which answers in any language that it thinks fit. */
export const languageHint = (language: string | undefined): string | undefined =>
  // The names take several megabytes, so they are read when they are needed.
  language && `The language of the member is ${new Intl.DisplayNames(['en'], { type: 'language' }).of(language)}.`;
