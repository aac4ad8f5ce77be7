export const text = {
  command: { description: 'Show the version and status of this bot', example: '/about' },
  about: {
    title: 'Atelier',
    version: 'Version {{version}}',
    latency: 'Discord: connected ({{ms}} ms)',
    latencyUnknown: 'Discord: connected (latency not measured yet)',
    cluster: {
      shards_one: 'Discord: {{held}} of {{count}} shard assigned to a running process',
      shards_other: 'Discord: {{held}} of {{count}} shards assigned to a running process',
      workers_one: 'Workers: {{count}}',
      workers_other: 'Workers: {{count}}',
      unowned_one:
        '{{count}} of the bot’s {{total}} partitions has no worker. Commands may fail on some servers until it has one.',
      unowned_other:
        '{{count}} of the bot’s {{total}} partitions have no worker. Commands may fail on some servers until they have one.',
      unknown: 'The state of the other workers is unknown, because the database did not respond in time.',
    },
    gatewayAvailable: 'Gateway: available ({{ms}} ms)',
    gatewayTrouble: {
      unauthorized: 'Gateway: rejects the bot’s key (`GATEWAY_API_KEY`). New requests fail.',
      quota: 'Gateway: the account of the bot has used up its quota. New requests fail.',
      'rate-limited': 'Gateway: busy. New requests may fail.',
      unavailable: 'Gateway: unavailable. New requests may fail.',
      malformed: 'Gateway: sends invalid responses. New requests may fail.',
      unreachable: 'Gateway: not reachable. New requests may fail.',
    },
    paused: {
      everywhere: 'New requests are paused on all servers.',
      server: 'New requests are paused on this server.',
    },
    liveTasks: 'Tasks in progress: {{count}}',
    waiting: '{{count}} waiting in the queue',
    granted: '{{limit}} with {{granted}} granted',
    limits: {
      total: 'Bot-wide limit: {{limits}}',
      operator: 'The operator’s limit for this server: {{limits}}',
      server: 'This server’s limit: {{limits}}',
      member: 'Your limit on this server: {{limits}}',
      direct: 'Your limit in direct messages and with your own installation of the bot: {{limits}}',
    },
    trouble: {
      busy: 'Status checks for {{lane}} have been paused since <t:{{since}}:f> because the gateway is busy.',
      refused: 'The gateway has been refusing status checks for {{lane}} since <t:{{since}}:f>.',
      unreachable: 'The gateway has not responded to status checks for {{lane}} since <t:{{since}}:f>.',
      /** For the operator only, because a reason can name the gateway’s address. */
      withReason: '{{trouble}} Reason: {{reason}}',
    },
    callbacks: {
      untried: 'Callbacks for {{lane}}: none yet',
      none: 'Callbacks for {{lane}}: the gateway sends none',
      progress: 'Callbacks for {{lane}}: the gateway reports progress only',
      ends: 'Callbacks for {{lane}}: the gateway reports completion only',
      both: 'Callbacks for {{lane}}: the gateway reports progress and completion',
    },
    storeUnreachable:
      'The bot has been unable to reach its database since <t:{{since}}:f>. It accepts no new tasks for now; running tasks continue.',
    operator: {
      checks: '**Checks** (only you see this)',
      ready: '{{part}}: ready',
      notReady: '{{part}}: not ready. {{reason}}',
      parts: { bot: 'Bot', discord: 'Discord', store: 'Database', gateway: 'Gateway' },
      noNotices: '**Notices**: none.',
      notices: '**Notices**',
      moreNotices_one: 'And {{count}} more.',
      moreNotices_other: 'And {{count}} more.',
      starts: '**Recent starts**',
      running: '<t:{{at}}:f>, version {{version}}: running',
      stopped: '<t:{{at}}:f>, version {{version}}: stopped on request, <t:{{ended}}:f>',
      restored:
        '<t:{{at}}:f>, version {{version}}: was running when the restored backup was made, at about <t:{{ended}}:f>',
      crashed: '<t:{{at}}:f>, version {{version}}: ended unexpectedly, last seen on <t:{{ended}}:f>',
    },
    more: 'Use {{mention}} to see the commands you can use here.',
  },
} as const;
