import type { Exchange, Message } from '../../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import type { App } from '../../../src/app.ts';
import type { StageOptions } from '../bot.ts';
import { labels, type QuickStage, quickBot } from '../quick.ts';

const VOICE_MESSAGE = 1 << 13;

/** One that speaks. */
export const model = 'parley-realtime';

export const talkBot = ({ settings, ...options }: StageOptions = {}): Promise<QuickStage & { app: App }> =>
  quickBot({ settings: { DEFAULT_TALK_MODEL: model, ...settings }, ...options });

/** The same where it may read what is written. */
export const hearingBot = (options: StageOptions = {}) =>
  talkBot({
    ...options,
    settings: { DISCORD_MESSAGE_CONTENT: 'on', ...options.settings },
    discord: { privilegedIntents: ['message-content'], ...options.discord },
  });

/** Where a conversation takes place, as its command's answer tells. */
export async function threadOf(exchange: Exchange): Promise<string> {
  const { content } = await exchange.message();
  const id = /<#(\d+)>/.exec(content)?.[1];
  if (id === undefined) throw new Error(`There is no thread in: ${content}`);
  return id;
}

/** Begins one, and brings the thread and the first message in it. */
export async function begun({ discord }: QuickStage, options: Record<string, string> = {}, channel = 'studio') {
  const thread = await threadOf(await discord.as('member').in(channel).slash('talk start', options));
  return { thread, opening: await discord.until(() => discord.messages(thread).find(opens), 'the first message') };
}

export const opens = (message: Message): boolean => labels(message).includes('End');

/** An answer that is over, one way or another. */
export const ended = (message: Message): boolean => labels(message).includes('Delete');

export const isVoice = ({ flags }: Message): boolean => (Number(flags ?? 0) & VOICE_MESSAGE) !== 0;

/** How often the gateway was asked for a session. */
export const upgrades = ({ heard }: EmbeddedGateway): number =>
  heard.filter(({ path }) => path.includes('/realtime')).length;

/** Says something by the button and its form. */
export async function spoken(stage: QuickStage, opening: Message, words: string, who = 'member'): Promise<Message> {
  const there = stage.discord.as(who);
  const modal = await (await there.click(opening, 'Speak')).modal();
  return (await there.fill(modal, { words })).message(ended);
}
