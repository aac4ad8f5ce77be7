export const text = {
  command: {
    description: 'Four pictures from two to five others',
    example: '/blend image1:fox.png image2:sea.png',
    who: 'everyone',
    options: {
      image1: 'The first picture',
      image2: 'The second picture',
      image3: 'A third picture',
      image4: 'A fourth picture',
      image5: 'A fifth picture',
      aspect: 'Width to height; without it, square',
      private: 'Only you see the answer and its result',
    },
    choices: { aspect: { portrait: 'Portrait (2:3)', square: 'Square', landscape: 'Landscape (3:2)' } },
  },
  task: { blend: { PORTRAIT: 'Portrait (2:3)', SQUARE: 'Square', LANDSCAPE: 'Landscape (3:2)' } },
} as const;
