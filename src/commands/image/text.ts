export const text = {
  command: {
    description: 'A picture from words, or other pictures made of yours',
    example: '/image prompt:the same fox, but at night',
    who: 'everyone',
    options: {
      prompt: 'What the picture shows, or what is to change in those you give',
      model: 'Which model paints it; -2K and -4K ones make larger pictures',
      image: 'A picture to go by',
      image2: 'A second picture to go by',
      image3: 'A third picture to go by',
      image4: 'A fourth picture to go by',
      links: 'Addresses of pictures to go by, with spaces between',
      private: 'Only you see the answer and its result',
    },
  },
  menus: { reference: 'Use as reference' },
  help: { about: { reference: 'a new picture that goes by it' } },
  task: { buttons: { larger: 'Larger ({{size}})' } },
  film: { button: 'Make a video' },
  /** The form that makes a picture of pictures. */
  reference: {
    title: 'A picture made of this one',
    words: 'What the new picture shows',
    pictures: 'Pictures to go by',
    picturesHint: 'Addresses, one a line. They should lead to pictures that anybody can open.',
    which: 'Which of them',
    whichHint: 'Without a choice it is all of them.',
    one: 'Picture {{number}}: {{name}}',
    model: 'Model',
    modelHint: 'Its id, letter by letter. Left empty, it is the usual one of this bot.',
  },
  refusals: {
    noSuchPicture:
      'There is no picture {{number}} among those in the form. Choose another one, or none for all of them.',
  },
} as const;
