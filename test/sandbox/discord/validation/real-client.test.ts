import {
  ActionRowBuilder,
  AttachmentBuilder,
  AutocompleteInteraction,
  ButtonBuilder,
  ButtonStyle,
  ChatInputCommandInteraction,
  ClientApplication,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  SlashCommandBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { type BodyFacts, type BodyKind, validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { upload } from './bodies.ts';
import { createRecordingClient, rawInteraction, type SentRequest } from './real-client.ts';

const COMMAND = { id: '100000000000000006', name: 'draw', type: 1 };

/** discord.js declares its constructors as private, so a cast is needed to create objects the way its gateway handler does. */
type Constructor<Type> = new (client: unknown, data: unknown) => Type;
const make = <Type>(type: unknown, client: unknown, data: unknown): Type =>
  new (type as Constructor<Type>)(client, data);

const commandInteraction = (client: unknown) =>
  make<ChatInputCommandInteraction>(ChatInputCommandInteraction, client, rawInteraction(2, COMMAND));

const violationsIn = (kind: BodyKind, { body }: SentRequest, facts?: BodyFacts) => validateBody(kind, body, facts);
const file = (name: string) => new AttachmentBuilder(Buffer.of(1), { name, description: 'alt' });
const button = new ButtonBuilder().setCustomId('a').setLabel('a').setStyle(ButtonStyle.Primary).setEmoji('🎨');
const buttons = new ActionRowBuilder<ButtonBuilder>().addComponents(button);

describe('Requests from discord.js', () => {
  it('The validator accepts a response from discord.js with buttons and a file', async () => {
    const { client, sent } = createRecordingClient();
    await commandInteraction(client).reply({
      content: 'x',
      components: [buttons],
      files: [file('a.png')],
      flags: MessageFlags.Ephemeral,
    });
    expect(sent.map((request) => violationsIn('callback', request, { files: [upload('a.png')] }))).toEqual([[]]);
  });

  it('The validator accepts a deferral from discord.js, its edit and a follow-up', async () => {
    const { client, sent } = createRecordingClient();
    const interaction = commandInteraction(client);
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await interaction.editReply({ content: 'x', components: [buttons], files: [file('a.png')] });
    await interaction.followUp({
      content: 'y',
      poll: { question: { text: 'q' }, answers: [{ text: 'a', emoji: '😀' }], duration: 1, allowMultiselect: false },
    });
    const [deferral, edit, followUp] = sent;
    if (deferral === undefined || edit === undefined || followUp === undefined)
      throw new Error('There are fewer than three requests.');
    const before = { flags: 128, attachmentNames: [] };
    expect(violationsIn('callback', deferral)).toEqual([]);
    expect(violationsIn('webhook-edit', edit, { files: [upload('a.png')], previous: before })).toEqual([]);
    expect(violationsIn('webhook-message', followUp)).toEqual([]);
  });

  it('The validator accepts a modal from discord.js', async () => {
    const { client, sent } = createRecordingClient();
    const input = new TextInputBuilder().setCustomId('t').setStyle(TextInputStyle.Short);
    const label = new LabelBuilder().setLabel('prompt').setTextInputComponent(input);
    await commandInteraction(client).showModal(
      new ModalBuilder().setCustomId('m').setTitle('t').addLabelComponents(label),
    );
    expect(sent.map((request) => violationsIn('callback', request))).toEqual([[]]);
  });

  it('The validator accepts autocomplete choices from discord.js', async () => {
    const { client, sent } = createRecordingClient();
    const options = [{ name: 'model', type: 3, value: '', focused: true }];
    const interaction = make<AutocompleteInteraction>(
      AutocompleteInteraction,
      client,
      rawInteraction(4, { ...COMMAND, options }),
    );
    await interaction.respond([{ name: 'a', value: 'a' }]);
    expect(sent.map((request) => violationsIn('callback', request))).toEqual([[]]);
  });

  it('The validator accepts commands from discord.js, in bulk and one by one', async () => {
    const { client, sent } = createRecordingClient();
    const { commands } = make<ClientApplication>(ClientApplication, client, { id: '100000000000000001' });
    Object.assign(client, { application: { id: '100000000000000001' } });
    const draw = new SlashCommandBuilder().setName('draw').setDescription('d').setDefaultMemberPermissions(32n);
    draw.addStringOption((option) => option.setName('model').setDescription('d').setAutocomplete(true));
    await commands.set([draw, { name: 'Ask Me', type: 3 }]);
    await commands.create({ name: 'sing', description: 'd', options: [{ type: 3, name: 'text', description: 'd' }] });
    expect(sent.map((request) => violationsIn(request.method === 'PUT' ? 'commands' : 'command', request))).toEqual([
      [],
      [],
    ]);
  });

  it('The validator accepts a channel message from discord.js and its edit', async () => {
    const { client, sent } = createRecordingClient({ enforceNonce: true });
    Object.assign(client, { user: { id: '100000000000000001' } });
    const rawChannel = {
      id: '100000000000000004',
      type: 1,
      recipients: [{ id: '100000000000000005', username: 'member' }],
    };
    const channels = client.channels as unknown as { _add(data: unknown): { send: typeof sendable } };
    const sendable = async (_: unknown): Promise<{ edit(options: unknown): Promise<unknown> }> => Promise.reject();
    const message = await channels
      ._add(rawChannel)
      .send({ content: 'x', reply: { messageReference: '100000000000000008' } });
    await message.edit({ content: 'y', components: [buttons] });
    const kinds: BodyKind[] = ['channel-message', 'channel-edit'];
    expect(sent.map((request, index) => violationsIn(kinds[index] ?? 'channel-edit', request))).toEqual([[], []]);
  });
});
