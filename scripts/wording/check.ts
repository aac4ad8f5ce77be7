interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Splits names such as `sentImages` and `IMAGE_LIMIT` into their words. */
const separateWords = (text: string) => text.replace(/(?<=[a-z\d])(?=[A-Z])|_/g, ' ').toLowerCase();

/** One line per flagged word: `path:line: "word": write "…"`. */
export function findFlaggedWords(
  { path, text }: TextFile,
  words: Readonly<Record<string, RegExp>>,
  exceptions: readonly string[],
): string[] {
  return text.split('\n').flatMap((line, index) => {
    const separatedLine = separateWords(exceptions.reduce((rest, exception) => rest.replaceAll(exception, ' '), line));
    return Object.entries(words).flatMap(([replacement, pattern]) => {
      const match = pattern.exec(separatedLine)?.[0];
      return match === undefined ? [] : [`${path}:${index + 1}: "${match}": write "${replacement}"`];
    });
  });
}

/** Exceptions that no file needs any longer. */
export const unusedExceptions = (files: readonly TextFile[], exceptions: readonly string[]): string[] =>
  exceptions
    .filter((exception) => !files.some(({ text }) => text.includes(exception)))
    .map((exception) => `scripts/wording/words.ts: no file needs the exception "${exception}"`);

/** Longer subjects are cut off in the lists that show them. */
const MAX_SUBJECT_LENGTH = 72;

/** Imperatives that end like a past tense, a participle or a plural. */
const IMPERATIVES =
  /^(?:bring|embed|feed|need|proceed|seed|speed|shed|string|process|pass|address|discuss|dismiss|compress|express|focus|guess|press|canvas)$/;

/** The problem of a commit's subject; undefined if there is none. */
export function subjectProblem(subject: string): string | undefined {
  if (subject.length > MAX_SUBJECT_LENGTH) return `has ${subject.length} characters; ${MAX_SUBJECT_LENGTH} are allowed`;
  if (!/^[A-Z][a-z]/.test(subject)) return 'should begin with a capitalized verb';
  if (subject.endsWith('.')) return 'should not end with a full stop';
  const [firstWord = ''] = subject.toLowerCase().split(/[^a-z]/);
  if (/(?:ed|ing|s)$/.test(firstWord) && !IMPERATIVES.test(firstWord))
    return 'should begin with an imperative, such as "Add"';
  return undefined;
}
