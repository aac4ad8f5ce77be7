/** Every sentence a person reads, by the place that says it. Names in double braces are filled in. */
export const en = {
  commands: {
    models: {
      description: 'The models this bot can use',
      example: '/models kind:video',
      options: {
        model: 'One model in full: its id, letter by letter',
        text: 'Only models whose id contains this',
        kind: 'Only models that seem to be made for this',
        list: 'Which list to show',
      },
      choices: {
        kind: {
          text: 'Text',
          image: 'Pictures',
          video: 'Video',
          music: 'Music',
          voice: 'Live voice',
          other: 'Other',
        },
        list: { own: 'All models of the key', compatible: 'Models of the compatible entry' },
      },
    },
    about: { description: 'What this bot is, and whether it is well', example: '/about', options: {} },
    help: { description: 'What can be done here', example: '/help', options: {} },
  },
  models: {
    title: 'Models',
    titleCompatible: 'Models of the compatible entry',
    count_one: '{{count}} model',
    count_other: '{{count}} models',
    page: 'page {{page}} of {{pages}}',
    guess: 'What a model is made for is a guess, from what the gateway says of it or from its name.',
    nobody: 'owner not told',
    none: 'No model fits. Leave something out of the filter, or look at the whole list with `/models`.',
    empty: 'The gateway lists no models for this key.',
    previous: 'Back',
    next: 'Next',
    kinds: { text: 'text', image: 'pictures', video: 'video', music: 'music', voice: 'live voice', other: 'other' },
    field: { id: 'id', owned_by: 'owner', created: 'listed since' },
    detailGuess: 'Seems to be made for: {{kind}}.',
  },
  about: {
    title: 'Atelier',
    version: 'Version {{version}}',
    latency: 'Answers Discord within {{ms}} ms',
    latencyUnknown: 'Has not measured its way to Discord yet',
    gatewayAnswers: 'The gateway answers (in {{ms}} ms)',
    gatewayRefuses: 'The gateway does not answer as it should: {{reason}}',
    more: 'What can be done here: {{mention}}',
  },
  help: {
    title: 'What can be done here',
    line: '{{mention}}: {{description}}. For example `{{example}}`',
    nothing: 'No command is registered here yet.',
  },
  refusals: {
    guildNotServed: 'This bot is at home on another server and takes no orders here.',
    notUserInstallable: 'This bot takes orders on its servers only, not as a personal app.',
    unknownCommand: 'This command is no longer part of the bot. Restart Discord to see the present ones.',
    unknownButton: 'This button belongs to something that this bot does not know.',
    outdatedButton: 'This button is from another version of the bot. Use the command again to get a new one.',
    stopping: 'The bot is just being restarted. Try again in a moment.',
    unknownModel:
      'There is no model `{{id}}` for this key: it may not exist, or the key may not reach it. Ids are taken letter by letter, upper and lower case included.',
    unknownModelNear:
      'There is no model `{{id}}` for this key: it may not exist, or the key may not reach it. Near ones: {{near}}.',
  },
  gateway: {
    unauthorized: 'The gateway does not accept the key of this bot. Whoever runs the bot has to look at it.',
    forbidden: 'The gateway does not allow this: {{message}}',
    quota: 'The account of this bot is used up at the gateway.',
    'not-found': 'The gateway does not know this: {{message}}',
    invalid: 'The gateway cannot do this as it was asked: {{message}}',
    'rate-limited': 'The gateway has too much to do right now. Try again in a moment.',
    unavailable: 'The gateway is in trouble right now. Try again in a moment.',
    'not-offered': 'This gateway does not offer that.',
    malformed: 'The gateway gave an answer that makes no sense. Try again in a moment.',
    unreachable: 'The gateway cannot be reached right now. Try again in a moment.',
  },
  unexpected:
    'Something in the bot went wrong. If it happens again, tell whoever runs it this reference: `{{reference}}`',
} as const;
