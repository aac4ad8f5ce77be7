export const text = {
  command: {
    description: 'Generate an image from a prompt, or edit your images',
    example: '/image prompt:the same fox, but at night',
    options: {
      prompt: 'Image prompt, or changes to make to your images',
      model: 'Model ID; IDs ending in -2K or -4K give larger images',
      image: 'Reference image',
      image2: 'Second reference image',
      image3: 'Third reference image',
      image4: 'Fourth reference image',
      links: 'Reference image URLs, separated by spaces',
      repeat: 'Number of times to run the prompt',
      preset: 'Preset with a template and options',
      private: 'Private reply that only you can see',
    },
  },
  menus: { reference: 'Use as reference' },
  help: { about: { reference: 'Generate an image with this one as the reference' } },
  task: { buttons: { larger: 'Enlarge ({{size}})', runLarger: 'Run again in {{size}}' } },
  larger: {
    result: 'Sends the result to {{model}}, which redraws it larger. Small details may change.',
    again: 'Runs the same request with {{model}}. The new image will look different.',
  },
  video: { button: 'Make a video' },
  /** The form that makes an image from reference images. */
  reference: {
    title_one: 'Generate an image from this reference',
    title_other: 'Generate an image from these references',
    prompt: 'Prompt',
    model: 'Model',
    modelHint: 'Exact model ID. Leave empty for the default model.',
  },
  tasks: { kinds: { image: 'Image' } },
} as const;
