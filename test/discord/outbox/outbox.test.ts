import { RESTJSONErrorCodes as Code, InteractionResponseType, MessageFlags } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { MessageBody } from '../../../src/discord/message-body.ts';
import { asEphemeral, nonceOf } from '../../../src/discord/outbox/outbox.ts';
import { APPLICATION, CHANNEL, createFixture, DIRECT_CHANNEL, done, posted, refused, unavailable } from './fixture.ts';

const message: MessageBody = {
  body: { content: 'a fox', components: [], allowed_mentions: { parse: [] } },
  files: [],
};
const place = { channelId: CHANNEL, id: '7' };
const byToken = { by: 'token', applicationId: APPLICATION, token: 'a-token' } as const;
const byBot = { by: 'edit', message: place } as const;
const interaction = { id: '600000000000000001', application_id: APPLICATION, token: 'a-token' };
const response = { type: InteractionResponseType.DeferredChannelMessageWithSource };

const POST = new RegExp(`^POST .*/channels/${CHANNEL}/messages$`);
const CALLBACK = /^POST .*\/interactions\/600000000000000001\/a-token\/callback/;
const ORIGINAL = new RegExp(`^GET .*/webhooks/${APPLICATION}/a-token/messages/@original$`);

describe('A post in a channel', () => {
  it('A post carries a nonce that Discord enforces and the token of the bot, and its place is returned', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(POST, posted('7'));
    expect(await outbox.post(CHANNEL, 'a-nonce', message)).toEqual(place);
    expect(discord.requests).toMatchObject([
      {
        headers: { authorization: 'Bot the-token-of-the-bot' },
        body: { content: 'a fox', nonce: 'a-nonce', enforce_nonce: true },
      },
    ]);
  });

  it('A post with an unknown outcome is repeated under the same nonce, at most three times', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(POST, unavailable, unavailable, unavailable, posted('7'));
    expect(await outbox.post(CHANNEL, 'a-nonce', message)).toEqual(place);
    expect(discord.requests.map(({ body }) => body)).toEqual(
      Array.from({ length: 4 }, () => ({ ...message.body, nonce: 'a-nonce', enforce_nonce: true })),
    );
    discord.replyAlways(POST, unavailable);
    await expect(outbox.post(CHANNEL, 'a-nonce', message)).rejects.toMatchObject({ status: 503 });
    expect(discord.count(POST)).toBe(8);
  });

  it('A post is not repeated after a refusal or a broken connection', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(POST, refused(Code.MissingPermissions, 403), 'reset');
    await expect(outbox.post(CHANNEL, 'a-nonce', message)).rejects.toMatchObject({ code: Code.MissingPermissions });
    await expect(outbox.post(CHANNEL, 'a-nonce', message)).rejects.toThrow('It is unknown');
    expect(discord.count(POST)).toBe(2);
  });

  it('A reply is posted as an ordinary message where the bot may not read the history', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(POST, refused(Code.CannotReplyWithoutPermissionToReadMessageHistory), posted('7'));
    const reply = { ...message, body: { ...message.body, message_reference: { message_id: '5' } } };
    expect(await outbox.post(CHANNEL, 'a-nonce', reply)).toEqual(place);
    expect(discord.requests.map(({ body }) => body)).toMatchObject([
      { message_reference: { message_id: '5' } },
      { content: 'a fox', nonce: 'a-nonce', enforce_nonce: true },
    ]);
    expect(discord.requests[1]?.body).not.toHaveProperty('message_reference');
  });

  it.each([{ id: '7' }, { channel_id: CHANNEL }, { id: 7, channel_id: CHANNEL }, []])(
    'A post whose response is %j has an unknown place',
    async (body) => {
      const { discord, outbox } = createFixture();
      discord.reply(POST, { body });
      expect(await outbox.post(CHANNEL, 'a-nonce', message)).toBeUndefined();
    },
  );

  it('Equal messages that belong to no task have different nonces', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(POST, posted('7'), posted('8'));
    expect(await outbox.sendInChannel(CHANNEL, { content: 'a fox' })).toEqual(place);
    await outbox.sendInChannel(CHANNEL, { content: 'a fox' });
    const nonces = discord.requests.map(({ body }) => (body as { nonce: string }).nonce);
    expect(nonces).toEqual([expect.stringMatching(/^[\w-]{24}$/), expect.stringMatching(/^[\w-]{24}$/)]);
    expect(new Set(nonces).size).toBe(2);
  });

  it('A message that belongs to no task has no place if Discord refuses it, and the reason is logged', async () => {
    const { discord, outbox, logged } = createFixture();
    discord.reply(POST, refused(Code.MissingAccess, 403));
    expect(await outbox.sendInChannel(CHANNEL, { content: 'a fox' })).toBeUndefined();
    expect(logged()).toContain('MissingAccess');
  });
});

describe('The response to an interaction', () => {
  it('The response is sent without the token of the bot', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(CALLBACK, done);
    await outbox.respond(interaction, response);
    expect(discord.requests).toMatchObject([{ body: response }]);
    expect(discord.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('The response is sent at most three times while Discord cannot be reached', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(CALLBACK, unavailable, 'reset', done);
    await outbox.respond(interaction, response);
    expect(discord.count(CALLBACK)).toBe(3);
    discord.reply(CALLBACK, unavailable, unavailable, unavailable, done);
    await expect(outbox.respond(interaction, response)).rejects.toMatchObject({ status: 503 });
    expect(discord.count(CALLBACK)).toBe(6);
  });

  it('The response is not sent again after a refusal', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(CALLBACK, refused(Code.UnknownInteraction, 404));
    await expect(outbox.respond(interaction, response)).rejects.toMatchObject({ code: Code.UnknownInteraction });
    expect(discord.count(CALLBACK)).toBe(1);
  });

  it.each([
    [true, 'counts as sent', 'fulfilled'],
    [false, 'fails', 'rejected'],
  ])(
    'The response that Discord has already is accepted only if it may be an earlier attempt (%s: it %s)',
    async (isOwn, _, status) => {
      const { discord, outbox } = createFixture();
      const answered = refused(Code.InteractionHasAlreadyBeenAcknowledged);
      discord.reply(CALLBACK, unavailable, answered);
      const [outcome] = await Promise.allSettled([
        outbox.respond(interaction, response, { wasAccepted: async () => isOwn }),
      ]);
      expect(outcome?.status).toBe(status);
    },
  );

  it('The response fails if the first attempt finds that the interaction was answered', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(CALLBACK, refused(Code.InteractionHasAlreadyBeenAcknowledged));
    await expect(outbox.respond(interaction, response)).rejects.toMatchObject({
      code: Code.InteractionHasAlreadyBeenAcknowledged,
    });
  });

  it('The response counts as sent after a lost one if nothing else is known', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(CALLBACK, 'reset', refused(Code.InteractionHasAlreadyBeenAcknowledged));
    await outbox.respond(interaction, response);
    expect(discord.count(CALLBACK)).toBe(2);
  });

  it('The response carries its files', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(CALLBACK, done);
    await outbox.respond(interaction, response, { files: [{ name: 'fox.png', data: Buffer.from('a picture') }] });
    expect(discord.requests[0]?.body).toContain('filename="fox.png"');
  });

  it('The response can be read with the token of the interaction alone', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(ORIGINAL, { body: { id: '7', flags: MessageFlags.Ephemeral } }, { body: { id: '8' } });
    expect(await outbox.readResponse(interaction)).toEqual({ id: '7', flags: MessageFlags.Ephemeral });
    expect(await outbox.readResponse(interaction)).toEqual({ id: '8', flags: 0 });
    expect(discord.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('The response that was deleted or never sent cannot be read, and other failures are errors', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(ORIGINAL, refused(Code.UnknownWebhook, 404), refused(Code.UnknownMessage, 404));
    expect(await outbox.readResponse(interaction)).toBeUndefined();
    expect(await outbox.readResponse(interaction)).toBeUndefined();
    discord.reply(ORIGINAL, refused(Code.MissingAccess, 403));
    await expect(outbox.readResponse(interaction)).rejects.toMatchObject({ code: Code.MissingAccess });
  });
});

describe('A change of a message', () => {
  it.each([
    ['the original response', byToken, `/webhooks/${APPLICATION}/a-token/messages/@original`, undefined],
    ['a follow-up', { ...byToken, followUpId: '9' }, `/webhooks/${APPLICATION}/a-token/messages/9`, undefined],
    ["the bot's message", byBot, `/channels/${CHANNEL}/messages/7`, 'Bot the-token-of-the-bot'],
  ])('An edit of %s has its own address and token', async (_, target, path, authorization) => {
    const { discord, outbox } = createFixture();
    discord.reply(/^PATCH /, posted('7'));
    expect(await outbox.edit(target, message)).toEqual(place);
    expect(discord.requests).toEqual([
      expect.objectContaining({ method: 'PATCH', path: `/api/v10${path}`, body: message.body }),
    ]);
    expect(discord.requests[0]?.headers.authorization).toBe(authorization);
  });

  it('A message can be deleted with the token of an interaction or that of the bot', async () => {
    const { discord, outbox } = createFixture();
    discord.replyAlways(/^DELETE /, done);
    await outbox.remove(byToken);
    await outbox.remove(byBot);
    expect(discord.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      [`/api/v10/webhooks/${APPLICATION}/a-token/messages/@original`, undefined],
      [`/api/v10/channels/${CHANNEL}/messages/7`, 'Bot the-token-of-the-bot'],
    ]);
  });

  it('A follow-up is sent once, returns its place, and is visible to its reader alone if it is private', async () => {
    const { discord, outbox } = createFixture();
    const followUp = new RegExp(`^POST .*/webhooks/${APPLICATION}/a-token\\?wait=true$`);
    discord.reply(followUp, posted('7'), posted('8'), unavailable);
    expect(await outbox.addFollowUp(byToken, message, false)).toEqual(place);
    expect(discord.requests[0]?.body).not.toHaveProperty('flags');
    await outbox.addFollowUp(byToken, message, true);
    expect(discord.requests[1]?.body).toMatchObject({ content: 'a fox', flags: MessageFlags.Ephemeral });
    await expect(outbox.addFollowUp(byToken, message, false)).rejects.toMatchObject({ status: 503 });
    expect(discord.count(followUp)).toBe(3);
    for (const { headers } of discord.requests) expect(headers).not.toHaveProperty('authorization');
  });

  it('A private message keeps its other flags', () => {
    const page = { ...message, body: { ...message.body, flags: MessageFlags.IsComponentsV2 } };
    expect(asEphemeral(page).body.flags).toBe(MessageFlags.IsComponentsV2 | MessageFlags.Ephemeral);
  });
});

describe('A direct message', () => {
  const OPEN = /^POST .*\/users\/@me\/channels$/;
  const SEND = new RegExp(`^POST .*/channels/${DIRECT_CHANNEL}/messages$`);
  const member = '100000000000000001';

  it('A direct message is sent to the channel that Discord opens, under a nonce of its content and reader', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(OPEN, unavailable, { body: { id: DIRECT_CHANNEL } });
    discord.reply(SEND, posted('7', DIRECT_CHANNEL));
    expect(await outbox.sendDirectMessage(member, { content: 'Your limit is almost reached.' })).toBe(true);
    expect(discord.requestsTo(OPEN).map(({ body }) => body)).toEqual([
      { recipient_id: member },
      { recipient_id: member },
    ]);
    expect(discord.requestsTo(SEND)).toMatchObject([
      { body: { nonce: nonceOf(member, { content: 'Your limit is almost reached.' }) } },
    ]);
  });

  it('The nonce of a direct message has at most 25 characters, and differs by reader and content', () => {
    const nonces = [nonceOf(member, { content: 'a' }), nonceOf(member, { content: 'b' }), nonceOf('2', {})];
    expect(nonces.map((nonce) => nonce.length)).toEqual([25, 25, 25]);
    expect(new Set(nonces).size).toBe(3);
    expect(nonceOf(member, { content: 'a' })).toBe(nonces[0]);
  });

  it('A direct message that its reader does not accept is not tried again later, and any other is', async () => {
    const { discord, outbox, logged } = createFixture();
    discord.replyAlways(OPEN, { body: { id: DIRECT_CHANNEL } });
    discord.reply(SEND, refused(Code.CannotSendMessagesToThisUser, 403));
    expect(await outbox.sendDirectMessage(member, { content: 'a' })).toBe(true);
    discord.replyAlways(SEND, unavailable);
    expect(await outbox.sendDirectMessage(member, { content: 'a' })).toBe(false);
    expect(logged()).toContain('CannotSendMessagesToThisUser');
  });
});

describe('The messages of a channel', () => {
  it('The messages before an id are read a hundred at a time', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(/^GET /, { body: [{ id: '6' }] }, { body: {} });
    expect(await outbox.messagesBefore(CHANNEL, '7')).toEqual([{ id: '6' }]);
    expect(await outbox.messagesBefore(CHANNEL, '7')).toEqual([]);
    expect(discord.requests[0]?.path).toBe(`/api/v10/channels/${CHANNEL}/messages?before=7&limit=100`);
  });
});

describe('A closed outbox', () => {
  it('Closing gives up the requests that have not finished, and nothing is sent afterwards', async () => {
    const { discord, outbox } = createFixture();
    discord.reply(/^PATCH /, 'hang');
    const edit = outbox.edit(byBot, message);
    const failed = expect(edit).rejects.toThrow();
    await expect.poll(() => discord.requests.length).toBe(1);
    outbox.close();
    await failed;
    await expect(outbox.remove(byBot)).rejects.toThrow();
    expect(discord.requests).toHaveLength(1);
  });
});
