/** The form that makes a film of a picture, or a longer one of a film. */
export const animate = {
  title: 'A film of this picture',
  longerTitle: 'A longer film',
  words: 'What moves, and how',
  wordsHint: 'May be left empty.',
  motion: 'How much moves',
  motions: { low: 'Little', high: 'Much' },
  loop: 'Whether it ends as it began',
  loops: { yes: 'Yes, so that it can be played round and round', no: 'No' },
  picture: 'The picture it begins with',
  pictureHint: 'Its address.',
  end: 'A picture it ends with',
  which: 'Which of the films',
  film: 'Film {{number}}',
} as const;
