export const text = {
  command: { description: 'What this bot is, and whether it is well', example: '/about', who: 'everyone' },
  about: {
    title: 'Atelier',
    version: 'Version {{version}}',
    latency: 'Answers Discord within {{ms}} ms',
    latencyUnknown: 'Has not measured its way to Discord yet',
    gatewayAnswers: 'The gateway answers (in {{ms}} ms)',
    gatewayRefuses: 'The gateway does not answer as it should: {{reason}}',
    liveTasks_one: 'Follows {{count}} task',
    liveTasks_other: 'Follows {{count}} tasks',
    trouble: {
      busy: 'The gateway asks to wait, so no task is asked about ({{lane}}, since <t:{{since}}:R>)',
      refused: 'The gateway refuses to be asked about tasks ({{lane}}, since <t:{{since}}:R>): {{reason}}',
      unreachable: 'The gateway does not answer when asked about tasks ({{lane}}, since <t:{{since}}:R>): {{reason}}',
    },
    storeAway:
      'What the bot keeps its tasks in cannot be reached (since <t:{{since}}:R>). It takes no orders meanwhile; what is under way goes on.',
    more: 'What can be done here: {{mention}}',
  },
} as const;
