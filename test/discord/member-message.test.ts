import { describe, expect, it } from 'vitest';
import { isMessageForBot, memberMessageIn } from '../../src/discord/member-message.ts';

const BOT = '100000000000000001';
const message = {
  id: '1',
  type: 0,
  channel_id: '2',
  guild_id: '3',
  author: { id: '4' },
  member: { roles: ['5'] },
  content: `<@${BOT}> what is <@!${BOT}> snow?`,
  mentions: [{ id: BOT }],
  attachments: [],
};
const read = (changes: object) => memberMessageIn({ t: 'MESSAGE_CREATE', d: { ...message, ...changes } }, BOT);

describe('A message to the bot', () => {
  it('Its text has no mentions of the bot', () => {
    expect(read({})).toMatchObject({ content: ' what is  snow?', isForBot: true, memberId: '4', roleIds: ['5'] });
  });

  it.each([
    ['a bot', { author: { id: '4', bot: true } }],
    ['the system', { author: { id: '4', system: true } }],
    ['a webhook', { webhook_id: '6' }],
    ['Discord itself, about a new member', { type: 7 }],
    ['no one', { author: undefined }],
  ])('One from %s is not read', (_, changes) => {
    expect(read(changes)).toBeUndefined();
  });

  it.each([undefined, null, 7, 'text', [], {}, { t: 'MESSAGE_CREATE' }, { t: 'MESSAGE_CREATE', d: [] }])(
    'The packet %j is not a message',
    (packet) => expect(memberMessageIn(packet, BOT)).toBeUndefined(),
  );

  it.each([
    ['mentions it', { guild_id: '3', mentions: [{ id: BOT }] }, true],
    ['is a direct message', { mentions: [] }, true],
    ['mentions someone else', { guild_id: '3', mentions: [{ id: '4' }] }, false],
    ['mentions no one', { guild_id: '3' }, false],
  ])('A message that %s is for the bot: %j', (_, packet, isForBot) => {
    expect(isMessageForBot(packet, BOT)).toBe(isForBot);
  });
});

describe('The message that a question replies to', () => {
  const repliedTo = (changes: object) =>
    read({ type: 19, referenced_message: { author: { id: '7' }, content: 'snow', attachments: [], ...changes } })
      ?.repliedTo;
  const components = [{ type: 1, components: [{ type: 2, custom_id: 'more.1.0123456789abcdefg' }] }];

  it('The task of an answer of the bot is known by its buttons', () => {
    expect(repliedTo({ author: { id: BOT, bot: true }, components })).toMatchObject({
      isFromBot: true,
      isResponse: false,
      taskIds: ['0123456789abcdefg'],
    });
  });

  it('Buttons in the message of another bot name no task', () => {
    expect(repliedTo({ author: { id: '8', bot: true }, components })).toMatchObject({ isFromBot: false, taskIds: [] });
  });

  it('A very long text, and more files than a message can have, are cut off', () => {
    const file = { url: 'https://cdn.example/a.png', filename: 'a.png' };
    const { content, files } = repliedTo({ content: 'x'.repeat(100_000), attachments: Array(500).fill(file) }) ?? {};
    expect([content?.length, files?.length]).toEqual([4_000, 10]);
  });

  it('One that is malformed or deleted counts as none', () => {
    expect(read({ referenced_message: { author: 7 } })?.repliedTo).toBeUndefined();
    expect(read({ referenced_message: null })?.repliedTo).toBeUndefined();
  });
});
