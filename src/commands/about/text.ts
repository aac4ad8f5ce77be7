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
    trouble: {
      busy: 'The gateway is busy, so status checks are paused ({{lane}}, since <t:{{since}}:R>).',
      refused: 'The gateway refuses status checks ({{lane}}, since <t:{{since}}:R>): {{reason}}',
      unreachable: 'The gateway does not respond to status checks ({{lane}}, since <t:{{since}}:R>): {{reason}}',
    },
    storeUnreachable:
      'The bot cannot reach its database (since <t:{{since}}:R>). It accepts no new tasks for now; running tasks continue.',
    more: 'Use {{mention}} to see all commands.',
  },
} as const;
