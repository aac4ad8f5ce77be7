export const text = {
  command: {
    description: 'Limit what this server and its members can spend',
    show: {
      description: 'Show the limits for this server or a member, and what is left',
      example: '/budget show member:@kim',
      options: {
        member: 'Show this member’s limits',
        server: 'ID of another server (operator and admin servers only)',
      },
    },
    set: {
      description: 'Set limits for the server, each member, a role or one member',
      example: '/budget set limits:$5 a day, 3 at once for:each member',
      options: {
        limits: 'Limits, like $5 a day, 3 at once; or none; or default',
        for: 'Whose limits; default: the whole server’s',
        role: 'Limits for each member with this role',
        member: 'Limits for this member',
        confirm_above: 'Ask members to confirm above this price: $1, or off',
        show_cost: 'Cost and remaining limit shown under each result',
        server: 'ID of another server (operator and admin servers only)',
      },
      choices: {
        for: { server: 'the whole server', members: 'each member', operator: 'the operator’s limits for the server' },
      },
    },
    grant: {
      description: 'Raise the limits until each of them next resets',
      example: '/budget grant more:$5 member:@kim',
      options: {
        more: 'Extra allowance: $5, 20 tasks, or both: “$5, 20 tasks”',
        member: 'For this member; default: for the whole server',
        server: 'ID of another server (operator and admin servers only)',
      },
    },
    reset: {
      description: 'Reset usage to zero',
      example: '/budget reset member:@kim',
      options: {
        member: 'For this member; default: for the whole server',
        server: 'ID of another server (operator and admin servers only)',
      },
    },
    block: {
      description: 'Refuse new requests from a member',
      example: '/budget block member:@kim days:7',
      options: {
        member: 'The member',
        days: 'For how many days; default: until you unblock them',
        server: 'ID of another server (operator and admin servers only)',
      },
    },
    unblock: {
      description: 'Accept requests from a blocked member again',
      example: '/budget unblock member:@kim',
      options: { member: 'The member', server: 'ID of another server (operator and admin servers only)' },
    },
    pause: {
      description: 'Stop new requests on this server immediately, or resume them',
      example: '/budget pause',
      options: {
        paused: 'False accepts new requests again; default: True',
        server: 'ID of another server, or all (operator, admin servers only)',
      },
    },
    history: {
      description: 'Show who changed which limit, and when',
      example: '/budget history',
      options: { server: 'ID of another server (operator and admin servers only)' },
    },
    alerts: {
      description: 'Choose where to post alerts when 80% and 100% of the budget is used, or switch them off',
      example: '/budget alerts channel:#staff',
      options: {
        channel: 'Channel for alerts',
        off: 'True to switch alerts off',
        server: 'ID of another server (operator and admin servers only)',
      },
    },
  },
  budget: {
    title: '**Budget for this server**',
    titleOther: '**Budget for server {{server}}**',
    paused: 'New requests are paused on the server.',
    resume: 'Resume',
    resumeEverywhere: 'Resume on all servers',
    pausedEverywhere: 'New requests are paused on all servers.',
    limits: {
      server: 'Limits for the server: {{limits}}',
      serverDefault: 'Limits for the server: {{limits}} (the operator’s default)',
      serverNone: 'Limits for the server: none of its own',
      operator: 'The operator’s limits for the server: {{limits}}',
      members: 'Limits for each member: {{limits}}',
      membersDefault: 'Limits for each member: {{limits}} (the operator’s default)',
      role: '<@&{{role}}>: {{limits}}',
      member: '{{who}}: {{limits}}',
    },
    left: '- Remaining: {{left}}',
    granted: '{{line}}, with {{granted}} granted until then',
    leftOfOperator: '- Remaining under the operator’s limits: {{left}}',
    roles: 'Roles (limits for each member with the role):',
    members: 'Members with their own limits:',
    blocked: 'Blocked:',
    blockedAlways: '{{who}}',
    blockedUntil: '{{who}} until <t:{{until}}:f>',
    more_one: '…and {{count}} more',
    more_other: '…and {{count}} more',
    confirmAbove:
      'Members are asked for confirmation before requests that cost more than {{price}}. Messages in live conversations are excepted.',
    confirmAlways:
      'Members are asked for confirmation before every request that is known to cost something. Messages in live conversations are excepted.',
    costShown: 'Results show what they cost and how much of the limit their owner has left.',
    alerts: 'Alerts are posted in <#{{channel}}>.',
    alertsHow: 'To switch them off, use `/budget alerts` with `off: True`.',
    noAlerts: 'Alerts are off. Choose a channel with `/budget alerts`.',
    member: {
      title: '**Limits for <@{{member}}>**',
      source: {
        member: '{{limits}} (their own)',
        role: '{{limits}} (from their roles)',
        members: '{{limits}} (the limits for every member)',
        default: '{{limits}} (the operator’s default)',
      },
      blocked: 'New requests from this member are refused.',
      blockedUntil: 'New requests from this member are refused until <t:{{until}}:f>.',
    },
    done: {
      server: 'The limits for the server are now: {{limits}}',
      operator: 'The operator’s limits for the server are now: {{limits}}',
      members: 'The limits for each member are now: {{limits}}',
      role: 'The limits for each member with <@&{{role}}> are now: {{limits}}',
      member: 'The limits for <@{{member}}> are now: {{limits}}',
      byDefault: '{{limits}} (the operator’s default)',
      noneOfItsOwn: 'none of its own',
      default: {
        role: 'Members with <@&{{role}}> have no limits for this role now. Those of their other roles apply, or the limits for each member: {{limits}}',
        member:
          '<@{{member}}> has no limits of their own now. Those of their roles apply, or the limits for each member: {{limits}}',
      },
      replaced: 'These replace the limits for each member: {{limits}}',
      waiting:
        'The `waiting` limit is for the bot’s queue, where tasks wait while the gateway is busy. Tasks beyond `at once` are refused, not queued.',
      operatorStands: 'The operator’s limits for the server still apply: {{limits}}',
      granted: {
        server: 'Granted to the server: {{more}} more. Each of its limits in {{units}} is raised until it next resets.',
        member:
          'Granted to <@{{member}}>: {{more}} more. Each of their limits in {{units}} is raised until it next resets.',
      },
      operatorRaised: 'The operator’s limits for the server are raised, too. For now they are: {{limits}}',
      stillGranted: 'Raised by earlier grants until the next reset: {{limits}}',
      units: { amount: 'dollars', tasks: 'tasks', both: 'dollars and tasks' },
      reset: {
        server:
          'The usage of the server has been reset. Earlier usage no longer counts toward its limits, but still toward those of members.',
        member:
          'The usage of <@{{member}}> has been reset. Earlier usage no longer counts toward their limits, but still toward those of the server.',
        operatorStands: 'It also still counts toward the operator’s limits for the server: {{limits}}',
      },
      blocked:
        'Until you unblock <@{{member}}>, their new requests are refused, and queued tasks when their turn comes. Running tasks continue.',
      blockedUntil:
        'Until <t:{{until}}:f>, new requests from <@{{member}}> are refused, and queued tasks when their turn comes. Running tasks continue.',
      unblocked: '<@{{member}}> is no longer blocked.',
      paused:
        'New requests on the server are now refused, and queued tasks when their turn comes. Running tasks continue.',
      pausedEverywhere:
        'New requests are now refused on all servers, and queued tasks when their turn comes. Running tasks continue.',
      resumed: 'New requests are accepted again.',
      notPaused: 'New requests were not paused, so nothing has changed.',
      resumedEverywhere: 'New requests are accepted again, except on servers that are paused themselves.',
      resumedHere: 'The server itself is not paused, but the operator has paused new requests on all servers.',
      alerts: 'Alerts will be posted in <#{{channel}}>.',
      alertsAndLog:
        'As long as no log channel is set, rule changes, refused requests, reports and held results are posted there, too.',
      alertsOff: 'Alerts are now off.',
      confirmNever: 'Members are no longer asked for confirmation before expensive requests.',
      costShown: 'Results show what they cost and how much of the limit their owner has left.',
      costHidden: 'Results no longer show what they cost.',
    },
    alert: {
      here: 'Budget alerts for this server will appear here.',
      title: '**Budget alert**',
      titleOther: '**Budget alert** for server {{server}}',
      nearlyUsedUp:
        'At least 80% of {{whose}} ({{limit}}) has been used. Remaining: {{left}}. The limit resets <t:{{resets}}:R>.',
      reached:
        'Requests that would exceed {{whose}} ({{limit}}) are now refused. Remaining: {{left}}. The limit resets <t:{{resets}}:R>.',
      whose: { server: 'the server’s limit', operator: 'the operator’s limit for the server' },
    },
    history: {
      title: '**Changes to the budget**, newest first',
      none: 'Nothing has been changed yet.',
      rest_one: 'One older change is in the file.',
      rest_other: '{{count}} older changes are in the file.',
      line: '<t:{{at}}:f> {{who}}: {{what}}',
      what: {
        'server-limits': 'changed the limits for the server from {{before}} to {{after}}',
        'operator-limits': 'changed the operator’s limits from {{before}} to {{after}}',
        'member-limits': 'changed the limits for each member from {{before}} to {{after}}',
        role: 'changed the limits for <@&{{on}}> from {{before}} to {{after}}',
        member: 'changed the limits for {{member}} from {{before}} to {{after}}',
        grantServer: 'granted {{after}} to the server',
        grantMember: 'granted {{after}} to {{member}}',
        resetServer: 'reset the server’s usage',
        resetMember: 'reset {{member}}’s usage',
        block: 'blocked {{member}}',
        blockUntil: 'blocked {{member}} until {{after}}',
        unblock: 'unblocked {{member}}',
        pause: 'paused new requests',
        resume: 'resumed new requests',
        alerts: 'changed the alerts channel from {{before}} to {{after}}',
        'confirm-above': 'changed the confirmation threshold from {{before}} to {{after}}',
        'show-cost': 'turned {{after}} the display of costs under results',
      },
      operator: 'Someone who manages the whole bot',
      everywhere: { pause: 'paused new requests on all servers', resume: 'resumed new requests on all servers' },
      default: 'the default',
      noneOfTheirOwn: 'none of their own',
      off: 'off',
    },
  },
  refusals: {
    budgetNoServer: 'Use this command on a server, or name one with the option `server`.',
    budgetNotYours: 'Only members with the Manage Server permission can see and change this server’s budget.',
    budgetOtherServer:
      'Only the operator and, on an admin server of the bot, its admins can manage the budgets of other servers. Leave out the option `server`.',
    budgetUnknownServer: 'The bot is not on a server with the ID {{server}}. Check the ID.',
    budgetAllServers: '`all` works only with `/budget pause`. Enter the ID of one server.',
    budgetLimitsInvalid:
      'These limits are not valid: {{limits}}. Write them like `$5 a day, 100 tasks a week, video: 10 tasks a day, 3 at once`, or `none`, or `default`.',
    budgetMoreInvalid: '{{more}} is not an amount above zero. Write dollars, tasks or both, such as `$5, 20 tasks`.',
    budgetNothingToSet: 'Add at least one of the options `limits`, `confirm_above` and `show_cost`.',
    budgetPriceInvalid: '{{price}} is not a price. Write it like `$1` or `$0.50`, or `off`.',
    budgetOneTarget: 'Choose only one of the options `for`, `role` and `member`.',
    budgetWeightOfServer: 'Weights apply only to members. Add `for`, `role` or `member`, or remove the weight.',
    budgetOperatorOnly:
      'Only the operator and, on an admin server of the bot, its admins can change the operator’s limits for this server.',
    budgetNothingToRaise:
      'This server has no limits of its own. Only the operator and, on an admin server of the bot, its admins can raise or reset the operator’s limits for it.',
    budgetNothingRaised: {
      amount: 'There is no limit in dollars a day, week or month to raise. `/budget show` lists the limits.',
      tasks: 'There is no limit on tasks a day, week or month to raise. `/budget show` lists the limits.',
    },
    budgetBlocksBot: 'A bot makes no requests, so there is nothing to block. Choose a member.',
    budgetNotBlocked: 'This member is not blocked.',
    budgetTooMany:
      'A server can have limits for at most {{max}} roles and members. Remove some with `limits:default` first.',
    budgetAlertsBoth: 'Choose a channel or `off`, not both. Remove one of the options.',
    budgetAlertsFailed:
      'The bot could not post in that channel. Grant it the View Channel and Send Messages permissions there, then try again.',
  },
} as const;
