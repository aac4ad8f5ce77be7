/** Preloaded by the sandbox: lets the bot speak a language that has no folder, so that members cannot choose it elsewhere. */

import { readMaxLengths } from '../../scripts/locales/lengths.ts';
import { languages } from '../../src/lib/languages.ts';
import { strings, translations } from '../../src/locales/index.ts';
import { PSEUDO_LANGUAGE, pseudoStrings } from './pseudo-strings.ts';

Array.prototype.push.call(languages, PSEUDO_LANGUAGE);
translations.addResourceBundle(PSEUDO_LANGUAGE, 'translation', pseudoStrings(strings, readMaxLengths()));
