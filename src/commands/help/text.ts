export const text = {
  command: { description: 'What can be done here', example: '/help', who: 'everyone' },
  help: {
    title: 'What can be done here',
    line: '{{mention}} · {{description}} ({{who}}). For example `{{example}}`',
    menus: 'On any message with a picture, under "Apps":',
    menuLine: '**{{name}}** · {{description}}',
    nothing: 'No command is registered here yet.',
  },
} as const;
