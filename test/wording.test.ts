import { describe, expect, it } from 'vitest';
import { findFlaggedWords, subjectProblem, unusedExceptions } from '../scripts/wording/check.ts';
import { flaggedWords } from '../scripts/wording/words.ts';

const problemsIn = (text: string, exceptions: readonly string[] = []) =>
  findFlaggedWords({ path: 'src/some.ts', text }, flaggedWords, exceptions);

describe('The check of wording', () => {
  it('The check of wording reports a flagged word with its line and its replacement', () => {
    expect(problemsIn('one\nA picture of it')).toEqual(['src/some.ts:2: "picture": write "image"']);
  });

  it('The check of wording finds a flagged word within an identifier in camel case or capitals', () => {
    expect(problemsIn('const fetchedPictures = LARGEST_FILM;')).toHaveLength(2);
  });

  it('The check of wording ignores words that merely contain a flagged one', () => {
    expect(problemsIn('The wished-for filming of a picturesque place')).toEqual([]);
  });

  it('The check of wording allows exceptions, and no other use of their words', () => {
    expect(problemsIn('MAX_PICTURE', ['MAX_PICTURE'])).toEqual([]);
    expect(problemsIn('MIN_PICTURE', ['MAX_PICTURE'])).toHaveLength(1);
  });

  it('The check of wording reports an exception that is not needed in any file', () => {
    expect(unusedExceptions([{ path: 'a.ts', text: 'OLD_NAME' }], ['OLD_NAME'])).toEqual([]);
    expect(unusedExceptions([{ path: 'a.ts', text: 'NEW_NAME' }], ['OLD_NAME'])).toHaveLength(1);
  });

  it.each(['Reject empty messages ephemerally', 'Process uploads one at a time', 'Embed the font'])(
    'The check of wording accepts the commit subject "%s"',
    (subject) => expect(subjectProblem(subject)).toBeUndefined(),
  );

  it.each([
    'Added a test',
    'wip',
    'Fixes the build',
    'Adding tests',
    'Reject empty messages.',
    `Add ${'x'.repeat(70)}`,
  ])('The check of wording rejects the commit subject "%s"', (subject) =>
    expect(subjectProblem(subject)).toBeDefined(),
  );
});
