import unhomoglyph from 'unhomoglyph';

/** A word of a text, in the forms in which it is compared with blocked words. */
export interface FoldedWord {
  /** In lower case, without accents and invisible characters. */
  plain: string;
  /** With letters of other alphabets replaced by similar Latin letters; undefined if it is a real word in its script. */
  lookalike?: string | undefined;
  /** With digits and signs replaced by the letters that they stand for; undefined if it has none. */
  leet?: string | undefined;
  /** With its accents; undefined if it has none. */
  accented?: string | undefined;
}

export interface FoldedText {
  /** The text without disguises that no language uses, for matching patterns. */
  clean: string;
  words: readonly FoldedWord[];
  /** Words that are joined from parts such as `c.a.s.i.n.o`, `c a s i n o` or `c a  s i n o`. */
  joinedWords: readonly FoldedWord[];
  /** Rows of single letters, in which a word may begin and end anywhere. A wider gap ends the row. */
  spelledWords: readonly FoldedWord[];
  /** Words with stars in place of letters, such as `c*sino`. */
  wordsWithStars: readonly string[];
  /** Only letters and digits, for scripts without spaces between words. */
  squeezedText: string;
}

/** A table of pairs such as `ß=ss`. */
const tableOf = (...rows: readonly string[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap((row) => row.split(' ')).map((pair) => [pair.charAt(0), pair.slice(2)]));

/** Letters that Unicode does not decompose. */
const LETTERS = tableOf(
  'ß=ss æ=ae œ=oe ø=o ł=l đ=d ð=d þ=th ħ=h ı=i ŧ=t ƒ=f ƞ=n ɓ=b ɗ=d ɛ=e ɔ=c ƙ=k ɲ=n ɾ=r ʈ=t',
  'ᴀ=a ʙ=b ᴅ=d ᴇ=e ꜰ=f ɢ=g ʜ=h ᴊ=j ᴋ=k ĸ=k ʟ=l ᴍ=m ɴ=n ᴘ=p ʀ=r ᴛ=t ʍ=m ꞯ=q',
  'ε=e η=n τ=t κ=k ω=w χ=x β=b ς=c',
);

/** Characters that stand for letters when they are among letters. */
const SUBSTITUTES = tableOf('0=o 1=i 3=e 4=a 5=s 6=g 7=t 8=b 9=g $=s @=a !=i ¡=i |=i +=t †=t €=e ℮=e £=l ¢=c');

/** Invisible characters. U+0640 only stretches an Arabic word. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\u0640/gu;
/** Marks in these scripts are accents or optional vowel signs; in others, a mark makes another letter. */
const ACCENTS =
  /(?<=^|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{N}\p{P}\s])\p{M}+/gu;
const EMOJI_LETTERS = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu;
const EMOJI_LETTER_BLOCKS = [0x1f150, 0x1f170, 0x1f1e6] as const;

/** A word, including everything that may stand for a letter. */
const WORD_CANDIDATE = /[\p{L}\p{N}\p{M}$@!¡|+†€℮£¢]+/gu;
/** Words in Hangul and in scripts without spaces stand directly beside those of other scripts: `casinoの夜`. Digits belong to what follows. */
const SCRIPT_RUN =
  /\p{N}*\p{sc=Hangul}+|\p{N}*[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+|[^\p{sc=Hangul}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;
/** These are punctuation at the start or end of a word. */
const LEADING_PUNCTUATION = '!¡|+';
const TRAILING_PUNCTUATION = '!|+†';
/** Bars that are written between the letters of a word. */
const BARS = /\|/g;
/** A word in which some letters are replaced by stars. Stars at its ends are Discord's marks for bold text. */
const WORD_WITH_STARS = /[\p{L}*]+/gu;
const SINGLE_LETTER = /^\p{L}$/u;
const MAX_MASKED_WORDS = 20;
const MAX_MASKED_LENGTH = 40;
/** Longer than any blocked word, and short enough that a text of one word is not compared twice. */
const MAX_MIXED_LENGTH = 100;
const APOSTROPHE = /['’ʼ`´]/;
const MIN_SPELLED_LETTERS = 3;

/** Removes invisible characters and brings every way to write a letter into one form. */
export function cleanText(text: string): string {
  return text.normalize('NFKC').replace(INVISIBLE, '').replace(EMOJI_LETTERS, latinOf).toLowerCase();
}

function latinOf(emoji: string): string {
  const code = emoji.codePointAt(0) ?? 0;
  const start = EMOJI_LETTER_BLOCKS.findLast((one) => one <= code) ?? code;
  return String.fromCodePoint(0x61 + code - start);
}

function plainText(clean: string): string {
  if (isAscii(clean)) return clean;
  const unaccented = clean.normalize('NFD').replace(ACCENTS, '').normalize('NFC');
  return unaccented.replace(/[^\p{ASCII}]/gu, (letter) => LETTERS.get(letter) ?? letter);
}

const isAscii = (text: string): boolean => !/[^\p{ASCII}]/u.test(text);

export function foldText(text: string): FoldedText {
  const clean = cleanText(text);
  const plain = plainText(clean);
  const scripts = new Set(foreignScripts(plain));
  const words: FoldedWord[] = [];
  const joinedWords: FoldedWord[] = [];
  const spelledWords: FoldedWord[] = [];
  const fold = (piece: Piece): FoldedWord => foldWord(piece, scripts);
  let rows: Row[] = [];
  const endSpelling = (): void => {
    const spelledRows = rows
      .filter(({ pieces }) => pieces.length >= MIN_SPELLED_LETTERS)
      .map(({ pieces }) => fold(join(pieces)));
    spelledWords.push(...spelledRows);
    // Phrases may have a part that is spelled out.
    words.push(...spelledRows);
    if (rows.length > 1) joinedWords.push(fold(join(rows.flatMap(({ pieces }) => pieces))));
    rows = [];
  };
  const chunks = clean.split(/(\s+)/);
  const standaloneWords: string[] = [];
  let hasMixedWords = false;
  // Every other chunk is a gap.
  for (let index = 0; index < chunks.length; index += 2) {
    const [gap = '', chunk = ''] = [chunks[index - 1], chunks[index]];
    const wholePieces = piecesOf(chunk);
    const pieces = wholePieces.flatMap(splitScripts);
    hasMixedWords ||= pieces.length > wholePieces.length;
    standaloneWords.push(pieces.length === 1 && !APOSTROPHE.test(chunk) ? (pieces[0]?.plain ?? '') : '');
    for (const [pieceIndex, piece] of pieces.entries()) {
      if (isOneLetter(piece.accented ?? piece.plain)) addLetter(rows, piece, pieceIndex === 0 ? gap.length : 0);
      else {
        endSpelling();
        words.push(fold(piece));
        if (piece.plain.includes('|')) words.push(fold({ plain: piece.plain.replace(BARS, '') }));
      }
    }
    if (pieces.length > 1 && !APOSTROPHE.test(chunk)) joinedWords.push(fold(join(pieces)));
  }
  endSpelling();
  // A blocked word may mix scripts, too: `k팝`. The empty word ends any phrase before it.
  if (hasMixedWords)
    for (const { plain, accented } of [{ plain: '' }, ...clean.split(/\s+/).flatMap(piecesOf)])
      words.push(fold({ plain: plain.slice(0, MAX_MIXED_LENGTH), accented }));
  joinedWords.push(...splitWords(standaloneWords));
  const wordsWithStars = plain.includes('*') ? maskedWords(plain) : [];
  return {
    clean,
    words,
    joinedWords,
    spelledWords,
    wordsWithStars,
    squeezedText: plain.replace(/[^\p{L}\p{N}\p{M}]+/gu, ''),
  };
}

function maskedWords(plain: string): string[] {
  const isMasked = (text: string): boolean =>
    text.length <= MAX_MASKED_LENGTH &&
    text.includes('*') &&
    [text.at(0), text.at(-1)].every((end = '') => SINGLE_LETTER.test(end));
  return (plain.match(WORD_WITH_STARS) ?? []).filter(isMasked).slice(0, MAX_MASKED_WORDS);
}

interface Piece {
  plain: string;
  accented?: string | undefined;
}

function piecesOf(chunk: string): Piece[] {
  const plain = (plainText(chunk).match(WORD_CANDIDATE) ?? []).map(trimPunctuation).filter(Boolean);
  if (isAscii(chunk)) return plain.map((piece) => ({ plain: piece }));
  const accented = (chunk.match(WORD_CANDIDATE) ?? []).map(trimPunctuation).filter(Boolean);
  // Accents on spaces or other characters make additional pieces.
  const hasSamePieceCount = accented.length === plain.length;
  return plain.map((piece, index) => ({
    plain: piece,
    ...(hasSamePieceCount && accented[index] !== piece && { accented: accented[index] }),
  }));
}

function splitScripts({ plain, accented }: Piece): Piece[] {
  const accentedRuns = accented?.match(SCRIPT_RUN);
  return (plain.match(SCRIPT_RUN) ?? []).map((run, index) => ({ plain: run, accented: accentedRuns?.[index] }));
}

const join = (pieces: readonly Piece[]): Piece => ({ plain: pieces.map(({ plain }) => plain).join('') });

/** Letters without a vowel are not a word but part of the word before or after them: `bi tch`. */
function splitWords(standaloneWords: readonly string[]): FoldedWord[] {
  return standaloneWords.flatMap((plain, index) => {
    const next = standaloneWords[index + 1] ?? '';
    if (plain === '' || next === '' || !(PART_OF_A_WORD.test(plain) || PART_OF_A_WORD.test(next))) return [];
    return [{ plain: plain + next, lookalike: latinLetters(plain + next) }];
  });
}

const PART_OF_A_WORD = /^[bcdfghj-np-tvwxz]{2,5}$/;

/** Single letters with gaps of the same width between them. */
interface Row {
  pieces: Piece[];
  gap: number | undefined;
}

function addLetter(rows: Row[], piece: Piece, gap: number): void {
  const row = rows.at(-1);
  if (!row || (row.gap !== undefined && gap > row.gap)) rows.push({ pieces: [piece], gap: undefined });
  else {
    row.pieces.push(piece);
    row.gap ??= gap;
  }
}

function trimPunctuation(piece: string): string {
  let [start, end] = [0, piece.length];
  while (start < end && LEADING_PUNCTUATION.includes(piece[start] ?? '')) start += 1;
  while (end > start && TRAILING_PUNCTUATION.includes(piece[end - 1] ?? '')) end -= 1;
  return piece.slice(start, end);
}

const isOneLetter = (piece: string): boolean => piece.length <= 2 && [...piece].length === 1;

export const foldBlockedWords = (text: string): FoldedWord[] =>
  cleanText(text)
    .split(/\s+/)
    .flatMap(piecesOf)
    .map(({ plain, accented }) => {
      const lookalike = latinLetters(plain);
      return { plain, lookalike, leet: leetLetters(lookalike), accented };
    });

/** A letter of each script whose letters may resemble Latin ones. */
const SCRIPTS = [
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Georgian}/u,
];

/** The scripts in which a text is really written: those with letters in it that do not resemble Latin ones. */
function foreignScripts(plain: string): RegExp[] {
  const letters = new Set(plain.replace(/[\p{ASCII}]/gu, ''));
  return SCRIPTS.filter((script) =>
    [...letters].some((letter) => script.test(letter) && !/[a-z]/.test(latinLetters(letter))),
  );
}

/** A word in one of the text's scripts is a real word. A word in several scripts, or in a script that is not used elsewhere, is a disguise. */
function foldWord({ plain: piece, accented }: Piece, foreign: ReadonlySet<RegExp>): FoldedWord {
  const wordScripts = SCRIPTS.filter((script) => script.test(piece));
  const isMixed = wordScripts.length > 1 || (wordScripts.length === 1 && /[a-z]/.test(piece));
  const isGenuine = wordScripts.length === 1 && !isMixed && wordScripts.every((script) => foreign.has(script));
  const latin = latinLetters(piece);
  return {
    plain: piece,
    lookalike: isGenuine ? undefined : latin,
    leet: hasLeetCharacters(piece) ? leetLetters(latin) : undefined,
    accented,
  };
}

function latinLetters(text: string): string {
  const latin = text.replace(/[^\p{ASCII}]/gu, (letter) => {
    const decomposed = LETTERS.get(letter) ?? lookalikeOf(letter);
    const latin = LETTERS.get(decomposed) ?? decomposed;
    return /^[a-z0-9]$/.test(latin) ? latin : letter;
  });
  return latin.replaceAll('vv', 'w');
}

/** Some letters only resemble Latin ones as capitals. */
function lookalikeOf(letter: string): string {
  const latin = unhomoglyph(letter);
  return (latin === letter ? unhomoglyph(letter.toUpperCase()) : latin).toLowerCase();
}

/** Longer words are not product codes or sizes, unless they have many more digits than letters. */
const MAX_CODE_LENGTH = 5;

function hasLeetCharacters(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\d/g)?.length ?? 0;
  const isWord = letters >= digits || (text.length > MAX_CODE_LENGTH && letters * 2 > digits);
  return letters > 0 && isWord && /[\d$@!¡|+†€℮£¢]/.test(text);
}

/** `1` stands for both i and l, so both become the same letter. */
const leetLetters = (text: string): string =>
  text.replace(/[^a-z]/g, (character) => SUBSTITUTES.get(character) ?? character).replaceAll('l', 'i');
