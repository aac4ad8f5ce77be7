import { setTimeout as sleep } from 'node:timers/promises';
import { nodeArguments } from '../as-started.ts';
import { end, messageFrom, start } from '../discord/child.ts';
import { median, table } from '../table.ts';
import { percentile } from '../tasks/percentile.ts';
import type { AnswerFigures, Input, ServerInfo } from './orders.ts';
import type { ProcessUsage } from './probe.ts';

const SINGLE_ANSWER: Input = { answers: 1, words: 160, gatewaySpeed: 1 };
const ROUNDS = 5;
/** About twelve seconds of streaming, at the speed of the fastest models. */
const MANY_ANSWERS: Input = { answers: 50, words: 1_500, gatewaySpeed: 4 };
const CHECK_INTERVAL_MS = 500;

/** Measures the CPU time that streaming answers cost the bot, and the time to their first words. */
export async function measureText(): Promise<void> {
  const embeddedServers = start(new URL('sides.ts', import.meta.url));
  try {
    const { settings } = await messageFrom<ServerInfo>(embeddedServers);
    const bot = start(new URL('../../src/index.ts', import.meta.url), {
      environment: settings,
      nodeOptions: [...nodeArguments, '--expose-gc', '--import', new URL('probe.ts', import.meta.url).href],
    });
    try {
      const streamAnswers = async (input: Input): Promise<AnswerFigures[]> => {
        embeddedServers.send(input);
        return messageFrom<AnswerFigures[]>(embeddedServers);
      };
      const usage = async (collect = false): Promise<ProcessUsage> => {
        bot.send({ collect });
        return messageFrom<ProcessUsage>(bot);
      };
      // The first answer warms the process up.
      await streamAnswers(SINGLE_ANSWER);
      const alone: AnswerFigures[] = [];
      for (let round = 0; round < ROUNDS; round++) alone.push(...(await streamAnswers(SINGLE_ANSWER)));
      const before = await usage(true);
      let max = before.residentBytes;
      const controller = new AbortController();
      const samples = watch(controller.signal, async () => {
        max = Math.max(max, (await usage()).residentBytes);
      });
      const many = await streamAnswers(MANY_ANSWERS);
      controller.abort();
      await samples;
      const after = await usage();
      report({ alone, many, before, after, max });
    } finally {
      await end(bot);
    }
  } finally {
    await end(embeddedServers);
  }
}

async function watch(signal: AbortSignal, sample: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await sample();
    await sleep(CHECK_INTERVAL_MS);
  }
}

interface Measurements {
  alone: readonly AnswerFigures[];
  many: readonly AnswerFigures[];
  before: ProcessUsage;
  after: ProcessUsage;
  max: number;
}

const MIB = 2 ** 20;

function report({ alone, many, before, after, max }: Measurements): void {
  const rows = [
    [`${SINGLE_ANSWER.words} words, one at a time`, ...cells(alone)],
    [`${MANY_ANSWERS.words} words, ${MANY_ANSWERS.answers} at once`, ...cells(many)],
  ];
  console.log(
    '\nAnswers; the gateway pauses 425 ms (a quarter of it in the second row) between its first event and its first words:\n',
  );
  console.log(table(['', 'first words, ms', 'p95', 'edits', 'seconds', 'edits/s'], rows));
  const megabytes = many.reduce((sum, { characters }) => sum + characters, 0) / 1e6;
  const cpuSeconds = (after.cpuMicros - before.cpuMicros) / 1e6;
  console.log(`\nThe bot with ${MANY_ANSWERS.answers} streams at once:\n`);
  console.log(
    table(
      ['', 'figure'],
      [
        ['memory before, MiB', (before.residentBytes / MIB).toFixed(0)],
        ['peak memory, MiB', (max / MIB).toFixed(0)],
        ['increase per stream, MiB', ((max - before.residentBytes) / MIB / MANY_ANSWERS.answers).toFixed(2)],
        ['text streamed, MB', megabytes.toFixed(2)],
        ['CPU per megabyte of text, s', (cpuSeconds / megabytes).toFixed(2)],
        ['CPU per edit, ms', ((cpuSeconds * 1_000) / many.reduce((sum, { edits }) => sum + edits, 0)).toFixed(2)],
      ],
    ),
  );
}

function cells(figures: readonly AnswerFigures[]): string[] {
  const first = figures.map(({ firstVisibleMs }) => firstVisibleMs);
  const seconds = median(figures.map((one) => one.seconds));
  const edits = median(figures.map((one) => one.edits));
  return [
    median(first).toFixed(0),
    percentile(first, 0.95).toFixed(0),
    edits.toFixed(0),
    seconds.toFixed(1),
    (edits / seconds).toFixed(2),
  ];
}
