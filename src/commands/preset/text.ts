export const text = {
  command: {
    description: 'Save, use and share templates of requests',
    save: {
      description: 'Save a template with options under a name',
      example: '/preset save name:Poster command:imagine template:{prompt}, poster --ar 2:3',
      options: {
        name: 'Name of the preset',
        command: 'Command that uses it',
        template: 'Prompt, with {prompt} where your text goes',
        options: 'Options of the command, such as size:16:9 duration:5',
      },
      choices: {
        command: {
          imagine: '/imagine',
          image: '/image',
          video: '/video',
          music: '/music make',
          ask: '/ask',
        },
      },
    },
    use: {
      description: 'Make something with a preset',
      example: '/preset use preset:Poster prompt:a fox in the snow',
      options: {
        preset: 'Preset, yours or shared here',
        prompt: 'Your text; optional if the template has no {prompt}',
        private: 'Private reply that only you can see',
      },
    },
    list: {
      description: 'Show your presets and those that you can use here',
      example: '/preset list',
      options: { preset: 'Preset to show with its template and options' },
    },
    share: {
      description: 'Share a preset with the members of this server',
      example: '/preset share preset:Poster',
      options: { preset: 'Preset of yours; sharing it again updates it here' },
    },
    edit: {
      description: 'Change a preset',
      example: '/preset edit preset:Poster template:{prompt}, vintage poster',
      options: {
        preset: 'Preset that you saved or shared',
        name: 'New name',
        template: 'New template',
        options: 'New options, which replace all earlier ones; or none',
      },
    },
    delete: {
      description: 'Delete a preset',
      example: '/preset delete preset:Poster',
      options: { preset: 'Preset of yours; moderators: any shared here' },
    },
  },
  presets: {
    title: 'Presets',
    levels: { own: 'Yours', server: 'Shared in this server', bot: 'The bot’s' },
    suggestions: { own: '{{name}} · yours', server: '{{name}} · this server', bot: '{{name}} · the bot’s' },
    none: 'There are none yet. `/preset save` saves a template.',
    open: 'Show a preset',
    more_one: '{{count}} more: search for it in the option `preset`.',
    more_other: '{{count}} more: search for them in the option `preset`.',
    uses_one: 'used {{count}} time',
    uses_other: 'used {{count}} times',
    template: 'Template: {{template}}',
    options: 'Options: {{options}}',
    sharedBy: 'Shared by {{who}}',
    takesText: 'Your text takes the place of \\{prompt\\}.',
    standsAlone: 'Your text is added at the end. With `/preset use`, it can be left out.',
    buttons: { copy: 'Copy', report: 'Report', remove: 'Delete' },
    deleted: 'Deleted the preset {{name}}.',
  },
  refusals: {
    presets: {
      unknown: 'There is no such preset of yours here. Choose one from the suggestions.',
      unknownHere: 'There is no such preset for this command. Choose one from the suggestions.',
      choose: 'This preset cannot be changed by its name here. Choose it from the suggestions.',
      name: 'The name can have up to 40 letters, digits, spaces, hyphens and apostrophes. Choose another one.',
      template: 'The template needs text, at most 2,000 characters. Change it and try again.',
      nothingToChange: 'Nothing was changed. Enter a new name, template or options.',
      optionUnknown: 'The options must begin with the name of one, such as `size:16:9`. This command has: {{names}}.',
      optionInvalid: 'The option {{name}} does not accept this value. Change it and try again.',
      optionChoice: 'The option {{name}} accepts only: {{choices}}. Choose one of these.',
      promptMissing: 'This preset needs your text for `{prompt}`. Enter a prompt and try again.',
      nameTaken: {
        own: 'You already have a preset with this name. Choose another one, or change that one with `/preset edit`.',
        server: 'This server already has a preset with this name. Rename yours with `/preset edit`.',
      },
      tooMany: {
        own: 'You have {{max}} presets, which is the maximum. Delete one first.',
        server: 'This server has {{max}} presets, which is the maximum. Ask a moderator to delete some.',
      },
      noServer: 'Presets can be shared only on a server where the bot is installed.',
    },
  },
} as const;
