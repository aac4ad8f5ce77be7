export const text = {
  command: {
    description: 'Talk with a model live, by text or voice',
    start: {
      description: 'Start a live conversation in a thread',
      example: '/talk start voice:marin who:Everyone here',
      options: {
        model: 'Model ID; default: this bot’s live model',
        voice: 'Voice name; a suggested one or any other',
        instructions: 'Instructions for the whole conversation',
        who: 'Members who can speak in the thread; default: only you',
      },
      choices: { who: { me: 'Only me', everyone: 'Everyone here' } },
    },
    end: {
      description: 'End the live conversation in this thread',
      example: '/talk end',
    },
  },
  talk: {
    threadName: 'Live: {{model}}',
    started: 'Your conversation started in {{channel}}.',
    startedHere: 'Your conversation starts below.',
    isReadable:
      'Others can read it there because the bot cannot create private threads here. The model responds only to you.',
    over: 'The conversation has ended.',
    form: {
      title: 'Speak',
      message: 'Your message',
      audio: 'Or an audio file',
      audioHint: 'Ogg Opus, MP3 or WAV, up to five minutes.',
    },
  },
  refusals: {
    talkHere:
      'This thread already has a live conversation. End it with `/talk end`, or start another one in a different channel.',
    talkNone: 'There is no live conversation here. Start one with `/talk start`.',
    talkNotYours:
      'Only the member who started this conversation and members with the Manage Messages permission here can end it.',
    talkElsewhere: 'This conversation takes place in its own thread. Speak there.',
    talkOnlyOwner: 'Only the member who started this conversation can speak in it. Start your own with `/talk start`.',
    talkNothing: 'This message is empty. Write something, or add an audio file.',
    talkNotOpened: 'The gateway did not confirm that the conversation has started. Try again in a moment.',
    talkNoRealtime:
      'The model {{model}} does not support live conversations. Choose another with the option `model`; `/models kind:Live voice` lists likely ones.',
    talkNoRealtimeNear:
      'The model {{model}} does not support live conversations. Choose another with the option `model`, such as {{near}}.',
  },
  tasks: { kinds: { talk: 'Live conversation', said: 'Live message' } },
} as const;
