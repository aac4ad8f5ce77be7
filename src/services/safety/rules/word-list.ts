import { isDifferentWord } from './different-word.ts';
import { type FoldedText, type FoldedWord, foldBlockedWords } from './fold.ts';

/** The forms in which words are compared. Only `leet`, the form for words with digits, treats `l` and `i` as the same letter. */
const forms = ['plain', 'lookalike', 'leet'] as const;
type Form = (typeof forms)[number];

interface Entry {
  word: FoldedWord;
  /** The number of repetitions of each letter. */
  runs: readonly number[];
  /** The blocked phrase that contains the word, and the word's position in it. */
  phrase: Phrase;
  position: number;
}

interface Phrase {
  text: string;
  length: number;
}

const byForm = <Value>(): Readonly<Record<Form, Map<string, Value>>> => ({
  plain: new Map(),
  lookalike: new Map(),
  leet: new Map(),
});

const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** A script whose language adds endings to words, so that each blocked word is treated as a prefix. */
const AGGLUTINATIVE_SCRIPT = /\p{Script=Hangul}/u;
const KATAKANA = /^[\p{Script=Katakana}ー]+$/u;
const HIRAGANA = /[\u3041-\u3096]/g;
const KATAKANA_OFFSET = 0x60;

/** No correct spelling repeats a letter this many times. */
const MIN_STRETCHED_RUN = 3;

/** Blocked words and phrases; a word that ends with `*` blocks everything that begins with it. */
export class WordList {
  readonly #words = byForm<Entry[]>();
  readonly #prefixes = byForm<{ word: FoldedWord; phrase: Phrase }>();
  /** The lengths of words and prefixes, without repeated letters. */
  readonly #lengths = new Set<number>();
  readonly #prefixLengths = new Set<number>();
  readonly #unspacedPhrases: { text: string; searchText: string }[] = [];
  readonly #singleWords: { text: string; word: string }[] = [];

  constructor(phrases: Iterable<string>) {
    for (const text of phrases) this.#add(text);
  }

  /** Returns the first blocked word or phrase in a text, as it was listed. */
  find({ words, joinedWords, spelledWords, wordsWithStars, squeezedText }: FoldedText): string | undefined {
    return (
      this.#findInUnspaced(squeezedText) ??
      this.#findInWords(words) ??
      this.#findSingle(joinedWords) ??
      this.#findInSpelled(spelledWords) ??
      this.#findInMasked(wordsWithStars)
    );
  }

  /** Whether a word is on the list, even if it is disguised. A listed word with accents is another one without them. */
  includes(word: FoldedWord): boolean {
    const isListed = this.#entriesOf(word).some(
      ({ word: { accented }, phrase }) => phrase.length === 1 && (accented === undefined || accented === word.accented),
    );
    return isListed || this.#prefixOf(word) !== undefined;
  }

  #add(text: string): void {
    const words = foldBlockedWords(text);
    const [first] = words;
    if (!first) return;
    const joinedText = words.map(({ plain }) => plain).join('');
    if (UNSPACED_SCRIPT.test(joinedText)) {
      this.#unspacedPhrases.push({ text, searchText: toKatakana(joinedText) });
      return;
    }
    const isPrefix = text.endsWith('*') || AGGLUTINATIVE_SCRIPT.test(joinedText);
    const phrase = { text, length: words.length };
    if (phrase.length === 1) this.#singleWords.push({ text, word: joinedText });
    if (isPrefix && words.length === 1) this.#addPrefix(first, phrase);
    else for (const [position, word] of words.entries()) this.#addWord(word, phrase, position);
    // A phrase may also be written as one word.
    if (words.length > 1) this.#addWord(joinWords(words), { text, length: 1 }, 0);
  }

  #addWord(word: FoldedWord, phrase: Phrase, position: number): void {
    for (const form of forms) {
      const text = word[form] ?? word.plain;
      const { letters, runs } = runsOf(text);
      const previousEntries = this.#words[form].get(letters) ?? [];
      this.#words[form].set(letters, [...previousEntries, { word, runs, phrase, position }]);
      if (phrase.length === 1) this.#lengths.add(letters.length);
    }
  }

  #addPrefix(word: FoldedWord, phrase: Phrase): void {
    for (const form of forms) {
      const { letters } = runsOf(word[form] ?? word.plain);
      this.#prefixes[form].set(letters, { word, phrase });
      this.#prefixLengths.add(letters.length);
    }
  }

  #findInUnspaced(squeezed: string): string | undefined {
    const katakana = toKatakana(squeezed);
    return this.#unspacedPhrases.find(({ searchText }) => {
      if (!KATAKANA.test(searchText)) return katakana.includes(searchText);
      // Foreign words in katakana are written without spaces, so a match must not begin within another word.
      for (let index = katakana.indexOf(searchText); index >= 0; index = katakana.indexOf(searchText, index + 1))
        if (!KATAKANA.test(squeezed.charAt(index - 1))) return true;
      return false;
    })?.text;
  }

  #findInMasked(masked: readonly string[]): string | undefined {
    for (const text of masked) {
      const letters = [...text];
      const matchesMask = (word: string): boolean =>
        word.length === text.length && letters.every((letter, index) => letter === '*' || letter === word[index]);
      const found = this.#singleWords.find(({ word }) => matchesMask(word));
      if (found) return found.text;
    }
    return undefined;
  }

  #findInWords(words: readonly FoldedWord[]): string | undefined {
    /** The phrases that begin with the preceding words. */
    let openEntries: Entry[] = [];
    for (const word of words) {
      const entries = this.#entriesOf(word);
      const matchingEntries = entries.filter(
        ({ phrase, position }) =>
          position === 0 || openEntries.some((one) => one.phrase === phrase && one.position === position - 1),
      );
      const completed = matchingEntries.find(({ phrase, position }) => position === phrase.length - 1);
      if (completed) return completed.phrase.text;
      openEntries = matchingEntries;
      const prefix = this.#prefixOf(word);
      if (prefix) return prefix.text;
    }
    return undefined;
  }

  #findSingle(words: readonly FoldedWord[]): string | undefined {
    for (const word of words) {
      const found = this.#entriesOf(word).find(({ phrase }) => phrase.length === 1)?.phrase ?? this.#prefixOf(word);
      if (found) return found.text;
    }
    return undefined;
  }

  /** Searches a row of single letters, in which a word can begin and end anywhere. */
  #findInSpelled(rows: readonly FoldedWord[]): string | undefined {
    for (const row of rows) {
      for (const form of forms) {
        const text = row[form];
        if (text === undefined) continue;
        const { letters, runs } = runsOf(text);
        for (const length of this.#lengths)
          for (let start = 0; start + length <= letters.length; start++) {
            const found = this.#words[form]
              .get(letters.slice(start, start + length))
              ?.find((entry) => isSpelled(entry) && isSameWord(runs.slice(start, start + length), entry.runs));
            if (found && areWords(letters.slice(0, start)) && areWords(letters.slice(start + length)))
              return found.phrase.text;
          }
      }
    }
    return undefined;
  }

  #entriesOf(word: FoldedWord): Entry[] {
    return forms.flatMap((form) => this.#lookUp(form, word));
  }

  #lookUp(form: Form, word: FoldedWord): Entry[] {
    const text = word[form];
    if (text === undefined) return [];
    const { letters, runs } = runsOf(text);
    const entries = (this.#words[form].get(letters) ?? []).filter((entry) => isSameWord(runs, entry.runs));
    if (text !== word.plain) return entries;
    return entries.filter((entry) => entry.phrase.length > 1 || !isDifferentWord(word, entry.word));
  }

  #prefixOf(word: FoldedWord): Phrase | undefined {
    if (this.#prefixLengths.size === 0) return undefined;
    for (const form of forms) {
      const text = word[form];
      if (text === undefined) continue;
      const { letters } = runsOf(text);
      for (const length of this.#prefixLengths) {
        const found = length <= letters.length ? this.#prefixes[form].get(letters.slice(0, length)) : undefined;
        if (found && (text !== word.plain || !isDifferentWord(word, found.word))) return found.phrase;
      }
    }
    return undefined;
  }
}

const joinWords = (words: readonly FoldedWord[]): FoldedWord => ({
  plain: words.map(({ plain }) => plain).join(''),
  lookalike: words.map(({ plain, lookalike = plain }) => lookalike).join(''),
  leet: words.map(({ plain, leet = plain }) => leet).join(''),
});

/** A spelled-out word has at least three letters. */
const isSpelled = ({ phrase, runs }: Entry): boolean =>
  phrase.length === 1 && runs.reduce((sum, count) => sum + count, 0) > 2;

/** Short words that often stand next to an insult that is spelled out. */
const SHORT_WORDS: ReadonlySet<string> = new Set(
  [
    'a i u an the my your his her our you he she it we they me him this that is are was be am do go to of in',
    'on at by with for and or but no not al so big fat what who free here yes der die das du ein eine ist le',
    'la les un une de el los las una',
  ].flatMap((line) => line.split(' ')),
);
const MAX_SHORT_WORD_LENGTH = 4;
/** More remaining letters than this count as words without a check. */
const MAX_REST_LENGTH = 60;

/** Whether the letters that remain next to a blocked word in a row are words, too: `h e l l o` is not `hell` and `o`. */
function areWords(letters: string): boolean {
  if (letters.length > MAX_REST_LENGTH || /[^a-z]/.test(letters)) return true;
  const ends = new Set([0]);
  for (let end = 1; end <= letters.length; end++)
    for (let length = 1; length <= Math.min(end, MAX_SHORT_WORD_LENGTH); length++)
      if (ends.has(end - length) && SHORT_WORDS.has(letters.slice(end - length, end))) ends.add(end);
  return ends.has(letters.length);
}

const toKatakana = (text: string): string =>
  text.replace(HIRAGANA, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + KATAKANA_OFFSET));

/** A word without repeated letters, and how often each letter was repeated. */
function runsOf(text: string): { letters: string; runs: number[] } {
  const letters: string[] = [];
  const runs: number[] = [];
  for (const letter of text) {
    if (letter === letters.at(-1)) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1;
    else {
      letters.push(letter);
      runs.push(1);
    }
  }
  return { letters: letters.join(''), runs };
}

/** `caaasino` is the same as `casino`, but `good` is not the same as `god`. */
function isSameWord(runs: readonly number[], blockedRuns: readonly number[]): boolean {
  const longer = runs.filter((count, index) => count > (blockedRuns[index] ?? 0));
  if (runs.some((count, index) => count < (blockedRuns[index] ?? 0))) return false;
  return longer.length !== 1 || longer.some((count) => count >= MIN_STRETCHED_RUN);
}
