export const text = {
  command: {
    description: 'What happened in a fine-tune of the account',
    example: '/finetune id:ft-abc123 follow:True',
    who: 'whoever runs the bot or manages its server',
    options: {
      id: 'The id of the fine-tune, as the gateway gave it',
      follow: 'The message is kept up to date until you stop it',
    },
  },
  fineTune: {
    heading: '**Fine-tune** {{id}}',
    count_one: '{{count}} event',
    count_other: '{{count}} events',
    page: 'page {{page}} of {{pages}}',
    empty: 'The gateway tells of nothing yet.',
    unknown: 'The gateway did not answer when it was asked last.',
    noTime: 'no time told',
    follow: 'Follow',
    stop: 'Stop following',
    followed:
      'Kept up to date until <t:{{until}}:t>, unless nothing new comes for {{minutes}} min. The newest is last.',
    ended: {
      stopped: 'No longer kept up to date: you stopped it.',
      quiet:
        'No longer kept up to date: nothing new has come for a while. Whether the job has ended, its last event tells.',
      'too-late': 'No longer kept up to date: Discord allows a quarter of an hour for it. "Follow" begins another one.',
      gone: 'No longer kept up to date: the gateway does not tell of this fine-tune any more.',
    },
  },
  refusals: {
    fineTuneNotYours:
      'Fine-tunes belong to the account of this bot, so only whoever runs the bot or manages its server can see them. Ask one of them.',
    fineTuneNoId:
      'This is no id of a fine-tune: give it as the gateway does, such as `ft-abc123`, with 60 letters at most.',
    fineTuneUnknown:
      'The gateway knows no fine-tune {{id}}. Its id has to be given letter by letter, as the gateway told it.',
    fineTunesNotOffered:
      'This gateway does not tell of fine-tunes: it has no such endpoint. Nothing is wrong with the id, and asking again does not help.',
  },
} as const;
