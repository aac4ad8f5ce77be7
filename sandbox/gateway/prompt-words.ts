/** A prompt may be very long; its beginning is enough to determine the subject. */
const MAX_PROMPT_LENGTH = 20_000;
const FLAG_PATTERN = /(?:^|\s)(?:--|—)[a-z][\w-]*(?:[\s=]+[\d.:x/,+-]+(?=\s|$))?/gi;
const URL_PATTERN = /\bhttps?:\/\/\S+|<[^>\s]*>/gi;

const STOP_WORDS = new Set(
  `a about above after all also am an and any are as at be because been being below between both but by can could did do
  does down during each few for from further had has have having he her here hers him his how i if in into is it its just
  like me more most my no nor not of off on once only or other our out over own please same she should so some such than
  that the their them then there these they this those through to too under until up us very was we were what when where
  which while who whom why will with would you your make create draw generate picture image photo`.split(/\s+/),
);

/** The prompt without flags and URLs, on one line. */
export function plainPrompt(prompt: string): string {
  return prompt
    .slice(0, MAX_PROMPT_LENGTH)
    .replace(URL_PATTERN, ' ')
    .replace(FLAG_PATTERN, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The words of a prompt in any script, in lower case and without accents, so "Forêt" and "foret" are the same word. */
export function wordsOf(prompt: string): string[] {
  const folded = plainPrompt(prompt).toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return folded.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The word, its possible singular forms and its possible verb stems, for dictionary lookups. */
export function stemsOf(word: string): string[] {
  const stems = [word];
  if (word.length > 3 && word.endsWith('s')) stems.push(word.slice(0, -1));
  if (word.length > 4 && word.endsWith('es')) stems.push(word.slice(0, -2));
  if (word.length > 4 && word.endsWith('ies')) stems.push(`${word.slice(0, -3)}y`);
  if (word.length > 4 && word.endsWith('y')) stems.push(word.slice(0, -1));
  if (word.length > 5 && word.endsWith('ing')) stems.push(word.slice(0, -3), `${word.slice(0, -3)}e`);
  return stems;
}
