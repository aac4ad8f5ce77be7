export const text = {
  command: {
    description: 'Words that could have led to a picture',
    example: '/describe image:fox.png',
    who: 'everyone',
    options: {
      image: 'The picture to describe',
      image2: 'A second picture, described together with the first',
      image3: 'A third picture, described together with the first',
      image4: 'A fourth picture, described together with the first',
      private: 'Only you see the answer and its result',
    },
  },
  menus: { describe: 'Describe this picture' },
  help: { about: { describe: 'words that could have led to it, for you alone' } },
  task: { buttons: { describeAgain: 'Describe again' } },
} as const;
