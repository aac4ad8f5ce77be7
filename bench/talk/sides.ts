import { on } from 'node:events';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { synthesizeSpeech } from '../../sandbox/gateway/realtime/voice.ts';
import { openSides, UNLIMITED } from '../harness/sides.ts';
import { type BotFigures, type Command, type Commands, MODEL, machineTime, question } from './orders.ts';
import { encodeVoiceMessage, openBenchAudio } from './sounds.ts';

/**
 * The embedded servers in a separate process: Discord, in which members speak, and the gateway, which answers. Discord's limits for one token
 * apply; those for one IP address are not measured.
 */

const VOICE_MESSAGE = 1 << 13;
/** The first word of every answer. No question contains it. */
const FIRST_WORD = 'This';
const ANSWER_WORDS = 30;
const FIRST_MEMBER_ID = 100_000_000_000_000_000n;

const { discord, gateway, settings } = await openSides({ discord: { limits: { globalPerSecond: UNLIMITED } } });

const inputTimes: Record<string, number> = {};
gateway.realtime.on('received', (session, event) => {
  const { type } = event as { type?: string };
  if (type === 'input_audio_buffer.commit' || type === 'conversation.item.create')
    inputTimes[session.id] = machineTime();
});

const voiceMessage = await encodeVoiceMessage(
  openBenchAudio(),
  synthesizeSpeech('Tell me of the snow, and of the wind that carries it.', 'sage'),
);
const file = { name: 'snow.ogg', bytes: voiceMessage.bytes };
const conversations: Conversation[] = [];
let requestCount = 0;
let memberCount = 0;

type Handlers = { [Kind in keyof Commands]: (input: Commands[Kind]['input']) => Promise<Commands[Kind]['output']> };
const handlers: Handlers = {
  async open({ talks }) {
    await waitForBot();
    for (let talk = 0; talk < talks; talk++) conversations.push(await startTalk());
    return null;
  },
  async alone({ manner, rounds }) {
    await waitForBot();
    const figures: BotFigures[] = [];
    for (let round = 0; round < rounds; round++) {
      const conversation = await startTalk();
      const { member, openingMessage } = conversation;
      figures.push(
        await measureUtterance(
          conversation,
          manner === 'sound' ? { sound: [file] } : { words: nextQuestion(ANSWER_WORDS) },
        ),
      );
      await discord.as(member).click(openingMessage, 'End');
      await discord.until(() => (acceptsUtterances(currentVersion(openingMessage)) ? undefined : true), 'the end');
    }
    return figures;
  },
  together: ({ words }) =>
    Promise.all(conversations.map((conversation) => measureUtterance(conversation, { words: nextQuestion(words) }))),
  async speed({ gatewaySpeed }) {
    gateway.setSpeed(gatewaySpeed);
    return null;
  },
  inputs: async () => inputTimes,
};

process.send?.({
  url: gateway.url,
  key: settings.GATEWAY_API_KEY,
  settings: {
    ...settings,
    GATEWAY_CONNECTIONS: '128',
    DEFAULT_TALK_MODEL: MODEL,
    STORE_URL: 'sqlite://:memory:',
  },
});
for await (const [command] of on(process, 'message', { close: ['disconnect'] })) {
  const { kind, input } = command as Command;
  process.send?.(await (handlers[kind] as (input: unknown) => Promise<unknown>)(input));
}
await Promise.all([discord.close(), gateway.close()]);

function waitForBot(): Promise<boolean> {
  return discord.until(() => (discord.gateway.sessions > 0 ? true : undefined), 'the bot');
}

function nextQuestion(words: number): string {
  requestCount += 1;
  return question(requestCount, words);
}

interface Conversation {
  /** The name of the member who started it. */
  member: string;
  openingMessage: Message;
}

async function startTalk(): Promise<Conversation> {
  const member = addMember();
  const exchange = await discord.as(member).slash('talk start', { instructions: 'be brief' });
  const [, thread = ''] = /<#(\d+)>/.exec((await exchange.message()).content) ?? [];
  const openingMessage = await discord.until(
    () => discord.messages(thread).find(acceptsUtterances),
    'the first message',
  );
  return { member, openingMessage };
}

/** Adds a member to the server and returns the name. A member may only start a few conversations a minute. */
function addMember(): string {
  const user = discord.world.user('member');
  memberCount += 1;
  const [id, name] = [String(FIRST_MEMBER_ID + BigInt(memberCount)), `member-${memberCount}`];
  discord.world.users.set(id, { ...user, id, name });
  discord.world.guild('atelier').members.set(id, { userId: id, roles: [], joinedAt: 0 });
  return name;
}

async function measureUtterance(
  { member: name, openingMessage }: Conversation,
  utterance: { words: string } | { sound: (typeof file)[] },
): Promise<BotFigures> {
  const member = discord.as(name);
  const form = await (await member.click(openingMessage, 'Speak')).modal();
  const start = performance.now();
  const elapsedMs = () => performance.now() - start;
  const exchange = await member.fill(form, utterance);
  await exchange.message((message) => text(message).includes(FIRST_WORD));
  const firstWordsMs = elapsedMs();
  const { id } = await exchange.message((message) => JSON.stringify(message.components).includes('Delete'));
  const endMs = elapsedMs();
  const voice = await discord.until(
    () =>
      discord
        .messages(openingMessage.channel_id)
        .find((message) => isVoice(message) && message.message_reference?.message_id === id),
    'a voice message',
  );
  return { firstWordsMs, endMs, voiceMs: elapsedMs(), seconds: voice.attachments[0]?.duration_secs ?? Number.NaN };
}

function currentVersion(message: Message): Message {
  return discord.messages(message.channel_id).find(({ id }) => id === message.id) ?? message;
}

function acceptsUtterances({ components }: Message): boolean {
  return JSON.stringify(components ?? []).includes('Speak');
}

function isVoice({ flags }: Message): boolean {
  return (Number(flags ?? 0) & VOICE_MESSAGE) !== 0;
}
