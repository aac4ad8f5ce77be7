export const text = {
  command: {
    description: 'List the models this bot can use',
    example: '/models kind:Video',
    options: {
      model: 'Exact ID of one model, to see its details',
      text: 'Text in the model ID',
      kind: 'Likely purpose of the models',
      list: 'Model list of the gateway; default: this bot’s models',
    },
    choices: {
      kind: {
        text: 'Text',
        image: 'Images',
        video: 'Video',
        music: 'Music',
        voice: 'Live voice',
        speech: 'Speech',
        embedding: 'Embeddings',
        moderation: 'Moderation',
        other: 'Other',
      },
      list: { own: 'Available to this bot', compatible: 'Listed by the compatibility endpoint' },
    },
  },
  models: {
    title: 'Models',
    titleCompatible: 'Models from the compatibility endpoint',
    footer_one: '{{count}} model. Purposes are guessed from the gateway’s data or the model’s name.',
    footer_other: '{{count}} models. Purposes are guessed from the gateway’s data or the model’s name.',
    pageFooter_one:
      '{{count}} model, page {{page}} of {{pages}}. Purposes are guessed from the gateway’s data or the model’s name.',
    pageFooter_other:
      '{{count}} models, page {{page}} of {{pages}}. Purposes are guessed from the gateway’s data or the model’s name.',
    unknownOwner: 'unknown owner',
    none: 'No models match. Change the filters, or use `/models` without options to see the whole list.',
    allDenied: 'You can’t use any of the models here. Ask an admin if you think this is a mistake.',
    empty: 'The gateway lists no models for this bot’s key.',
    kinds: {
      text: 'text',
      image: 'images',
      video: 'video',
      music: 'music',
      voice: 'live voice',
      speech: 'speech',
      embedding: 'embedding',
      moderation: 'moderation',
      other: 'other',
    },
    field: { id: 'ID', owned_by: 'Owner', created: 'Listed since' },
    denied: 'You can’t use this model here. Ask an admin if you think this is a mistake.',
    detailFooter: 'Likely purpose: {{kind}}.',
  },
} as const;
