export const text = {
  command: { description: 'List the commands you can use here', example: '/help', who: 'everyone' },
  help: {
    title: 'Commands',
    line: '{{mention}} · {{description}} ({{who}}). Example: `{{example}}`',
    adminLine: '{{mentions}} · {{description}} (members with the Manage Server permission)',
    menus: 'On messages, under **Apps**:',
    menuLine: '**{{name}}** · {{description}}',
    nothing: 'No commands are registered here yet.',
  },
} as const;
