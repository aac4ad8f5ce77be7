export const text = {
  command: {
    description: 'Blend two to five images into four new ones',
    example: '/blend image1:fox.png image2:sea.png',
    options: {
      image1: 'First image',
      image2: 'Second image',
      image3: 'Third image',
      image4: 'Fourth image',
      image5: 'Fifth image',
      aspect: 'Aspect ratio; default: square',
      private: 'Private reply that only you can see',
    },
    choices: { aspect: { portrait: 'Portrait (2:3)', square: 'Square (1:1)', landscape: 'Landscape (3:2)' } },
  },
  task: { blend: { PORTRAIT: 'Portrait (2:3)', SQUARE: 'Square (1:1)', LANDSCAPE: 'Landscape (3:2)' } },
  tasks: { kinds: { blend: 'Image blend' } },
} as const;
