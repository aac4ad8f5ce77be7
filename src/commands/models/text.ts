export const text = {
  command: {
    description: 'The models this bot can use',
    example: '/models kind:video',
    who: 'everyone',
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
    kinds: { text: 'text', image: 'pictures', video: 'video', music: 'music', voice: 'live voice', other: 'other' },
    field: { id: 'id', owned_by: 'owner', created: 'listed since' },
    detailGuess: 'Seems to be made for: {{kind}}.',
  },
} as const;
