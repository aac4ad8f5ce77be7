export const text = {
  command: {
    description: 'Songs: made here, or followed from elsewhere',
    follow: {
      description: 'Follow songs that the gateway makes already, in one message',
      example: '/music follow ids:4f1c…, 88a0…',
      who: 'everyone, what they made or what is public; any id: whoever runs the bot or manages its server',
      options: {
        ids: 'Ids, or addresses that end in one, in any form: with commas, spaces, as JSON',
        more: 'More of them, where they do not fit into one option',
        private: 'Only you see the answer and its results',
      },
    },
    make: {
      description: 'A song from a description, or from your own lyrics',
      example: '/music make about:a lighthouse in winter style:folk, calm',
      who: 'everyone',
      options: {
        about: 'What the song is about; the lyrics are written from it',
        lyrics: 'Your own lyrics, instead of a description',
        style: 'How it should sound, such as: folk, calm, female voice',
        title: 'What it is called',
        instrumental: 'Without a voice',
        model: 'Which model makes it',
        private: 'Only you see the answer and its result',
      },
    },
  },
  /** Songs, and many of them in one message. */
  music: { instrumental: 'instrumental' },
  refusals: {
    songEmpty: 'Say what the song is about, or give lyrics, a style or a title.',
    songBoth: 'A song has either lyrics or a description from which they are written. Leave `about` or `lyrics` out.',
    songTooLong: 'The option {{option}} may have {{most}} characters, and this has {{count}}. Make it shorter.',
    idsNone: 'There is no id in this. Paste ids, or addresses that end in one, with commas, spaces or lines between.',
    idsOdd: 'These are no ids: {{odd}}. Leave them out, and ask again.',
    idsTooMany:
      'At most {{most}} tasks can be followed in one message, and these are {{count}}. Follow them in several.',
    idsNotYours:
      'These are neither your own nor anything public: {{ids}}. Ids from elsewhere can be followed by whoever manages the bot’s own server, there, and by whoever runs the bot.',
    idsOfOthers: 'These belong to private work of somebody else, and only they can follow it: {{ids}}.',
    idsPrivate:
      'These are private, and here everybody would see them: {{ids}}. Follow them with `private` switched on.',
  },
} as const;
