import { text } from '../sandbox/discord/discord.ts';
import { type Columns, comparison, medianOf, number } from './compare.ts';
import { Bot } from './harness/bot.ts';
import { program } from './harness/program.ts';
import { openSides, UNLIMITED } from './harness/sides.ts';
import { peakUsage } from './harness/usage.ts';
import { percentile, table } from './table.ts';

interface Stream {
  /** Answers that stream at once. */
  answers: number;
  /** The approximate length of each answer. */
  words: number;
  gatewaySpeed: number;
}

interface Answer {
  /** From the first event of the stream to the first words in Discord; this includes the gateway's own pause before its first words. */
  firstVisibleMs: number;
  edits: number;
  seconds: number;
  characters: number;
}

const SINGLE_ANSWER: Stream = { answers: 1, words: 160, gatewaySpeed: 1 };
const ROUNDS = 5;
/** About twelve seconds of streaming, at the speed of the fastest models. */
const MANY_ANSWERS: Stream = { answers: 50, words: 1_500, gatewaySpeed: 4 };
/** The first edit contains a few characters of the first words, under the line that names the model. */
const FIRST_WORDS = 'quill-5\\nT';
const MIB = 2 ** 20;

const startSides = program(import.meta, sides);

/** Measures the CPU time that streaming answers cost the bot, and the time to their first words. */
export async function measureText(): Promise<void> {
  const embedded = await startSides();
  const bot = new Bot(await embedded.call('settings'));
  try {
    await bot.ready;
    // The first answer warms the process up.
    await embedded.call('stream', SINGLE_ANSWER);
    const one: Answer[] = [];
    for (let round = 0; round < ROUNDS; round++) one.push(...(await embedded.call('stream', SINGLE_ANSWER)));
    const before = await bot.call('collectedUsage');
    const [many, { residentBytes }] = await peakUsage(bot, () => embedded.call('stream', MANY_ANSWERS));
    const { cpuMicros } = await bot.call('usage');
    reportAnswers({ one, many });
    reportCost(many, { before: before.residentBytes, peak: residentBytes }, (cpuMicros - before.cpuMicros) / 1_000);
  } finally {
    await Promise.all([bot.stop(), embedded.stop()]);
  }
}

function reportAnswers(results: Record<'one' | 'many', Answer[]>): void {
  const variants = {
    one: `${SINGLE_ANSWER.words} words, one at a time`,
    many: `${MANY_ANSWERS.words} words, ${MANY_ANSWERS.answers} at once`,
  };
  const p95 = (figures: readonly Answer[]): string =>
    number(
      percentile(
        figures.map((answer) => answer.firstVisibleMs),
        0.95,
      ),
    );
  const columns: Columns<Answer> = [
    ['first words, ms', medianOf((answer) => answer.firstVisibleMs)],
    ['p95', p95],
    ['edits', medianOf(({ edits }) => edits)],
    ['seconds', medianOf(({ seconds }) => seconds, 1)],
    ['edits/s', medianOf(({ edits, seconds }) => edits / seconds, 2)],
  ];
  console.log(
    '\nAnswers; the gateway pauses 425 ms (a quarter of it in the second row) between its first event and its first words:\n',
  );
  console.log(comparison(variants, results, columns));
}

function reportCost(answers: readonly Answer[], bytes: { before: number; peak: number }, cpuMs: number): void {
  const sum = (pick: (answer: Answer) => number): number => answers.reduce((all, answer) => all + pick(answer), 0);
  const megabytes = sum(({ characters }) => characters) / 1e6;
  const rows = [
    ['memory before, MiB', number(bytes.before / MIB)],
    ['peak memory, MiB', number(bytes.peak / MIB)],
    ['increase per stream, MiB', number((bytes.peak - bytes.before) / MIB / answers.length, 2)],
    ['text streamed, MB', number(megabytes, 2)],
    ['CPU per megabyte of text, s', number(cpuMs / 1_000 / megabytes, 2)],
    ['CPU per edit, ms', number(cpuMs / sum(({ edits }) => edits), 2)],
  ];
  console.log(`\nThe bot with ${answers.length} streams at once:\n`);
  console.log(table(['', 'figure'], rows));
}

/** Discord, in which members ask, and the gateway, which answers. Discord's limits for one token apply; those for one IP address are not measured. */
async function sides() {
  const { discord, gateway, settings } = await openSides({ discord: { limits: { globalPerSecond: UNLIMITED } } });
  let requestCount = 0;
  return {
    settings: () => ({
      ...settings,
      GATEWAY_CONNECTIONS: '128',
      DEFAULT_TEXT_MODEL: 'quill-5',
      STORE_URL: 'sqlite://:memory:',
    }),
    stream({ answers, words, gatewaySpeed }: Stream): Promise<Answer[]> {
      gateway.setSpeed(gatewaySpeed);
      return Promise.all(Array.from({ length: answers }, () => measureAnswer(words)));
    },
  };

  async function measureAnswer(words: number): Promise<Answer> {
    requestCount += 1;
    const prompt = `tell me of snow number ${requestCount}, ${words} words`;
    // All messages of a private answer belong to its interaction. Those of public ones would wait for Discord's limit for their channel.
    const exchange = await discord.as('member').slash('ask', { prompt, new: true, private: true });
    const first = await exchange.message((message) => JSON.stringify(message.components ?? []).includes('Delete'));
    const ownRequests = discord.requests.filter(({ path }) => path.includes(exchange.token));
    const firstVisibleEdit = ownRequests.find(
      ({ method, body }) => method === 'PATCH' && JSON.stringify(body).includes(FIRST_WORDS),
    );
    const gatewayRequest = gateway.requests.find(({ body }) => JSON.stringify(body ?? '').includes(prompt));
    const [start = 0, end = 0] = [gatewayRequest?.at, ownRequests.at(-1)?.at];
    return {
      firstVisibleMs: (firstVisibleEdit?.at ?? Number.NaN) - start,
      edits: ownRequests.filter(
        ({ method, path }) => (method === 'PATCH' || method === 'POST') && path.includes('/webhooks/'),
      ).length,
      seconds: (end - start) / 1_000,
      characters: [first, ...exchange.followUps()].reduce((sum, message) => sum + text(message).length, 0),
    };
  }
}
