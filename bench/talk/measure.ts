import { messageFrom } from '../discord/child.ts';
import { Bot } from '../harness/bot.ts';
import { launch, stop } from '../harness/program.ts';
import { median, percentile, table } from '../table.ts';
import { measureConversations } from './many.ts';
import { type BotFigures, type Call, type Manner, manners, type ServerInfo, type Variant } from './orders.ts';
import { measureVoiceCodec } from './sounds.ts';
import { request } from './stage.ts';

/** A real gateway is slower: this is the embedded gateway's own time until its first word. */
const FIRST_WORD_MS = 325;
const GATEWAY_SPEED = 4;
const CALLS = 20;
const FINISHED_ROUNDS = 5;
const ROUNDS = 5;

const inputNames: Readonly<Record<Manner, string>> = { words: 'words', sound: '2.4 s of audio' };

/** Measures the cost of live conversations: the time to an answer, and the memory of twenty of them. */
export async function measureTalk(): Promise<void> {
  const embeddedServers = launch(new URL('sides.ts', import.meta.url));
  try {
    const serverInfo = await messageFrom<ServerInfo>(embeddedServers);
    await request(embeddedServers, 'speed', { gatewaySpeed: GATEWAY_SPEED });
    const calls = await measureCalls(serverInfo);
    reportCalls(calls, await request(embeddedServers, 'inputs', null));
    const bot = new Bot(serverInfo.settings);
    try {
      // The first answer warms the process up.
      for (const manner of manners) await request(embeddedServers, 'alone', { manner, rounds: 1 });
      const [words, sound] = [
        await request(embeddedServers, 'alone', { manner: 'words', rounds: ROUNDS }),
        await request(embeddedServers, 'alone', { manner: 'sound', rounds: ROUNDS }),
      ];
      reportBot({ words, sound }, calls, await request(embeddedServers, 'inputs', null));
      await measureConversations(embeddedServers, bot);
    } finally {
      await bot.stop();
    }
  } finally {
    await stop(embeddedServers);
  }
  await measureVoiceCodec();
}

async function measureCalls({ url, key }: ServerInfo): Promise<Call[]> {
  const caller = launch(new URL('caller.ts', import.meta.url));
  try {
    caller.send({ url, key, rounds: CALLS, whole: FINISHED_ROUNDS });
    return await messageFrom<Call[]>(caller);
  } finally {
    await stop(caller);
  }
}

type Inputs = Readonly<Record<string, number>>;
type Moment = 'firstTextAt' | 'firstAudioAt' | 'endAt';

const elapsedUntil = (
  calls: readonly Call[],
  inputs: Inputs,
  selection: { way: Variant; manner: Manner },
  moment: Moment,
): number[] =>
  calls
    .filter(({ way, manner }) => way === selection.way && manner === selection.manner)
    .flatMap((call) => (call[moment] === undefined ? [] : [call[moment] - (inputs[call.session] ?? Number.NaN)]));

function reportCalls(calls: readonly Call[], inputs: Inputs): void {
  const rows = manners.flatMap((manner) =>
    (['firstTextAt', 'firstAudioAt'] as const).map((moment) => {
      const bare = elapsedUntil(calls, inputs, { way: 'bare', manner }, moment);
      const client = elapsedUntil(calls, inputs, { way: 'client', manner }, moment);
      const name = `${inputNames[manner]}: to the first ${moment === 'firstTextAt' ? 'text' : 'audio'}`;
      return [name, ...cells(bare), ...cells(client), ratio(client, bare)];
    }),
  );
  console.log(
    `\nTime from the end of the input at the gateway, which sends its first word after ${(FIRST_WORD_MS / GATEWAY_SPEED).toFixed(0)} ms, in sessions that were silent for a second; ${CALLS} answers each, ms:\n`,
  );
  console.log(table(['', 'bare ws', 'p95', 'client', 'p95', 'ratio'], rows));
}

function reportBot(figures: Record<Manner, BotFigures[]>, calls: readonly Call[], inputs: Inputs): void {
  const rows = manners.flatMap((manner) => {
    const bare = (moment: Moment) => elapsedUntil(calls, inputs, { way: 'bare', manner }, moment);
    const bot = (pick: (figures: BotFigures) => number) => figures[manner].map(pick);
    const row = (name: string, values: number[], baseline: number[]) => [
      `${inputNames[manner]}: ${name}`,
      ...cells(values),
      median(baseline).toFixed(0),
      ratio(values, baseline),
    ];
    return [
      row(
        'to the first words in Discord',
        bot(({ firstWordsMs }) => firstWordsMs),
        bare('firstTextAt'),
      ),
      row(
        'to the end of the answer',
        bot(({ endMs }) => endMs),
        bare('endAt'),
      ),
      row(
        'to the voice message',
        bot(({ voiceMs }) => voiceMs),
        bare('endAt'),
      ),
    ];
  });
  const seconds = manners.map((manner) => median(figures[manner].map((one) => one.seconds)).toFixed(1));
  console.log(
    `\nTime in the whole bot from submitting the form of "Speak"; the voice messages last ${seconds.join(' and ')} s; ${ROUNDS} answers each, ms:\n`,
  );
  console.log(table(['', 'bot', 'max', 'bare ws', 'ratio'], rows));
}

const cells = (values: readonly number[]): string[] => [median(values).toFixed(1), percentile(values, 0.95).toFixed(1)];
const ratio = (one: readonly number[], other: readonly number[]): string => (median(one) / median(other)).toFixed(2);
