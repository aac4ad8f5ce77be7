export const text = {
  command: {
    description: 'Show and change the settings of this channel',
    show: { description: 'Show the settings and the persona of this channel', example: '/channel show' },
    edit: { description: 'Change the settings and the persona of this channel', example: '/channel edit' },
    reset: { description: 'Remove all settings of this channel', example: '/channel reset' },
  },
} as const;
