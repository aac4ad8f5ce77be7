export const text = {
  command: { description: 'Set the bot up on this server in five steps', example: '/setup' },
  setup: {
    hint: 'The bot has not been set up on this server yet. {{command}} checks its permissions and shows budget, rules and privacy, in five steps that only you see.',
    asOf: 'As of <t:{{at}}:T>',
    title: 'Set-up, step {{number}} of 5: {{name}}',
    names: {
      permissions: 'Permissions',
      access: 'Who can use it',
      budget: 'Budget',
      rules: 'Rules and log channel',
      privacy: 'Privacy',
    },
    overview: {
      title: 'Set-up of this server',
      done: '✅ {{number}}. {{name}}',
      open: '▫️ {{number}}. {{name}}',
      allDone: 'All steps are done. You can return to each of them at any time.',
      notDone: 'You can leave at any time. {{command}} continues with the first step that is not done.',
    },
    buttons: {
      back: 'Back',
      next: 'Next',
      finish: 'Finish',
      refresh: 'Refresh',
      all: 'All steps',
      budget: 'Show budget',
    },
    permissions: {
      here: '**In <#{{channel}}>**',
      named: '**In channels that the settings name**',
      granted: '✅ <#{{channel}}>, {{use}}',
      missing: '❌ <#{{channel}}>, {{use}}: {{missing}}',
      unknown:
        '❔ <#{{channel}}>, {{use}}: could not be checked. Use `/server check` there, or choose another channel.',
      uses: {
        log: 'the log channel',
        alerts: 'the alerts channel of `/budget`',
        access: 'where a rule allows commands',
      },
    },
    access: {
      integrations:
        'In **Server Settings → Integrations**, choose the bot. There you decide which roles and members can use each command, and in which channels.',
      mentions:
        'The bot also answers messages that mention it, and replies to its messages, for members who can use `/ask`. A rule for **Mentions of the bot** can limit this.',
      rules: '**Rules of this server**, which apply in addition',
    },
    budget: {
      noAlerts: 'Alerts are off.',
      change: 'Change limits with {{set}}, and the channel for alerts with {{alerts}}.',
    },
    more_one: '…and {{count}} more in {{command}}',
    more_other: '…and {{count}} more in {{command}}',
    privacy: {
      stored:
        '**Stored:** requests with their prompts, options and links to their results, and conversations, for 400 days after they end. Amounts and times stay for limits and usage, without names once members delete their data. Settings, rules and limits stay until someone changes them.',
      mentions:
        '**Messages** that mention the bot, and replies to its messages, are treated like requests with `/ask`.',
      own: '**Own data:** members export or delete what is stored about them with the buttons on the first page of {{command}}.',
      admins: '**Admins** can list the public tasks of this server, but never private ones.',
      held: '**Results that are held**, also of private tasks, are shown to moderators with their prompts in <#{{channel}}>.',
      operator:
        '**The operator** runs the database and can read what is stored in it, including private tasks. The bot’s log contains no prompts, results or files.',
      others: '**Discord and the AI gateway** receive requests and results, and keep them under their own rules.',
      moderation:
        '**The operator’s moderation service** receives the text, images and results that are checked here, and keeps them under its own rules.',
    },
  },
  refusals: {
    setupNotYours: 'Only members with the Manage Server permission can set the bot up on a server. Ask one of them.',
  },
} as const;
