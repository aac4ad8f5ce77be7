/** The form that makes a picture of pictures. */
export const reference = {
  title: 'A picture made of this one',
  words: 'What the new picture shows',
  pictures: 'Pictures to go by',
  picturesHint: 'Addresses, one a line. They should lead to pictures that anybody can open.',
  which: 'Which of them',
  whichHint: 'Without a choice it is all of them.',
  one: 'Picture {{number}}: {{name}}',
  model: 'Model',
  modelHint: 'Its id, letter by letter. Left empty, it is the usual one of this bot.',
} as const;
