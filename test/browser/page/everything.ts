import type { VisibleMessage } from '../../../sandbox/web/protocol.ts';

interface Sender {
  readonly id: string;
  readonly username: string;
}

const pixel = (colour: string, width: number, height: number) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${colour}"/></svg>`)}`;
const image = (name: string, colour: string, overrides: object = {}) => ({
  id: name,
  filename: name,
  size: 2_048,
  url: pixel(colour, 320, 240),
  proxy_url: '',
  content_type: 'image/png',
  width: 320,
  height: 240,
  description: `A ${colour} image`,
  ...overrides,
});
const file = (name: string, type: string) => ({
  id: name,
  filename: name,
  size: 1_234_567,
  url: `data:${type},`,
  proxy_url: '',
  content_type: type,
});
const voice = { duration_secs: 65.4, waveform: btoa('\x10\x40\x90\xff\x80\x20') };
const media = (colour: string) => ({
  url: pixel(colour, 320, 240),
  width: 320,
  height: 240,
  content_type: 'image/png',
});

const MARKDOWN_SAMPLE = [
  '# One\n## Two\n### Three\n-# small print',
  '**bold** *italic* __under__ ~~gone~~ ||secret|| `code` [masked](https://a.example/x) <t:1700000000:D>',
  '> quoted\n> twice\n1. first\n2. second\n- a\n  - b\n```js\nconst a = 1;\n```',
].join('\n');

const embed = {
  title: 'An embed',
  url: 'https://a.example/',
  description: 'With **words**',
  color: 0x55_88_ff,
  author: { name: 'An author' },
  fields: [
    { name: 'One', value: '1', inline: true },
    { name: 'Two', value: '2', inline: true },
  ],
  footer: { text: 'The foot' },
};

const buttons = [1, 2, 3, 4].map((style) => ({ type: 2, style, label: `Style ${style}`, custom_id: `b${style}` }));
const rows = [
  { type: 1, components: [...buttons, { type: 2, style: 5, label: 'A link', url: 'https://a.example/' }] },
  {
    type: 1,
    components: [
      { type: 2, style: 2, emoji: { name: '🔁' }, custom_id: 'again' },
      { type: 2, style: 2, label: 'Not now', custom_id: 'no', disabled: true },
    ],
  },
  {
    type: 1,
    components: [
      {
        type: 3,
        custom_id: 'list',
        placeholder: 'Choose a colour',
        options: [
          { label: 'Red', value: 'r', description: 'As a rose', emoji: { name: '🔴' } },
          { label: 'Blue', value: 'b' },
        ],
      },
    ],
  },
];

const page = {
  type: 17,
  accent_color: 0xff_77_55,
  components: [
    { type: 10, content: '## A page' },
    {
      type: 9,
      components: [{ type: 10, content: 'A section with its thumbnail' }],
      accessory: { type: 11, media: media('teal'), description: 'A thumbnail' },
    },
    { type: 14, divider: true, spacing: 2 },
    { type: 12, items: [{ media: media('navy') }, { media: media('maroon'), spoiler: true }] },
    { type: 13, file: { url: 'data:text/plain,' }, name: 'notes.txt', size: 99 },
    { type: 1, components: [{ type: 2, style: 1, label: 'Within', custom_id: 'within' }] },
  ],
};

/** Messages with every kind of content that the page shows. */
export function sampleMessages(channel: string, bot: Sender, person: Sender): VisibleMessage[] {
  const message = (id: string, overrides: object): VisibleMessage =>
    ({
      id,
      type: 0,
      channel_id: channel,
      author: { ...bot, bot: true, global_name: null },
      content: '',
      flags: 0,
      timestamp: `2026-01-01T12:${id.padStart(2, '0')}:00.000Z`,
      edited_timestamp: null,
      tts: false,
      pinned: false,
      mention_everyone: false,
      mentions: [],
      mention_roles: [],
      attachments: [],
      embeds: [],
      components: [],
      ephemeral: false,
      edited: false,
      ...overrides,
    }) as unknown as VisibleMessage;
  const commandMetadata = { interaction_metadata: { id: '9', type: 2, user: person, name: 'show', command_type: 1 } };
  return [
    message('1', {
      content: `${MARKDOWN_SAMPLE}\n<@${person.id}> <#${channel}> </show:1> @everyone`,
      ...commandMetadata,
    }),
    message('2', { attachments: [image('a.png', 'crimson'), image('b.png', 'teal'), image('c.png', 'navy')] }),
    message('3', { attachments: [{ ...image('d.png', 'purple'), flags: 8 }, file('e.zip', 'application/zip')] }),
    message('4', { attachments: [file('song.mp3', 'audio/mpeg')], embeds: [embed] }),
    message('5', { content: 'Choose', components: rows, edited: true }),
    message('6', { components: [page], flags: 32_768, ephemeral: true }),
    message('7', { flags: 128, ...commandMetadata }),
    message('8', { flags: 8_192, attachments: [{ ...file('voice.ogg', 'audio/ogg'), ...voice }] }),
    message('9', { type: 18, content: 'A thread', message_reference: { type: 0, channel_id: channel } }),
    message('10', {
      type: 18,
      content: `${'A thread that is gone and had a name. '.repeat(2)}`,
      message_reference: { type: 0, channel_id: '4' },
    }),
    message('11', { type: 21, message_reference: { type: 0, message_id: '3' } }),
    message('12', { content: 'An answer', referenced_message: message('1', { content: 'What was **asked**' }) }),
  ];
}

/** A form with every kind of field. */
export const sampleForm = {
  interactionId: '1',
  customId: 'form',
  title: 'Every field',
  components: [
    { type: 10, content: 'Some **words** first' },
    {
      type: 18,
      label: 'Short',
      description: 'A hint',
      component: { type: 4, style: 1, custom_id: 's', min_length: 3 },
    },
    { type: 18, label: 'Long', component: { type: 4, style: 2, custom_id: 'l', required: false } },
    { type: 18, label: 'One of', component: { type: 3, custom_id: 'o', options: [{ label: 'First', value: '1' }] } },
    { type: 18, label: 'A file', component: { type: 19, custom_id: 'f' } },
    { type: 18, label: 'Radio', component: { type: 21, custom_id: 'r', options: [{ label: 'Left', value: 'l' }] } },
    {
      type: 18,
      label: 'Some of',
      component: { type: 22, custom_id: 'g', required: false, options: [{ label: 'Up', value: 'u' }] },
    },
    { type: 18, label: 'Agreed', component: { type: 23, custom_id: 'c' } },
  ],
};
