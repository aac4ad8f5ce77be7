import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { type BadCase, button, EPHEMERAL, long, row, select, text, times, upload, V2 } from './bodies.ts';

const inRow = (...components: unknown[]) => ({ content: 'x', components: [row(...components)] });
const inV2 = (...components: unknown[]) => ({ flags: V2, components });
const at = 'components[0].components[0]';
const stored = '100000000000000007';

const sent = (name: string, body: unknown, ...faults: BadCase['faults']): BadCase => ({
  name,
  kind: 'webhook-message',
  body,
  faults,
});

const cases: BadCase[] = [
  sent('content of more than 2,000 characters', { content: long(2001) }, ['content', 'BASE_TYPE_MAX_LENGTH']),
  {
    ...sent('content over 2,000 in a channel', { content: long(2001) }, ['content', 'BASE_TYPE_MAX_LENGTH']),
    kind: 'channel-message',
  },
  {
    ...sent('content over 2,000 in a channel edit', { content: long(4001) }, ['content', 'BASE_TYPE_MAX_LENGTH']),
    kind: 'channel-edit',
  },
  sent('content that is not a string', { content: 5 }, ['content', 'STRING_TYPE_CONVERT']),
  sent('no body', undefined, ['', 'BASE_TYPE_REQUIRED']),
  sent('a list as the body', [], ['', 'MODEL_TYPE_CONVERT']),
  sent('an empty message', { content: '', embeds: [], components: [] }, ['', 'MESSAGE_EMPTY']),
  sent('nothing but spaces', { content: ' \n ' }, ['', 'MESSAGE_EMPTY']),
  sent('nothing at all', { tts: false, enforce_nonce: false }, ['', 'MESSAGE_EMPTY']),
  sent('a misspelled key', { content: 'x', component: [] }, ['component', 'UNKNOWN_KEY']),
  sent('a deeply nested misspelled key', inRow(button('a', { labell: 'a' })), [`${at}.labell`, 'UNKNOWN_KEY']),
  sent('a key that every JavaScript object inherits', JSON.parse('{"content":"x","__proto__":1}'), [
    '__proto__',
    'UNKNOWN_KEY',
  ]),
  sent('flags that are not a number', { content: 'x', flags: '64' }, ['flags', 'NUMBER_TYPE_COERCE']),
  {
    ...sent('a long nonce', { content: 'x', nonce: long(26) }, ['nonce', 'NONCE_TYPE_TOO_LONG']),
    kind: 'channel-message',
  },
  {
    ...sent('a private channel message', { content: 'x', flags: EPHEMERAL }, ['flags', 'MESSAGE_FLAG_NOT_ALLOWED']),
    kind: 'channel-message',
  },
  sent('mentions of all users and of one', { content: 'x', allowed_mentions: { parse: ['users'], users: [stored] } }, [
    'allowed_mentions',
    'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
  ]),
  sent('the same user twice', { content: 'x', allowed_mentions: { users: [stored, stored] } }, [
    'allowed_mentions.users[1]',
    'SET_TYPE_ALREADY_CONTAINS_VALUE',
  ]),
  sent('mentions of an unknown kind', { content: 'x', allowed_mentions: { parse: ['all'] } }, [
    'allowed_mentions.parse[0]',
    'BASE_TYPE_CHOICES',
  ]),
  {
    ...sent('a reply to no snowflake', { content: 'x', message_reference: { message_id: 'last' } }, [
      'message_reference.message_id',
      'NUMBER_TYPE_COERCE',
    ]),
    kind: 'channel-message',
  },

  sent('six rows', { content: 'x', components: times(6, (n) => row(button(`b${n}`))) }, [
    'components',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  sent('forty-one rows, reported once', { content: 'x', components: times(41, (n) => row(button(`b${n}`))) }, [
    'components',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  sent('six buttons in a row', inRow(...times(6, (n) => button(`b${n}`))), [
    'components[0].components',
    'BASE_TYPE_BAD_LENGTH',
  ]),
  sent('an empty row', inRow(), ['components[0].components', 'BASE_TYPE_BAD_LENGTH']),
  sent('a button next to a select', inRow(select('s'), button('b')), [
    'components[0].components[1]',
    'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
  ]),
  sent('a select next to a button', inRow(button('b'), select('s')), [
    'components[0].components[1]',
    'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
  ]),
  sent('two selects in a row', inRow(select('s'), select('t')), [
    'components[0].components[1]',
    'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
  ]),
  sent('a component without a type', inRow({ type: 99 }), [at, 'UNION_TYPE_CHOICES']),
  sent('a component that is a string', inRow('button'), [at, 'MODEL_TYPE_CONVERT']),
  sent('a button outside of a row', { content: 'x', components: [button('a')] }, [
    'components[0]',
    'UNION_TYPE_CHOICES',
  ]),
  sent('the same id for two buttons', inRow(button('a'), button('a')), [
    'components[0].components[1].custom_id',
    'COMPONENT_CUSTOM_ID_DUPLICATED',
  ]),
  sent('the same id in two rows', { content: 'x', components: [row(button('a')), row(select('a'))] }, [
    'components[1].components[0].custom_id',
    'COMPONENT_CUSTOM_ID_DUPLICATED',
  ]),
  sent('the same number for two components', inRow(button('a', { id: 3 }), button('b', { id: 3 })), [
    'components[0].components[1].id',
    'COMPONENT_ID_DUPLICATED',
  ]),
  sent('a label of more than 80 characters', inRow(button('a', { label: long(81) })), [
    `${at}.label`,
    'BASE_TYPE_MAX_LENGTH',
  ]),
  sent('a custom id of more than 100 characters', inRow(button(long(101), { label: 'a' })), [
    `${at}.custom_id`,
    'BASE_TYPE_BAD_LENGTH',
  ]),
  sent('an empty custom id', inRow(button('', { label: 'a' })), [`${at}.custom_id`, 'BASE_TYPE_BAD_LENGTH']),
  sent('a button without style', inRow({ type: 2, custom_id: 'a', label: 'a' }), [`${at}.style`, 'BASE_TYPE_REQUIRED']),
  sent('a button with an unknown style', inRow(button('a', { style: 9 })), [`${at}.style`, 'BASE_TYPE_CHOICES']),
  sent('a button without custom id', inRow({ type: 2, style: 1, label: 'a' }), [
    `${at}.custom_id`,
    'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED',
  ]),
  sent('a link with a custom id', inRow(button('a', { style: 5, url: 'https://a.example' })), [
    `${at}.custom_id`,
    'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
  ]),
  sent('a non-link button with a URL', inRow({ type: 2, style: 1, label: 'a', url: 'https://a.example' }), [
    `${at}.url`,
    'BUTTON_COMPONENT_FIELD_FORBIDDEN',
  ]),
  sent('a link without a URL', inRow({ type: 2, style: 5, label: 'a' }), [`${at}.url`, 'BASE_TYPE_REQUIRED']),
  sent('a link with an invalid URL', inRow({ type: 2, style: 5, label: 'a', url: 'here' }), [
    `${at}.url`,
    'URL_TYPE_INVALID_URL',
  ]),
  sent('a link to a script', inRow({ type: 2, style: 5, label: 'a', url: 'javascript:alert(1)' }), [
    `${at}.url`,
    'URL_TYPE_INVALID_SCHEME',
  ]),
  sent('a button without a label or emoji', inRow({ type: 2, style: 1, custom_id: 'a' }), [
    at,
    'BUTTON_COMPONENT_EMPTY',
  ]),
  sent('a premium button with a label', inRow({ type: 2, style: 6, sku_id: stored, label: 'a' }), [
    `${at}.label`,
    'BUTTON_COMPONENT_FIELD_FORBIDDEN',
  ]),
  sent('an arrow that is not an emoji', inRow(button('a', { emoji: { name: '▲' } })), [
    `${at}.emoji.name`,
    'COMPONENT_INVALID_EMOJI',
  ]),
  sent('a word as an emoji', inRow(button('a', { emoji: { name: 'smile' } })), [
    `${at}.emoji.name`,
    'COMPONENT_INVALID_EMOJI',
  ]),
  sent('an emoji in its text form', inRow(button('a', { emoji: { name: '▶' } })), [
    `${at}.emoji.name`,
    'COMPONENT_INVALID_EMOJI',
  ]),
  sent('two emoji', inRow(button('a', { emoji: { name: '😀😀' } })), [`${at}.emoji.name`, 'COMPONENT_INVALID_EMOJI']),
  sent('an empty emoji', inRow(button('a', { emoji: {} })), [`${at}.emoji.name`, 'BASE_TYPE_REQUIRED']),
  sent('a select without options', inRow(select('s', { options: [] })), [`${at}.options`, 'BASE_TYPE_BAD_LENGTH']),
  sent('a select with 26 options', inRow(select('s', { options: times(26, (n) => ({ label: 'a', value: `${n}` })) })), [
    `${at}.options`,
    'BASE_TYPE_BAD_LENGTH',
  ]),
  sent('the same value twice', inRow(select('s', { options: times(2, () => ({ label: 'a', value: 'a' })) })), [
    `${at}.options[1].value`,
    'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
  ]),
  sent('a maximum above the number of options', inRow(select('s', { max_values: 2 })), [
    `${at}.options`,
    'BASE_TYPE_BAD_LENGTH',
  ]),
  sent('a minimum above the maximum', inRow(select('s', { min_values: 2 })), [`${at}.min_values`, 'NUMBER_TYPE_MAX']),
  sent(
    'too many default options',
    inRow(select('s', { options: times(2, (n) => ({ label: 'a', value: `${n}`, default: true })) })),
    [`${at}.options`, 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES'],
  ),
  sent('a placeholder of more than 150 characters', inRow(select('s', { placeholder: long(151) })), [
    `${at}.placeholder`,
    'BASE_TYPE_MAX_LENGTH',
  ]),
  sent(
    'an option with an invalid emoji',
    inRow(select('s', { options: [{ label: 'a', value: 'a', emoji: { name: 'x' } }] })),
    [`${at}.options[0].emoji.name`, 'COMPONENT_INVALID_EMOJI'],
  ),

  sent('V2 with content', { ...inV2(text('a')), content: 'b' }, [
    'content',
    'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  ]),
  sent('V2 with an embed', { ...inV2(text('a')), embeds: [{ title: 'b' }] }, [
    'embeds',
    'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  ]),
  sent(
    'V2 with a poll',
    { ...inV2(text('a')), poll: { question: { text: 'b' }, answers: [{ poll_media: { text: 'c' } }] } },
    ['poll', 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2'],
  ),
  {
    ...sent('V2 with a sticker', { ...inV2(text('a')), sticker_ids: [stored] }, [
      'sticker_ids',
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
    ]),
    kind: 'channel-message',
  },
  sent('V2 components without the flag', { components: [text('a')] }, ['components[0]', 'UNION_TYPE_CHOICES']),
  sent('V2 with 41 components', inV2({ type: 17, components: times(40, () => text('a')) }), [
    'components',
    'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
  ]),
  sent('V2 with 4,001 characters', inV2(text(long(2000)), { type: 17, components: [text(long(2001))] }), [
    'components',
    'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
  ]),
  sent('an empty text display', inV2(text('')), ['components[0].content', 'BASE_TYPE_BAD_LENGTH']),
  sent('a container in a container', inV2({ type: 17, components: [{ type: 17, components: [text('a')] }] }), [
    at,
    'UNION_TYPE_CHOICES',
  ]),
  sent('a section without accessory', inV2({ type: 9, components: [text('a')] }), [
    'components[0].accessory',
    'BASE_TYPE_REQUIRED',
  ]),
  sent(
    'a gallery of eleven items',
    inV2({ type: 12, items: times(11, () => ({ media: { url: 'https://a.example/b.png' } })) }),
    ['components[0].items', 'BASE_TYPE_BAD_LENGTH'],
  ),
  sent(
    'alt text of more than 1,024 characters in a gallery',
    inV2({ type: 12, items: [{ media: { url: 'https://a.example/b.png' }, description: long(1025) }] }),
    ['components[0].items[0].description', 'BASE_TYPE_BAD_LENGTH'],
  ),
  sent('a file component with an external URL', inV2({ type: 13, file: { url: 'https://a.example/b.mp3' } }), [
    'components[0].file.url',
    'URL_TYPE_INVALID_SCHEME',
  ]),
  sent(
    'a gallery of a file that was not uploaded',
    inV2({ type: 12, items: [{ media: { url: 'attachment://b.png' } }] }),
    ['components[0].items[0].media.url', 'ATTACHMENT_NOT_FOUND'],
  ),

  sent('eleven embeds', { embeds: times(11, () => ({ title: 'a' })) }, ['embeds', 'BASE_TYPE_MAX_LENGTH']),
  sent('a description of more than 4,096 characters', { embeds: [{ description: long(4097) }] }, [
    'embeds[0].description',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  sent(
    'embeds with more than 6,000 characters in total',
    { embeds: [{ description: long(4000) }, { footer: { text: long(2001) } }] },
    ['embeds', 'MAX_EMBED_SIZE_EXCEEDED'],
  ),
  sent('an empty embed', { embeds: [{ color: 1 }] }, ['embeds[0].description', 'BASE_TYPE_REQUIRED']),
  sent('a field without text', { embeds: [{ fields: [{ name: 'a', value: '' }] }] }, [
    'embeds[0].fields[0].value',
    'BASE_TYPE_REQUIRED',
  ]),
  sent('twenty-six fields', { embeds: [{ fields: times(26, () => ({ name: 'a', value: 'b' })) }] }, [
    'embeds[0].fields',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  sent('a colour above 0xffffff', { embeds: [{ title: 'a', color: 0x1000000 }] }, [
    'embeds[0].color',
    'NUMBER_TYPE_MAX',
  ]),
  sent('an invalid timestamp', { embeds: [{ title: 'a', timestamp: 'now' }] }, [
    'embeds[0].timestamp',
    'DATE_TIME_TYPE_PARSE',
  ]),
  sent('an image that was not uploaded', { embeds: [{ image: { url: 'attachment://a.png' } }] }, [
    'embeds[0].image.url',
    'ATTACHMENT_NOT_FOUND',
  ]),
  sent('an image with a file URL', { embeds: [{ image: { url: 'file:///a.png' } }] }, [
    'embeds[0].image.url',
    'URL_TYPE_INVALID_SCHEME',
  ]),

  sent('an attachment without its file', { content: 'x', attachments: [{ id: '0' }] }, [
    'attachments[0].id',
    'ATTACHMENT_NOT_FOUND',
  ]),
  {
    ...sent('the second of one file', { content: 'x', attachments: [{ id: '0' }, { id: '1' }] }, [
      'attachments[1].id',
      'ATTACHMENT_NOT_FOUND',
    ]),
    facts: { files: [upload('a.png')] },
  },
  {
    ...sent('alt text over 1,024', { attachments: [{ id: '0', description: long(1025) }] }, [
      'attachments[0].description',
      'BASE_TYPE_MAX_LENGTH',
    ]),
    facts: { files: [upload('a.png')] },
  },
  {
    ...sent('eleven files', { content: 'x' }, ['files', 'BASE_TYPE_MAX_LENGTH']),
    facts: { files: times(11, (n) => upload('a.png', `${n}`)) },
  },
  {
    ...sent(
      'the old name of a renamed file',
      { embeds: [{ image: { url: 'attachment://a.png' } }], attachments: [{ id: '0', filename: 'b.png' }] },
      ['embeds[0].image.url', 'ATTACHMENT_NOT_FOUND'],
    ),
    facts: { files: [upload('a.png')] },
  },
];

const edited = (
  name: string,
  body: unknown,
  before: { flags: number; attachmentNames: string[] },
  ...faults: BadCase['faults']
): BadCase => ({
  name,
  kind: 'webhook-edit',
  body,
  faults,
  facts: { files: [], before },
});

const edits: BadCase[] = [
  edited('the V2 flag removed', { flags: 4 }, { flags: V2, attachmentNames: [] }, [
    'flags',
    'MESSAGE_COMPONENTS_V2_FLAG_REMOVED',
  ]),
  edited('content for a V2 message', { content: 'x' }, { flags: V2, attachmentNames: [] }, [
    'content',
    'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  ]),
  edited('V2 components for a plain message', { components: [text('a')] }, { flags: 0, attachmentNames: [] }, [
    'components[0]',
    'UNION_TYPE_CHOICES',
  ]),
  edited('everything removed from a V2 message', { components: [] }, { flags: V2, attachmentNames: [] }, [
    '',
    'MESSAGE_EMPTY',
  ]),
  edited(
    'everything removed from a plain message',
    { content: '', embeds: [], components: [] },
    { flags: 0, attachmentNames: [] },
    ['', 'MESSAGE_EMPTY'],
  ),
  edited(
    'the last file also removed',
    { content: null, embeds: [], components: [], attachments: [] },
    { flags: 0, attachmentNames: ['a.png'] },
    ['', 'MESSAGE_EMPTY'],
  ),
  edited('a deferred response completed with nothing', { content: '' }, { flags: 128, attachmentNames: [] }, [
    '',
    'MESSAGE_EMPTY',
  ]),
  edited(
    'a stored file where there is none',
    { content: 'x', attachments: [{ id: stored }] },
    { flags: 0, attachmentNames: [] },
    ['attachments[0].id', 'ATTACHMENT_NOT_FOUND'],
  ),
  edited(
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
