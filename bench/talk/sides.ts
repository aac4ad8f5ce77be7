import { on } from 'node:events';
import { startDiscord, text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { startGateway } from '../../sandbox/gateway/gateway.ts';
import { speechOf } from '../../sandbox/gateway/realtime/voice.ts';
import { features } from '../../src/commands/index.ts';
import { registrationOf } from '../../src/discord/registration.ts';
import { noLimits } from '../../test/support/no-limits.ts';
import { type BotFigures, MODEL, machineTime, question, type SideOrder, type SideOrders } from './orders.ts';
import { encodeVoiceMessage, sounds } from './sounds.ts';

/** The embedded servers in a separate process: Discord, in which members speak, and the gateway, which answers. */

/** Discord's limits for one token apply; those for one IP address are not measured. */
const UNBOUND = 1_000_000_000;
const VOICE_MESSAGE = 1 << 13;
/** The first word of every answer. No question contains it. */
const FIRST_WORD = 'This';
const WORDS = 30;

const key = 'sk-sandbox';
const gateway = await startGateway({ keys: [{ key }] });
const discord = await startDiscord({ limits: { globalPerSecond: UNBOUND } });

const registered = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
  method: 'PUT',
  headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
  body: JSON.stringify(features.map((feature) => registrationOf(feature, { userInstall: false }))),
});
if (!registered.ok) throw new Error(`The commands were not accepted: ${await registered.text()}`);

const inputs: Record<string, number> = {};
gateway.realtime.on('received', (session, event) => {
  const { type } = event as { type?: string };
  if (type === 'input_audio_buffer.commit' || type === 'conversation.item.create') inputs[session.id] = machineTime();
});

const spoken = await encodeVoiceMessage(
  sounds(),
  speechOf('Tell me of the snow, and of the wind that carries it.', 'sage'),
);
const file = { name: 'snow.ogg', bytes: spoken.bytes };
const openings: Message[] = [];
let asked = 0;

type Does = { [Kind in keyof SideOrders]: (input: SideOrders[Kind]['input']) => Promise<SideOrders[Kind]['answer']> };
const does: Does = {
  async open({ talks }) {
    await ready();
    for (let talk = 0; talk < talks; talk++) openings.push(await beginTalk());
    return null;
  },
  async alone({ manner, rounds }) {
    await ready();
    const figures: BotFigures[] = [];
    for (let round = 0; round < rounds; round++) {
      const opening = await beginTalk();
      figures.push(await saidIn(opening, manner === 'sound' ? { sound: [file] } : { words: asking(WORDS) }));
      await discord.as('member').click(opening, 'End');
      await discord.until(() => (mayBeSpokenTo(now(opening)) ? undefined : true), 'the end');
    }
    return figures;
  },
  together: ({ words }) => Promise.all(openings.map((opening) => saidIn(opening, { words: asking(words) }))),
  async speed({ gatewaySpeed }) {
    gateway.setSpeed(gatewaySpeed);
    return null;
  },
  inputs: async () => inputs,
};

process.send?.({
  url: gateway.url,
  key,
  settings: {
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    ...{ GATEWAY_BASE_URL: gateway.url, GATEWAY_API_KEY: key, GATEWAY_CONNECTIONS: '128', ...noLimits },
    ...{ DEFAULT_TALK_MODEL: MODEL, STORE_URL: 'sqlite://:memory:' },
  },
});
for await (const [order] of on(process, 'message', { close: ['disconnect'] })) {
  const { kind, input } = order as SideOrder;
  process.send?.(await (does[kind] as (input: unknown) => Promise<unknown>)(input));
}
await Promise.all([discord.close(), gateway.close()]);

function ready(): Promise<boolean> {
  return discord.until(() => (discord.gateway.sessions > 0 ? true : undefined), 'the bot');
}

function asking(words: number): string {
  asked += 1;
  return question(asked, words);
}

/** The first message of the conversation, with the button to speak. Two equal orders within seconds would count as one. */
async function beginTalk(): Promise<Message> {
  asked += 1;
  const exchange = await discord.as('member').slash('talk start', { instructions: `be number ${asked}` });
  const [, thread = ''] = /<#(\d+)>/.exec((await exchange.message()).content) ?? [];
  return discord.until(() => discord.messages(thread).find(mayBeSpokenTo), 'the first message');
}

async function saidIn(opening: Message, said: { words: string } | { sound: (typeof file)[] }): Promise<BotFigures> {
  const there = discord.as('member');
  const form = await (await there.click(opening, 'Speak')).modal();
  const start = performance.now();
  const since = () => performance.now() - start;
  const exchange = await there.fill(form, said);
  await exchange.message((message) => text(message).includes(FIRST_WORD));
  const firstWordsMs = since();
  const { id } = await exchange.message((message) => JSON.stringify(message.components).includes('Delete'));
  const endMs = since();
  const voice = await discord.until(
    () =>
      discord
        .messages(opening.channel_id)
        .find((message) => isVoice(message) && message.message_reference?.message_id === id),
    'a voice message',
  );
  return { firstWordsMs, endMs, voiceMs: since(), seconds: voice.attachments[0]?.duration_secs ?? Number.NaN };
}

function now(message: Message): Message {
  return discord.messages(message.channel_id).find(({ id }) => id === message.id) ?? message;
}

function mayBeSpokenTo({ components }: Message): boolean {
  return JSON.stringify(components ?? []).includes('Speak');
}

function isVoice({ flags }: Message): boolean {
  return (Number(flags ?? 0) & VOICE_MESSAGE) !== 0;
}
