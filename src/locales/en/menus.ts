/** Entries of the menu on a message, under "Apps". Discord calls them by what they say. */
export const menus = {
  describe: 'Describe this picture',
  reference: 'Use as reference',
  film: 'Make a video of it',
} as const;
