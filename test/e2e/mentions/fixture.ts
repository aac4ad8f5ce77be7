import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { hasEnded, models } from '../asks/fixture.ts';
import { type FastClockFixture, startFastClockBot } from '../quick.ts';

export const startMentionBot = (settings: Record<string, string> = {}) =>
  startFastClockBot({ settings: { ...models, ...settings }, gateway: { speed: 20 } });

type Discord = FastClockFixture['discord'];

/** Text that mentions the bot. */
export const toBot = ({ world }: Discord, words: string): string => `<@${world.bot.id}> ${words}`;

/** The bot's reply to a message, once it is as wanted. */
export const replyTo = (
  discord: Discord,
  channel: string,
  question: Pick<Message, 'id'>,
  isWanted: (reply: Message) => boolean = hasEnded,
): Promise<Message> =>
  discord.until(() =>
    discord
      .messages(channel)
      .find(
        ({ message_reference: reference, ...message }) => reference?.message_id === question.id && isWanted(message),
      ),
  );

export const replySaying = (discord: Discord, channel: string, question: Pick<Message, 'id'>, words: string) =>
  replyTo(discord, channel, question, (reply) => text(reply).includes(words));

export async function applyRules(discord: Discord, rules: object): Promise<void> {
  const admin = discord.as('admin');
  const file = { name: 'rules.json', bytes: Buffer.from(JSON.stringify(rules)), contentType: 'application/json' };
  await (await admin.click(await (await admin.slash('server import', { file })).message(), 'Apply changes')).message();
}
