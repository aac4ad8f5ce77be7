export const text = {
  command: { description: 'Show the version and status of this bot', example: '/about', who: 'everyone' },
  about: {
    title: 'Atelier',
    version: 'Version {{version}}',
    latency: 'Discord: connected ({{ms}} ms)',
    latencyUnknown: 'Discord: connected (latency not measured yet)',
    gatewayAvailable: 'Gateway: available ({{ms}} ms)',
    gatewayUnavailable: 'Gateway: not available. {{reason}}',
    liveTasks: 'Tasks in progress: {{count}}',
    limits: {
      total: 'Limit of the whole bot: {{limits}}',
      operator: 'Limit of the operator for this server: {{limits}}',
      server: 'Limit of this server: {{limits}}',
      member: 'Your limit in this server: {{limits}}',
      direct: 'Your limit outside of servers: {{limits}}',
    },
    trouble: {
      busy: 'Status checks for {{lane}} are paused because the gateway is busy. This began <t:{{since}}:R>.',
      refused: 'The gateway refuses status checks for {{lane}}. This began <t:{{since}}:R>. Reason: {{reason}}',
      unreachable:
        'The gateway does not respond to status checks for {{lane}}. This began <t:{{since}}:R>. Reason: {{reason}}',
    },
    storeUnreachable:
      'The bot cannot reach its database; this began <t:{{since}}:R>. It accepts no new tasks for now; running tasks continue.',
    operator: {
      checks: '**Checks** (only you see this)',
      ready: '{{part}}: ready',
      notReady: '{{part}}: not ready. {{reason}}',
      parts: { bot: 'Bot', discord: 'Discord', store: 'Database', gateway: 'Gateway' },
      noNotices: '**Notices**: nothing is wrong.',
      notices: '**Notices**',
      moreNotices_one: 'And {{count}} more.',
      moreNotices_other: 'And {{count}} more.',
      starts: '**Last starts**',
      running: '<t:{{at}}:f>, version {{version}}: running',
      stopped: '<t:{{at}}:f>, version {{version}}: stopped on request <t:{{ended}}:f>',
      crashed: '<t:{{at}}:f>, version {{version}}: ended otherwise, last seen <t:{{ended}}:f>',
    },
    more: 'Use {{mention}} to see all commands.',
  },
} as const;
