/** What is special about films. */
export const film = {
  facts: {
    size: 'Size {{size}}',
    seconds: '{{seconds}} s',
    mode: 'Mode {{mode}}',
    notSent: 'Not sent: {{options}}. This gateway’s name for it is not set, so the gateway does as it does by itself.',
  },
  unmet: {
    size: 'The film is {{actual}} and not {{asked}}, so {{parameter}} had no effect.',
    duration: 'The film lasts {{actual}} s and not {{asked}} s, so {{parameter}} had no effect.',
    inMetadata:
      'It was sent at the top level; perhaps this model reads it in `metadata`: ask again with {{extra}} in `extra`.',
    inMetadataOrOther:
      'It was sent at the top level; perhaps this model reads it in `metadata`: ask again with {{extra}} in `extra`, or with the size as `16:9` or `720p`.',
    atTop:
      'It was sent in `metadata`; perhaps this model reads it at the top level: ask again with the option `{{option}}`.',
    elsewhere: 'This endpoint has no other place for it; the generic one has, with `extra`.',
  },
  reference: {
    fine: 'The reference {{name}} can be fetched just now, and is what it should be.',
    model: 'So it may be that this model takes no such references, or fewer of them.',
    large: 'The reference {{name}} can be fetched just now; it is too large to be looked at.',
    gone: 'Check the reference {{name}}: its address has run out. Upload it again.',
    status: 'Check the reference {{name}}: its address answers with HTTP {{status}}.',
    odd: {
      image: 'Check the reference {{name}}: it is no picture.',
      video: 'Check the reference {{name}}: it is no film.',
      audio: 'Check the reference {{name}}: it is no sound.',
    },
    hidden: 'Check the reference {{name}}: it is not on the public internet.',
    unreachable: 'Check the reference {{name}}: its address could not be reached.',
  },
  frame: 'A still of a film that is AI-generated: {{prompt}}',
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
  button: 'Make a video',
} as const;
