import { z } from 'zod';
import { type Language, languages } from '../../lib/languages.ts';

/** The language of the member, by their settings or their Discord, if it is known and not English. */
export const memberLanguage = z.enum(languages).optional().catch(undefined);

const englishNames = new Intl.DisplayNames(['en'], { type: 'language' });

/** A hint for the model, which answers in any language that it thinks fit. */
export const languageHint = (language: Language | undefined): string | undefined =>
  language && `The language of the member is ${englishNames.of(language)}.`;
