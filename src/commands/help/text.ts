export const text = {
  command: { description: 'List the commands you can use here', example: '/help' },
  help: {
    title: 'Commands',
    groups: {
      create: '**Create**',
      more: '**Tasks, usage and this bot**',
      admins: '**Manage** (admins)',
    },
    line: '{{mention}} · {{description}}.',
    lineWithExample: '{{mention}} · {{description}}. Example: `{{example}}`',
    adminLine: '{{mentions}} · {{description}}',
    mentions: {
      server: 'The bot also answers messages that mention it, and replies to its messages, like `/ask`.',
      direct: 'The bot also answers messages that you send it directly, like `/ask`.',
    },
    menus: '**On messages**, under **Apps**',
    menuLine: '**{{name}}** · {{description}}',
    nothing: 'No commands are registered here yet.',
  },
} as const;
