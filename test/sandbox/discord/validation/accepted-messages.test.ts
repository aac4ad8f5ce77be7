import {
  ActionRowBuilder,
  AttachmentBuilder,
  ButtonBuilder,
  ButtonStyle,
  ChannelSelectMenuBuilder,
  ContainerBuilder,
  EmbedBuilder,
  FileBuilder,
  MediaGalleryBuilder,
  MediaGalleryItemBuilder,
  RoleSelectMenuBuilder,
  SectionBuilder,
  SeparatorBuilder,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
  ThumbnailBuilder,
  UserSelectMenuBuilder,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { button, type Case, EPHEMERAL, longText, row, text, times, upload, V2 } from './bodies.ts';
import { toSentBody } from './real-client.ts';

const primaryButton = (id: string) => new ButtonBuilder().setCustomId(id).setLabel(id).setStyle(ButtonStyle.Primary);
const buttonRow = (...items: ButtonBuilder[]) => new ActionRowBuilder<ButtonBuilder>().addComponents(...items);
const storedId = '100000000000000007';

const message = (name: string, body: unknown, overrides: Partial<Case> = {}): Case => ({
  name,
  kind: 'webhook-message',
  body,
  ...overrides,
});
const edit = (
  name: string,
  body: unknown,
  flags: number,
  attachmentNames: string[] = [],
  files = [upload('n.png')],
): Case => message(name, body, { kind: 'webhook-edit', facts: { files, previous: { flags, attachmentNames } } });

const cases: Case[] = [
  message('2,000 characters', { content: longText(2000) }),
  message('2,000 characters in a channel', { content: longText(2000) }, { kind: 'channel-message' }),
  message('only a file', {}, { facts: { files: [upload('a.png')] } }),
  message(
    'a file with alt text',
    {
      attachments: [new AttachmentBuilder(Buffer.of(1), { name: 'a.png', description: longText(1024) })].map(
        (file, id) => ({ id, description: file.description }),
      ),
    },
    { facts: { files: [upload('a.png')] } },
  ),
  message(
    'ten files',
    { content: 'x', attachments: times(10, (n) => ({ id: `${n}` })) },
    { facts: { files: times(10, (n) => upload(`${n}.png`, `${n}`)) } },
  ),
  message('a private follow-up', { content: 'x', flags: EPHEMERAL }),
  message(
    'a reply with a nonce',
    { content: 'x', nonce: longText(25), enforce_nonce: true, message_reference: { message_id: storedId } },
    { kind: 'channel-message' },
  ),
  message(
    'a forwarded message',
    { message_reference: { type: 1, message_id: storedId, channel_id: storedId } },
    { kind: 'channel-message' },
  ),
  message('only a sticker', { sticker_ids: [storedId] }, { kind: 'channel-message' }),
  message('only components', { components: [row(button('a'))] }),
  message('five rows of five buttons', {
    content: 'x',
    components: times(5, (n) => buttonRow(...times(5, (m) => primaryButton(`${n}.${m}`)))),
  }),
  message('buttons in every style', {
    content: 'x',
    components: [
      buttonRow(
        primaryButton('a').setEmoji('😀'),
        primaryButton('b').setEmoji('<:blob:123456789012345678>').setStyle(ButtonStyle.Danger),
        primaryButton('c').setEmoji('123456789012345678').setDisabled(true),
        new ButtonBuilder().setStyle(ButtonStyle.Link).setURL('https://a.example/b').setLabel('d'),
        new ButtonBuilder().setStyle(ButtonStyle.Premium).setSKUId(storedId),
      ),
    ],
  }),
  ...['👍🏽', '👩‍🚀', '🇩🇪', '1️⃣', '▶️', '❤️', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '↩️', '🔄'].map((emoji) =>
    message(`a button with nothing but ${emoji}`, {
      content: 'x',
      components: [buttonRow(new ButtonBuilder().setCustomId('a').setStyle(ButtonStyle.Secondary).setEmoji(emoji))],
    }),
  ),
  message('select menus of every type', {
    content: 'x',
    components: [
      new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(
        new StringSelectMenuBuilder()
          .setCustomId('s')
          .setMinValues(0)
          .setMaxValues(2)
          .setPlaceholder('which?')
          .addOptions(
            { label: 'a', value: 'a', description: 'the first', emoji: '🎨', default: true },
            { label: 'b', value: 'b' },
          ),
      ),
      new ActionRowBuilder<UserSelectMenuBuilder>().addComponents(
        new UserSelectMenuBuilder().setCustomId('u').setDefaultUsers(storedId),
      ),
      new ActionRowBuilder<RoleSelectMenuBuilder>().addComponents(
        new RoleSelectMenuBuilder().setCustomId('r').setMaxValues(25),
      ),
      new ActionRowBuilder<ChannelSelectMenuBuilder>().addComponents(
        new ChannelSelectMenuBuilder().setCustomId('c').setChannelTypes(0),
      ),
    ],
  }),
  message(
    'a full embed',
    {
      embeds: [
        new EmbedBuilder()
          .setTitle('t')
          .setDescription(longText(4096))
          .setColor(0xffffff)
          .setTimestamp(0)
          .setURL('https://a.example')
          .setAuthor({ name: 'a', iconURL: 'https://a.example/i.png' })
          .setFooter({ text: 'f' })
          .setImage('attachment://a.png')
          .setThumbnail('https://a.example/t.png')
          .addFields({ name: 'n', value: 'v', inline: true }),
      ],
    },
    { facts: { files: [upload('a.png')] } },
  ),
  message('6,000 characters of embeds', { embeds: [{ description: longText(4000) }, { description: longText(2000) }] }),
  message('only a poll', {
    poll: { question: { text: 'q' }, answers: [{ poll_media: { text: 'a', emoji: { name: '😀' } } }], duration: 24 },
  }),
  message(
    'a V2 message with every component',
    {
      flags: V2,
      components: [
        new TextDisplayBuilder().setContent('# hello'),
        new SectionBuilder()
          .addTextDisplayComponents(new TextDisplayBuilder().setContent('a'))
          .setButtonAccessory(primaryButton('a')),
        new ContainerBuilder()
          .setAccentColor(0)
          .addSectionComponents(
            new SectionBuilder()
              .addTextDisplayComponents(new TextDisplayBuilder().setContent('b'))
              .setThumbnailAccessory(new ThumbnailBuilder().setURL('attachment://a.png').setDescription('alt')),
          )
          .addMediaGalleryComponents(
            new MediaGalleryBuilder().addItems(
              new MediaGalleryItemBuilder().setURL('attachment://a.png').setSpoiler(true),
              new MediaGalleryItemBuilder().setURL('https://a.example/b.png'),
            ),
          )
          .addSeparatorComponents(new SeparatorBuilder().setDivider(true).setSpacing(2))
          .addFileComponents(new FileBuilder().setURL('attachment://b.txt'))
          .addActionRowComponents(buttonRow(primaryButton('b'))),
      ],
    },
    { facts: { files: [upload('a.png'), upload('b.txt', '1')] } },
  ),
  message('forty V2 components', { flags: V2, components: [{ type: 17, components: times(39, () => text('a')) }] }),
  message('4,000 characters of V2 text', { flags: V2, components: [text(longText(2000)), text(longText(2000))] }),
  message('six V2 rows', { flags: V2 | EPHEMERAL, components: times(6, (n) => row(button(`${n}`))) }),
  message(
    'a renamed file',
    { embeds: [{ image: { url: 'attachment://b.png' } }], attachments: [{ id: '0', filename: 'b.png' }] },
    { facts: { files: [upload('a.png')] } },
  ),

  edit('a completed deferred response', { content: 'x' }, 128, [], []),
  edit('a deferred response completed with a file', { content: '', attachments: [{ id: '0' }] }, 128 | EPHEMERAL),
  edit('a deferred response completed with V2', { flags: V2, components: [text('a')] }, 128, [], []),
  edit('content removed and a file kept', { content: '' }, 0, ['a.png'], []),
  edit('content removed from a message whose files are unknown', { content: '' }, 0, [], []),
  edit('files removed', { content: 'x', attachments: [] }, 0, ['a.png'], []),
  edit('a stored file kept next to a new one', { attachments: [{ id: storedId }, { id: '0' }] }, 0, ['a.png']),
  edit('a stored image in an embed', { embeds: [{ image: { url: 'attachment://a.png' } }] }, 0, ['a.png'], []),
  edit('V2 components of a V2 message', { components: [text('a')] }, V2, [], []),
  edit(
    'an edit of a V2 message that clears content and embeds, which it cannot have',
    { content: '', embeds: [], flags: V2, components: [text('a')] },
    V2,
    [],
    [],
  ),
  message('V2 components of an unknown message', { components: [text('a')] }, { kind: 'webhook-edit' }),
  edit(
    'a kept file as discord.js serializes it',
    {
      attachments: [
        {
          id: storedId,
          attachment: 'https://a.example',
          name: 'a.png',
          size: 1,
          url: 'https://a.example',
          proxyURL: 'https://a.example',
          contentType: 'image/png',
          height: 1,
          width: 1,
          description: null,
          ephemeral: false,
          duration: null,
          waveform: null,
          flags: 0,
          title: null,
        },
      ],
    },
    0,
    ['a.png'],
    [],
  ),
  message('a channel edit', { content: 'x', tts: false, enforce_nonce: false, flags: 4 }, { kind: 'channel-edit' }),
];

describe('The validator accepts a message', () => {
  it.each(cases)('The validator accepts this $kind body: $name', ({ kind, body, facts }) => {
    expect(validateBody(kind, toSentBody(body), facts)).toEqual([]);
  });
});
