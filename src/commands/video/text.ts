export const text = {
  command: {
    description: 'A film from words, and from pictures to go by',
    example: '/video prompt:waves at dawn size:16:9 duration:5',
    who: 'everyone',
    options: {
      prompt: 'What happens in the film: subject, action, camera, and what must not change',
      model: 'Which model; without it, the usual one of this bot',
      image: 'A picture to go by; the first frame, where the model reads it so',
      image2: 'A second picture to go by; the last frame, where the model reads it so',
      image3: 'A third picture to go by',
      image4: 'A fourth picture to go by',
      image5: 'A fifth picture to go by',
      image6: 'A sixth picture to go by',
      image7: 'A seventh picture to go by',
      links: 'Addresses of pictures to go by, with spaces between',
      size: 'How large: 1280x720, 16:9 or 720p',
      duration: 'Seconds, as a number',
      mode: 'The model’s mode, such as std or pro; price and time may differ',
      negative: 'What should not be in the film',
      seed: 'The same number and words give a similar film again',
      camera: 'How the camera moves, in the model’s own words, or as a JSON object',
      reference_video: 'Addresses of up to 3 films to go by, together at most 15 s',
      reference_audio: 'Addresses of up to 3 sounds to go by',
      face_check: 'Whether faces are to stay the same; models do that by themselves, some of them',
      extra: 'JSON for the model: keys go to metadata, keys that begin with ! to the top level',
      endpoint: 'Which of the gateway’s ways to a film; without it, the generic one',
      private: 'Only you see the answer and its result',
    },
    choices: {
      endpoint: {
        generic: 'Generic: any model',
        'image-to-video': 'Image to video: one picture, on the vendor’s path',
        videos: '/v1/videos: the second entry',
      },
    },
  },
  menus: { film: 'Make a video of it' },
  help: { about: { film: 'a film that begins with it' } },
  film: {
    facts: {
      size: 'Size {{size}}',
      seconds: '{{seconds}} s',
      mode: 'Mode {{mode}}',
      notSent:
        'Not sent: {{options}}. This gateway’s name for it is not set, so the gateway does as it does by itself.',
    },
    form: {
      title: 'A film of this picture',
      words: 'What happens in the film',
      pictures: 'Pictures to go by',
      picturesHint: 'Addresses, one a line. A first and a last frame, where the model reads them so.',
      model: 'Model',
      modelHint: 'Its id, letter by letter. Left empty, it is the usual one of this bot.',
      duration: 'Seconds',
      size: 'Size: 1280x720, 16:9 or 720p',
    },
  },
  refusals: {
    sizeUnusable: '{{size}} is no size. Write it as `1280x720`, as `16:9` or as `720p`.',
    durationUnusable: '{{duration}} is no duration. Write seconds as a number, such as `5`.',
    cameraUnusable:
      'The camera begins like JSON and is none. Write words, or a whole object such as `{"type": "simple", "config": {"zoom": 5}}`.',
    extraBroken: 'The option `extra` is no JSON that can be read. Write it like `{"cfg_scale": 0.5, "!fps": 24}`.',
    extraNoObject: 'The option `extra` takes one JSON object, with names and values: `{"cfg_scale": 0.5, "!fps": 24}`.',
    extraDeep:
      'The option `extra` has objects in objects, more than {{most}} deep. No model reads that: make it flatter.',
    extraKey: '{{key}} is no name for a field in `extra`. Choose another one.',
    extraNumber: 'A number in `extra` is too large to be sent without loss. Put it into quotation marks.',
    extraHasOption: '{{key}} in `extra` has a place of its own. Use the option {{option}} for it.',
    filmLinksTooMany: 'The option {{option}} takes at most {{most}} addresses. Choose the ones that matter.',
    filmLinkUnusable:
      '{{link}} in {{option}} is no address that can be used. Write whole addresses that begin with `https://` or `http://`, with spaces between.',
    filmReferencesTooLong:
      'The reference videos last {{seconds}} s together, and at most {{most}} s are taken. Leave one out, or shorten them.',
    filmTakesOne:
      'This endpoint takes one picture, and {{count}} were given. Choose one, or the generic endpoint, which takes seven.',
    filmNeedsPicture: 'This endpoint makes a film of a picture. Add one with `image` or `links`.',
    filmOptionElsewhere:
      'The option {{option}} has no place at this endpoint. Leave it out, or choose the generic endpoint.',
  },
} as const;
