import { REST, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { EmbeddedDiscord } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { handleInteractions, startClient, startFixture } from './fixture.ts';
import { RawSocket } from './shards/raw-socket.ts';

const GUILD_MESSAGES = 1 << 9;
const DIRECT_MESSAGES = 1 << 12;
const MESSAGE_CONTENT = 1 << 15;

const file = { name: 'a.txt', bytes: Buffer.from('x') };

/** Connects a bot without a library, which sends messages with REST. */
async function connectBot(intents: number, options: { canReadContent?: boolean } = {}) {
  const { discord } = await startFixture(options.canReadContent ? { privilegedIntents: ['message-content'] } : {});
  const socket = await RawSocket.identify(discord, undefined, intents);
  const rest = new REST({ api: discord.apiUrl }).setToken(discord.token);
  const { id: studio } = discord.world.channel('studio');
  const send = async (body: object): Promise<Message> =>
    (await rest.post(Routes.channelMessages(studio), { body })) as Message;
  /** The MESSAGE_* events so far: the acknowledgement of a heartbeat arrives after them. */
  const received = async () => {
    const marker = socket.packets.length;
    socket.send(1, null);
    await expect.poll(() => socket.packets.slice(marker).some(({ op }) => op === 11), { interval: 5 }).toBe(true);
    return socket.packets.flatMap(({ t, d }) => (t?.startsWith('MESSAGE_') ? [{ event: t, ...(d as Message) }] : []));
  };
  const contents = async () => (await received()).map(({ content }) => content);
  return { discord, socket, rest, studio, send, received, contents };
}

const mentionOf = ({ applicationId }: EmbeddedDiscord): string => `<@${applicationId}>`;

describe('A bot without the message content intent', () => {
  it('A message of a member arrives without its content, its files and its components', async () => {
    const { discord, received } = await connectBot(GUILD_MESSAGES);
    await discord.as('member').say('secret', [file]);
    const [message] = await received();
    expect(message).toMatchObject({ content: '', attachments: [], embeds: [], components: [], mentions: [] });
    expect(message).not.toHaveProperty('poll');
    expect(message?.author.username).toBe('member');
  });

  it('A message arrives in full if it mentions the bot, and its next edit only if it still does', async () => {
    const { discord, received } = await connectBot(GUILD_MESSAGES);
    const member = discord.as('member');
    const message = await member.say(`${mentionOf(discord)} draw this`, [file]);
    await member.edit(message, `${mentionOf(discord)} draw that`);
    await member.edit(message, 'never mind');
    const seen = (await received()).map(({ event, content, attachments }) => [event, content, attachments.length]);
    expect(seen).toEqual([
      ['MESSAGE_CREATE', `${mentionOf(discord)} draw this`, 1],
      ['MESSAGE_UPDATE', `${mentionOf(discord)} draw that`, 1],
      ['MESSAGE_UPDATE', '', 0],
    ]);
  });

  it('A direct message to the bot arrives in full', async () => {
    const { discord, received } = await connectBot(DIRECT_MESSAGES);
    await discord.as('member').in('dm').say('private', [file]);
    expect(await received()).toMatchObject([{ content: 'private', attachments: [{ filename: 'a.txt' }] }]);
  });

  it('A reply to a message of the bot arrives in full only with the reply ping', async () => {
    const { discord, send, received } = await connectBot(GUILD_MESSAGES);
    const message = await send({ content: 'hello' });
    const member = discord.as('member');
    const pinged = await member.reply(message, 'with a ping', { files: [file] });
    await member.edit(pinged, 'still with a ping');
    await member.reply(message, 'without', { ping: false });
    const [, ...replies] = await received();
    const quoted = { type: 19, referenced_message: { id: message.id, content: 'hello' } };
    const bot = { id: discord.applicationId };
    expect(replies).toMatchObject([
      { ...quoted, content: 'with a ping', attachments: [{ filename: 'a.txt' }], mentions: [bot] },
      { ...quoted, content: 'still with a ping', attachments: [{ filename: 'a.txt' }], mentions: [bot] },
      { ...quoted, content: '', attachments: [], mentions: [] },
    ]);
  });

  it('A reply to the response to a command arrives without its content, even with the reply ping', async () => {
    const { discord, rest, contents } = await connectBot(GUILD_MESSAGES);
    const commands = Routes.applicationCommands(discord.applicationId);
    await rest.put(commands, { body: [{ name: 'models', description: 'What there is' }] });
    const member = discord.as('member');
    const exchange = await member.slash('models');
    const callback = Routes.interactionCallback(exchange.id, exchange.token);
    await rest.post(callback, { auth: false, body: { type: 4, data: { content: 'response' } } });
    const response = await exchange.message();
    await member.reply(response, 'an answer');
    await member.reply(response, `${mentionOf(discord)} an answer`);
    expect(await contents()).toEqual(['response', '', `${mentionOf(discord)} an answer`]);
  });

  it('The message that a reply quotes has content only under the same rule', async () => {
    const { discord, send, received } = await connectBot(GUILD_MESSAGES);
    const secret = await discord.as('other').say('secret', [file]);
    await discord.as('member').reply(secret, `${mentionOf(discord)} what is this?`);
    const response = await send({ content: 'no idea', message_reference: { message_id: secret.id } });
    const [, mention, own] = await received();
    const quoted = { referenced_message: { id: secret.id, content: '', attachments: [] } };
    expect(mention).toMatchObject({ content: `${mentionOf(discord)} what is this?`, ...quoted });
    expect(own).toMatchObject({ content: 'no idea', ...quoted });
    expect(response).toMatchObject({ content: 'no idea', ...quoted });
  });

  it('A request for the messages of a channel shows the same content as the events', async () => {
    const { discord, rest, studio } = await connectBot(0);
    await discord.as('member').say('secret');
    await discord.as('member').say(`${mentionOf(discord)} open`);
    const page = (await rest.get(Routes.channelMessages(studio))) as Message[];
    expect(page.map(({ content }) => content)).toEqual([`${mentionOf(discord)} open`, '']);
  });
});

describe('The files of a message', () => {
  it('A file is a spoiler by its flag or its old name, and an edit changes the flag of files that it keeps', async () => {
    const { rest, studio } = await connectBot(0);
    const names = ['plain.png', 'hidden.png', 'SPOILER_old.png'];
    const attachments = names.map((filename, id) => ({ id, filename, is_spoiler: filename === 'hidden.png' }));
    const files = names.map((name) => ({ name, data: Buffer.from('x') }));
    const flagsOf = (message: Message) => message.attachments.map(({ flags }) => flags);
    const message = (await rest.post(Routes.channelMessages(studio), { body: { attachments }, files })) as Message;
    expect(message.attachments.map(({ filename }) => filename)).toEqual(names);
    expect(flagsOf(message)).toEqual([undefined, 8, 8]);
    const change = (isSpoiler: boolean) => message.attachments.map(({ id }) => ({ id, is_spoiler: isSpoiler }));
    const edit = async (body: object) =>
      (await rest.patch(Routes.channelMessage(studio, message.id), { body })) as Message;
    expect(flagsOf(await edit({ attachments: change(true) }))).toEqual([8, 8, 8]);
    expect(flagsOf(await edit({ content: 'same files' }))).toEqual([8, 8, 8]);
    expect(flagsOf(await edit({ attachments: change(false) }))).toEqual([undefined, undefined, 8]);
  });
});

describe('The intents of a session', () => {
  it('Without the intents for messages, no message is announced, changed or deleted', async () => {
    const { discord, send, received } = await connectBot(1);
    for (const member of [discord.as('member'), discord.as('member').in('dm')]) {
      const message = await member.say(mentionOf(discord));
      await member.edit(message, `${mentionOf(discord)} again`);
      await member.remove(message);
    }
    await send({ content: 'my own' });
    expect(await received()).toEqual([]);
  });

  it('The intent for servers does not cover direct messages, nor the other way round', async () => {
    for (const [intent, content] of [
      [GUILD_MESSAGES, 'on a server'],
      [DIRECT_MESSAGES, 'in private'],
    ] as const) {
      const { discord, contents } = await connectBot(intent);
      await discord.as('member').say(`${mentionOf(discord)} on a server`);
      await discord.as('member').in('dm').say('in private');
      expect(await contents()).toEqual([expect.stringContaining(content)]);
    }
  });

  it('With the message content intent, everything has content', async () => {
    const { discord, received } = await connectBot(GUILD_MESSAGES | MESSAGE_CONTENT, { canReadContent: true });
    const message = await discord.as('other').say('one', [file]);
    await discord.as('member').reply(message, 'two');
    await discord.as('other').remove(message);
    expect(await received()).toMatchObject([
      { content: 'one', attachments: [{}] },
      { content: 'two', referenced_message: { content: 'one', attachments: [{}] } },
      { event: 'MESSAGE_DELETE', id: message.id },
    ]);
  });
});

describe('A member in a channel', () => {
  it('A member can edit only own messages, and deletes others only with Manage Messages', async () => {
    const { discord } = await startFixture();
    const message = await discord.as('member').say('mine', [file]);
    await expect(discord.as('other').edit(message, 'yours')).rejects.toThrow(/did not write/);
    await expect(discord.as('other').remove(message)).rejects.toThrow(/cannot delete/);
    await expect(discord.as('member').edit(message, 'x'.repeat(2_001))).rejects.toThrow(/at most 2000 characters/);
    expect(await discord.as('member').edit(message, '')).toMatchObject({
      content: '',
      attachments: [{}],
      edited: true,
    });
    await discord.as('admin').remove(message);
    expect(discord.messages('studio')).toEqual([]);
  });

  it('An ephemeral message cannot be replied to', async () => {
    const { discord } = await startFixture();
    const client = await startClient(discord);
    await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
    handleInteractions(client, async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply({ content: 'for you', flags: 64 });
    });
    const response = await (await discord.as('member').slash('models')).message();
    await expect(discord.as('member').reply(response, 'thanks')).rejects.toThrow(/cannot be replied to/);
  });
});
