export const text = {
  command: {
    description: 'Live conversations, in words and by voice',
    start: {
      description: 'A live conversation with a model, in a thread',
      example: '/talk start voice:marin who:everyone',
      who: 'everyone, on servers',
      options: {
        model: 'Which model talks; without it, the usual one of this bot',
        voice: 'Which voice it has; others than the suggested ones are taken as they are typed',
        instructions: 'How the model is to talk, in the whole conversation',
        who: 'Who is heard in the thread; without it, only you',
      },
      choices: { who: { me: 'Only me', everyone: 'Everyone here' } },
    },
    end: {
      description: 'End the live conversation of this thread',
      example: '/talk end',
      who: 'whoever began it, and those who manage messages here',
    },
  },
  talk: {
    threadName: 'Live: {{model}}',
    started: 'The conversation takes place in {{channel}}.',
    startedHere: 'The conversation begins below.',
    seen: 'Others can read along there, for the bot cannot make a private thread here. Only you are heard.',
    over: 'The conversation is over.',
    form: {
      title: 'Speak',
      words: 'What do you want to say?',
      sound: 'Or a sound file',
      soundHint: 'Ogg Opus, MP3 or WAV, up to five minutes.',
    },
  },
  refusals: {
    talkHere:
      'A live conversation is going on in this thread already. End it with `/talk end`, or begin another one elsewhere.',
    talkNone: 'There is no live conversation in this thread. `/talk start` begins one.',
    talkNotYours: 'Only whoever began this conversation, and those who manage messages here, can end it.',
    talkElsewhere: 'This conversation takes place in a thread of its own. Speak there.',
    talkOnlyOwner: 'Only whoever began this conversation is heard in it. `/talk start` begins one of your own.',
    talkNothing: 'There is nothing in it to be said. Write something, or add a sound file.',
    talkNotOpened: 'The gateway did not say whether it opens a conversation. Try again in a moment.',
    talkNoRealtime:
      'The model {{model}} does not support live conversations. Name another one with the option `model`; `/models kind:voice` lists those that seem to.',
    talkNoRealtimeNear:
      'The model {{model}} does not support live conversations. These seem to: {{near}}. Name one with the option `model`.',
  },
} as const;
