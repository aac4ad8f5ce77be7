export const text = {
  command: {
    description: 'Generate songs, or follow existing ones',
    follow: {
      description: 'Follow songs that the gateway is making, in one message',
      example: '/music follow ids:4f1c…, 88a0…',
      options: {
        ids: 'Task IDs or URLs, separated by commas or spaces, or as JSON',
        more: 'More task IDs or URLs',
        private: 'Private reply that only you can see',
      },
    },
    make: {
      description: 'Generate a song from a description or your own lyrics',
      example: '/music make about:a lighthouse in winter style:folk, calm',
      options: {
        about: 'Song description, from which the lyrics are written',
        lyrics: 'Your own lyrics, instead of a description',
        style: 'Music style, for example: folk, calm, female voice',
        title: 'Song title',
        instrumental: 'Song without vocals',
        model: 'Model ID; default: this bot’s music model',
        repeat: 'Number of songs to make',
        preset: 'Preset with a template and options',
        private: 'Private reply that only you can see',
      },
    },
  },
  music: { instrumental: 'Instrumental' },
  refusals: {
    songEmpty: 'The song request is empty. Enter a description, lyrics, a style or a title.',
    songBoth: 'A song needs either `about` or `lyrics`, not both. Remove one and try again.',
    songInstrumentalWithLyrics:
      'An instrumental song has no lyrics. Remove either `lyrics` or `instrumental` and try again.',
    songTooLong:
      'The option {{option}} is {{count}} characters long; the maximum is {{max}}. Shorten it and try again.',
    noIds: 'No task IDs found. Enter IDs or URLs that end in one, separated by commas, spaces or line breaks.',
    idsInvalid_one: '{{invalidIds}} is not a valid task ID. Remove it and try again.',
    idsInvalid_other: 'These are not valid task IDs: {{invalidIds}}. Remove them and try again.',
    tooManyIds:
      'One message can follow at most {{max}} tasks, and you entered {{count}}. Run the command several times.',
    idsNotFollowable:
      'These IDs are neither your own tasks nor public ones: {{ids}}. Check them, or ask the operator, who can follow every song of the gateway account.',
    idsPrivateOfOthers: 'These tasks are private: {{ids}}. Only the member who requested them can follow them.',
    idsNeedPrivateReply: 'These tasks are private: {{ids}}. Use `/music follow` with `private: True`.',
  },
  tasks: { kinds: { song: 'Song', music: 'Followed song', album: 'Group of followed songs' } },
} as const;
