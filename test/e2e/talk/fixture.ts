import type { Exchange, Message } from '../../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import type { App } from '../../../src/roles/app.ts';
import { FastClock } from '../../support/quick-clock.ts';
import { createFixture, type Fixture, type FixtureOptions, startBot } from '../bot.ts';
import { labels } from '../quick.ts';

const VOICE_MESSAGE = 1 << 13;

/** A model for live sessions. */
export const TALK_MODEL = 'parley-realtime';

/** Slower than in other tests, because audio is processed in worker threads, which the fast clock does not accelerate. */
const SPEED = 3;

export interface TalkFixture extends Fixture {
  clock: FastClock;
}

async function createTalkFixture({ settings, discord, ...options }: FixtureOptions = {}): Promise<TalkFixture> {
  const clock = new FastClock(SPEED);
  const baseFixture = await createFixture({
    ...options,
    clock,
    settings: { DEFAULT_TALK_MODEL: TALK_MODEL, ...settings },
    // Discord's three seconds for an acknowledgement would be one second.
    discord: { ...discord, limits: { acknowledgeMs: 10_000 * SPEED, ...discord?.limits } },
  });
  return { ...baseFixture, clock };
}

export async function startTalkBot(options: FixtureOptions = {}): Promise<TalkFixture & { app: App }> {
  const baseFixture = await createTalkFixture(options);
  return { ...baseFixture, app: await startBot(baseFixture) };
}

/** Starts the same bot with the message content intent, so that it can read messages. */
export const startListeningBot = (options: FixtureOptions = {}) =>
  startTalkBot({
    ...options,
    settings: { DISCORD_MESSAGE_CONTENT: 'on', ...options.settings },
    discord: { privilegedIntents: ['message-content'], ...options.discord },
  });

/** Returns the thread of a talk as linked in the reply to the command. */
export async function threadOf(exchange: Exchange): Promise<string> {
  const { content } = await exchange.message();
  const id = /<#(\d+)>/.exec(content)?.[1];
  if (id === undefined) throw new Error(`There is no thread in: ${content}`);
  return id;
}

/** Starts a talk and returns its thread and the first message there. */
export async function startTalk({ discord }: TalkFixture, options: Record<string, string> = {}, channel = 'studio') {
  const thread = await threadOf(await discord.as('member').in(channel).slash('talk start', options));
  return { thread, opening: await discord.until(() => discord.messages(thread).find(isOpening), 'the first message') };
}

export const isOpening = (message: Message): boolean => labels(message).includes('End');

/** Whether a reply has ended, in any way. */
export const hasEnded = (message: Message): boolean => labels(message).includes('Delete');

export const isVoiceMessage = ({ flags }: Message): boolean => (Number(flags ?? 0) & VOICE_MESSAGE) !== 0;

/** The number of sessions that the gateway was asked to open. */
export const upgradeCount = ({ requests }: EmbeddedGateway): number =>
  requests.filter(({ path }) => path.includes('/realtime')).length;

/** Sends an utterance with the button and its form. */
export async function sendUtterance(
  fixture: TalkFixture,
  opening: Message,
  words: string,
  who = 'member',
): Promise<Message> {
  const speaker = fixture.discord.as(who);
  const modal = await (await speaker.click(opening, 'Speak')).modal();
  return (await speaker.fill(modal, { words })).message(hasEnded);
}
