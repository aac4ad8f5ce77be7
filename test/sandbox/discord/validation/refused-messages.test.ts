import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { button, EPHEMERAL, type InvalidCase, longText, row, select, text, times, upload, V2 } from './bodies.ts';

const messageWithRow = (...components: unknown[]) => ({ content: 'x', components: [row(...components)] });
const v2Message = (...components: unknown[]) => ({ flags: V2, components });
const componentPath = 'components[0].components[0]';
const storedId = '100000000000000007';

const message = (name: string, body: unknown, ...faults: InvalidCase['faults']): InvalidCase => ({
  name,
  kind: 'webhook-message',
  body,
  faults,
});

const cases: InvalidCase[] = [
  message('content of more than 2,000 characters', { content: longText(2001) }, ['content', 'BASE_TYPE_MAX_LENGTH']),
  {
    ...message('content of more than 2,000 characters in a channel', { content: longText(2001) }, [
      'content',
      'BASE_TYPE_MAX_LENGTH',
    ]),
    kind: 'channel-message',
  },
  {
    ...message('content of more than 4,000 characters in a channel edit', { content: longText(4001) }, [
      'content',
      'BASE_TYPE_MAX_LENGTH',
    ]),
    kind: 'channel-edit',
  },
  message('content that is not a string', { content: 5 }, ['content', 'STRING_TYPE_CONVERT']),
  message('no body', undefined, ['', 'BASE_TYPE_REQUIRED']),
  message('a list as the body', [], ['', 'MODEL_TYPE_CONVERT']),
  message('an empty message', { content: '', embeds: [], components: [] }, ['', 'MESSAGE_EMPTY']),
  message('nothing but spaces', { content: ' \n ' }, ['', 'MESSAGE_EMPTY']),
  message('no content, embeds or components', { tts: false, enforce_nonce: false }, ['', 'MESSAGE_EMPTY']),
  message('a misspelled key', { content: 'x', component: [] }, ['component', 'UNKNOWN_KEY']),
  message('a deeply nested misspelled key', messageWithRow(button('a', { labell: 'a' })), [
    `${componentPath}.labell`,
    'UNKNOWN_KEY',
  ]),
  message('a key that every JavaScript object inherits', JSON.parse('{"content":"x","__proto__":1}'), [
    '__proto__',
    'UNKNOWN_KEY',
  ]),
  message('flags that are not a number', { content: 'x', flags: '64' }, ['flags', 'NUMBER_TYPE_COERCE']),
  {
    ...message('a long nonce', { content: 'x', nonce: longText(26) }, ['nonce', 'NONCE_TYPE_TOO_LONG']),
    kind: 'channel-message',
  },
  {
    ...message('a private channel message', { content: 'x', flags: EPHEMERAL }, ['flags', 'MESSAGE_FLAG_NOT_ALLOWED']),
    kind: 'channel-message',
  },
  message(
    'mentions of all users and of one',
    { content: 'x', allowed_mentions: { parse: ['users'], users: [storedId] } },
    ['allowed_mentions', 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE'],
  ),
  message('the same user twice', { content: 'x', allowed_mentions: { users: [storedId, storedId] } }, [
    'allowed_mentions.users[1]',
    'SET_TYPE_ALREADY_CONTAINS_VALUE',
  ]),
  message('mentions of an unknown kind', { content: 'x', allowed_mentions: { parse: ['all'] } }, [
    'allowed_mentions.parse[0]',
    'BASE_TYPE_CHOICES',
  ]),
  {
    ...message(
      'a reply to an id that is not a snowflake',
      { content: 'x', message_reference: { message_id: 'last' } },
      ['message_reference.message_id', 'NUMBER_TYPE_COERCE'],
    ),
    kind: 'channel-message',
  },

  message('six rows', { content: 'x', components: times(6, (n) => row(button(`b${n}`))) }, [
    'components',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  message('forty-one rows, reported once', { content: 'x', components: times(41, (n) => row(button(`b${n}`))) }, [
    'components',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  message('six buttons in a row', messageWithRow(...times(6, (n) => button(`b${n}`))), [
    'components[0].components',
    'BASE_TYPE_BAD_LENGTH',
  ]),
  message('an empty row', messageWithRow(), ['components[0].components', 'BASE_TYPE_BAD_LENGTH']),
  message('a button next to a select', messageWithRow(select('s'), button('b')), [
    'components[0].components[1]',
    'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
  ]),
  message('a select next to a button', messageWithRow(button('b'), select('s')), [
    'components[0].components[1]',
    'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
  ]),
  message('two selects in a row', messageWithRow(select('s'), select('t')), [
    'components[0].components[1]',
    'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
  ]),
  message('a component of an unknown type', messageWithRow({ type: 99 }), [componentPath, 'UNION_TYPE_CHOICES']),
  message('a component that is a string', messageWithRow('button'), [componentPath, 'MODEL_TYPE_CONVERT']),
  message('a button outside of a row', { content: 'x', components: [button('a')] }, [
    'components[0]',
    'UNION_TYPE_CHOICES',
  ]),
  message('the same id for two buttons', messageWithRow(button('a'), button('a')), [
    'components[0].components[1].custom_id',
    'COMPONENT_CUSTOM_ID_DUPLICATED',
  ]),
  message('the same id in two rows', { content: 'x', components: [row(button('a')), row(select('a'))] }, [
    'components[1].components[0].custom_id',
    'COMPONENT_CUSTOM_ID_DUPLICATED',
  ]),
  message('the same number for two components', messageWithRow(button('a', { id: 3 }), button('b', { id: 3 })), [
    'components[0].components[1].id',
    'COMPONENT_ID_DUPLICATED',
  ]),
  message('a label of more than 80 characters', messageWithRow(button('a', { label: longText(81) })), [
    `${componentPath}.label`,
    'BASE_TYPE_MAX_LENGTH',
  ]),
  message('a custom id of more than 100 characters', messageWithRow(button(longText(101), { label: 'a' })), [
    `${componentPath}.custom_id`,
    'BASE_TYPE_BAD_LENGTH',
  ]),
  message('an empty custom id', messageWithRow(button('', { label: 'a' })), [
    `${componentPath}.custom_id`,
    'BASE_TYPE_BAD_LENGTH',
  ]),
  message('a button without style', messageWithRow({ type: 2, custom_id: 'a', label: 'a' }), [
    `${componentPath}.style`,
    'BASE_TYPE_REQUIRED',
  ]),
  message('a button with an unknown style', messageWithRow(button('a', { style: 9 })), [
    `${componentPath}.style`,
    'BASE_TYPE_CHOICES',
  ]),
  message('a button without custom id', messageWithRow({ type: 2, style: 1, label: 'a' }), [
    `${componentPath}.custom_id`,
    'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED',
  ]),
  message('a link with a custom id', messageWithRow(button('a', { style: 5, url: 'https://a.example' })), [
    `${componentPath}.custom_id`,
    'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
  ]),
  message('a non-link button with a URL', messageWithRow({ type: 2, style: 1, label: 'a', url: 'https://a.example' }), [
    `${componentPath}.url`,
    'BUTTON_COMPONENT_FIELD_FORBIDDEN',
  ]),
  message('a link without a URL', messageWithRow({ type: 2, style: 5, label: 'a' }), [
    `${componentPath}.url`,
    'BASE_TYPE_REQUIRED',
  ]),
  message('a link with an invalid URL', messageWithRow({ type: 2, style: 5, label: 'a', url: 'here' }), [
    `${componentPath}.url`,
    'URL_TYPE_INVALID_URL',
  ]),
  message('a link to a script', messageWithRow({ type: 2, style: 5, label: 'a', url: 'javascript:alert(1)' }), [
    `${componentPath}.url`,
    'URL_TYPE_INVALID_SCHEME',
  ]),
  message('a button without a label or emoji', messageWithRow({ type: 2, style: 1, custom_id: 'a' }), [
    componentPath,
    'BUTTON_COMPONENT_EMPTY',
  ]),
  message('a premium button with a label', messageWithRow({ type: 2, style: 6, sku_id: storedId, label: 'a' }), [
    `${componentPath}.label`,
    'BUTTON_COMPONENT_FIELD_FORBIDDEN',
  ]),
  message('an arrow that is not an emoji', messageWithRow(button('a', { emoji: { name: '▲' } })), [
    `${componentPath}.emoji.name`,
    'COMPONENT_INVALID_EMOJI',
  ]),
  message('a word as an emoji', messageWithRow(button('a', { emoji: { name: 'smile' } })), [
    `${componentPath}.emoji.name`,
    'COMPONENT_INVALID_EMOJI',
  ]),
  message('an emoji in its text form', messageWithRow(button('a', { emoji: { name: '▶' } })), [
    `${componentPath}.emoji.name`,
    'COMPONENT_INVALID_EMOJI',
  ]),
  message('two emoji', messageWithRow(button('a', { emoji: { name: '😀😀' } })), [
    `${componentPath}.emoji.name`,
    'COMPONENT_INVALID_EMOJI',
  ]),
  message('an empty emoji', messageWithRow(button('a', { emoji: {} })), [
    `${componentPath}.emoji.name`,
    'BASE_TYPE_REQUIRED',
  ]),
  message('a select without options', messageWithRow(select('s', { options: [] })), [
    `${componentPath}.options`,
    'BASE_TYPE_BAD_LENGTH',
  ]),
  message(
    'a select with 26 options',
    messageWithRow(select('s', { options: times(26, (n) => ({ label: 'a', value: `${n}` })) })),
    [`${componentPath}.options`, 'BASE_TYPE_BAD_LENGTH'],
  ),
  message(
    'the same value twice',
    messageWithRow(select('s', { options: times(2, () => ({ label: 'a', value: 'a' })) })),
    [`${componentPath}.options[1].value`, 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED'],
  ),
  message('a maximum number of values above the number of options', messageWithRow(select('s', { max_values: 2 })), [
    `${componentPath}.options`,
    'BASE_TYPE_BAD_LENGTH',
  ]),
  message('a minimum above the maximum', messageWithRow(select('s', { min_values: 2 })), [
    `${componentPath}.min_values`,
    'NUMBER_TYPE_MAX',
  ]),
  message(
    'too many default options',
    messageWithRow(select('s', { options: times(2, (n) => ({ label: 'a', value: `${n}`, default: true })) })),
    [`${componentPath}.options`, 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES'],
  ),
  message('a placeholder of more than 150 characters', messageWithRow(select('s', { placeholder: longText(151) })), [
    `${componentPath}.placeholder`,
    'BASE_TYPE_MAX_LENGTH',
  ]),
  message('an invisible label', messageWithRow(select('s', { options: [{ label: ' \u200b', value: 'a' }] })), [
    `${componentPath}.options[0].label`,
    'BASE_TYPE_REQUIRED',
  ]),
  message('a button with an invisible label', messageWithRow(button('b', { label: '\u3164' })), [
    componentPath,
    'BUTTON_COMPONENT_EMPTY',
  ]),
  message(
    'an option with an invalid emoji',
    messageWithRow(select('s', { options: [{ label: 'a', value: 'a', emoji: { name: 'x' } }] })),
    [`${componentPath}.options[0].emoji.name`, 'COMPONENT_INVALID_EMOJI'],
  ),

  message('V2 with content', { ...v2Message(text('a')), content: 'b' }, [
    'content',
    'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  ]),
  message('V2 with an embed', { ...v2Message(text('a')), embeds: [{ title: 'b' }] }, [
    'embeds',
    'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  ]),
  message(
    'V2 with a poll',
    { ...v2Message(text('a')), poll: { question: { text: 'b' }, answers: [{ poll_media: { text: 'c' } }] } },
    ['poll', 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2'],
  ),
  {
    ...message('V2 with a sticker', { ...v2Message(text('a')), sticker_ids: [storedId] }, [
      'sticker_ids',
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
    ]),
    kind: 'channel-message',
  },
  message('V2 components without the flag', { components: [text('a')] }, ['components[0]', 'UNION_TYPE_CHOICES']),
  message('V2 with 41 components', v2Message({ type: 17, components: times(40, () => text('a')) }), [
    'components',
    'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
  ]),
  message(
    'V2 with 4,001 characters',
    v2Message(text(longText(2000)), { type: 17, components: [text(longText(2001))] }),
    ['components', 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED'],
  ),
  message('an empty text display', v2Message(text('')), ['components[0].content', 'BASE_TYPE_BAD_LENGTH']),
  message('a container in a container', v2Message({ type: 17, components: [{ type: 17, components: [text('a')] }] }), [
    componentPath,
    'UNION_TYPE_CHOICES',
  ]),
  message('a section without accessory', v2Message({ type: 9, components: [text('a')] }), [
    'components[0].accessory',
    'BASE_TYPE_REQUIRED',
  ]),
  message(
    'a gallery of eleven items',
    v2Message({ type: 12, items: times(11, () => ({ media: { url: 'https://a.example/b.png' } })) }),
    ['components[0].items', 'BASE_TYPE_BAD_LENGTH'],
  ),
  message(
    'alt text of more than 1,024 characters in a gallery',
    v2Message({ type: 12, items: [{ media: { url: 'https://a.example/b.png' }, description: longText(1025) }] }),
    ['components[0].items[0].description', 'BASE_TYPE_BAD_LENGTH'],
  ),
  message('a file component with an external URL', v2Message({ type: 13, file: { url: 'https://a.example/b.mp3' } }), [
    'components[0].file.url',
    'URL_TYPE_INVALID_SCHEME',
  ]),
  message(
    'a gallery with a file that was not uploaded',
    v2Message({ type: 12, items: [{ media: { url: 'attachment://b.png' } }] }),
    ['components[0].items[0].media.url', 'ATTACHMENT_NOT_FOUND'],
  ),

  message('eleven embeds', { embeds: times(11, () => ({ title: 'a' })) }, ['embeds', 'BASE_TYPE_MAX_LENGTH']),
  message('a description of more than 4,096 characters', { embeds: [{ description: longText(4097) }] }, [
    'embeds[0].description',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  message(
    'embeds with more than 6,000 characters in total',
    { embeds: [{ description: longText(4000) }, { footer: { text: longText(2001) } }] },
    ['embeds', 'MAX_EMBED_SIZE_EXCEEDED'],
  ),
  message('an empty embed', { embeds: [{ color: 1 }] }, ['embeds[0].description', 'BASE_TYPE_REQUIRED']),
  message('an embed with spaces only', { embeds: [{ title: ' \n' }] }, ['embeds[0].description', 'BASE_TYPE_REQUIRED']),
  message('a field without text', { embeds: [{ fields: [{ name: 'a', value: '' }] }] }, [
    'embeds[0].fields[0].value',
    'BASE_TYPE_REQUIRED',
  ]),
  message('twenty-six fields', { embeds: [{ fields: times(26, () => ({ name: 'a', value: 'b' })) }] }, [
    'embeds[0].fields',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  message('a colour above 0xffffff', { embeds: [{ title: 'a', color: 0x1000000 }] }, [
    'embeds[0].color',
    'NUMBER_TYPE_MAX',
  ]),
  message('an invalid timestamp', { embeds: [{ title: 'a', timestamp: 'now' }] }, [
    'embeds[0].timestamp',
    'DATE_TIME_TYPE_PARSE',
  ]),
  message('an image that was not uploaded', { embeds: [{ image: { url: 'attachment://a.png' } }] }, [
    'embeds[0].image.url',
    'ATTACHMENT_NOT_FOUND',
  ]),
  message('an image with a file URL', { embeds: [{ image: { url: 'file:///a.png' } }] }, [
    'embeds[0].image.url',
    'URL_TYPE_INVALID_SCHEME',
  ]),

  message('an attachment without its file', { content: 'x', attachments: [{ id: '0' }] }, [
    'attachments[0].id',
    'ATTACHMENT_NOT_FOUND',
  ]),
  {
    ...message('two attachments with only one file', { content: 'x', attachments: [{ id: '0' }, { id: '1' }] }, [
      'attachments[1].id',
      'ATTACHMENT_NOT_FOUND',
    ]),
    facts: { files: [upload('a.png')] },
  },
  {
    ...message('alt text of more than 1,024 characters', { attachments: [{ id: '0', description: longText(1025) }] }, [
      'attachments[0].description',
      'BASE_TYPE_MAX_LENGTH',
    ]),
    facts: { files: [upload('a.png')] },
  },
  {
    ...message('eleven files', { content: 'x' }, ['files', 'BASE_TYPE_MAX_LENGTH']),
    facts: { files: times(11, (n) => upload('a.png', `${n}`)) },
  },
  {
    ...message(
      'the old name of a renamed file',
      { embeds: [{ image: { url: 'attachment://a.png' } }], attachments: [{ id: '0', filename: 'b.png' }] },
      ['embeds[0].image.url', 'ATTACHMENT_NOT_FOUND'],
    ),
    facts: { files: [upload('a.png')] },
  },
];

const edit = (
  name: string,
  body: unknown,
  previousMessage: { flags: number; attachmentNames: string[] },
  ...faults: InvalidCase['faults']
): InvalidCase => ({
  name,
  kind: 'webhook-edit',
  body,
  faults,
  facts: { files: [], previous: previousMessage },
});

const edits: InvalidCase[] = [
  edit('the V2 flag removed', { flags: 4 }, { flags: V2, attachmentNames: [] }, [
    'flags',
    'MESSAGE_COMPONENTS_V2_FLAG_REMOVED',
  ]),
  edit('content for a V2 message', { content: 'x' }, { flags: V2, attachmentNames: [] }, [
    'content',
    'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  ]),
  edit('V2 components for a plain message', { components: [text('a')] }, { flags: 0, attachmentNames: [] }, [
    'components[0]',
    'UNION_TYPE_CHOICES',
  ]),
  edit('everything removed from a V2 message', { components: [] }, { flags: V2, attachmentNames: [] }, [
    '',
    'MESSAGE_EMPTY',
  ]),
  edit(
    'everything removed from a plain message',
    { content: '', embeds: [], components: [] },
    { flags: 0, attachmentNames: [] },
    ['', 'MESSAGE_EMPTY'],
  ),
  edit(
    'the last file also removed',
    { content: null, embeds: [], components: [], attachments: [] },
    { flags: 0, attachmentNames: ['a.png'] },
    ['', 'MESSAGE_EMPTY'],
  ),
  edit('a deferred response completed with nothing', { content: '' }, { flags: 128, attachmentNames: [] }, [
    '',
    'MESSAGE_EMPTY',
  ]),
  edit(
    'a stored file in a message without files',
    { content: 'x', attachments: [{ id: storedId }] },
    { flags: 0, attachmentNames: [] },
    ['attachments[0].id', 'ATTACHMENT_NOT_FOUND'],
  ),
  edit(
    'an image that the same edit removes',
    { attachments: [], embeds: [{ image: { url: 'attachment://a.png' } }] },
    { flags: 0, attachmentNames: ['a.png'] },
    ['embeds[0].image.url', 'ATTACHMENT_NOT_FOUND'],
  ),
];

describe('The validator refuses a message', () => {
  it.each([...cases, ...edits])('The validator refuses this $kind body: $name', ({ kind, body, facts, faults }) => {
    expect(validateBody(kind, body, facts).map(({ path, code }) => [path, code])).toEqual(faults);
  });
});
