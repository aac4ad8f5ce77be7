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
    callbacks: {
      untried: 'Callbacks for {{lane}}: none yet',
      none: 'Callbacks for {{lane}}: the gateway sends none',
      progress: 'Callbacks for {{lane}}: the gateway reports progress only',
      ends: 'Callbacks for {{lane}}: the gateway reports ends',
      both: 'Callbacks for {{lane}}: the gateway reports progress and ends',
    },
    lanes: {
      imgx: '`/imagine` and its follow-ups',
      'image jobs': '`/image`',
      videos: '`/video`',
      'second videos': '`/video` (endpoint v1)',
      'image to video': '`/video` (image to video)',
      music: '`/music`',
    },
    storeUnreachable:
      'The bot cannot reach its database; this began <t:{{since}}:R>. It accepts no new tasks for now; running tasks continue.',
    more: 'Use {{mention}} to see all commands.',
  },
} as const;
