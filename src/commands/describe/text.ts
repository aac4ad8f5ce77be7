export const text = {
  command: {
    description: 'Suggest prompts based on an image',
    example: '/describe image:fox.png',
    options: {
      image: 'Image to describe',
      image2: 'Second image, described together with the first',
      image3: 'Third image, described together with the first',
      image4: 'Fourth image, described together with the first',
      private: 'Private reply that only you can see',
    },
  },
  menus: { describe: 'Describe image' },
  help: { about: { describe: 'Suggest prompts based on the image; only you see them' } },
  task: { buttons: { describeAgain: 'Describe again' } },
  tasks: { kinds: { describe: 'Image description' } },
} as const;
