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
      const sequentialFigures: AnswerFigures[] = [];
      for (let round = 0; round < ROUNDS; round++) sequentialFigures.push(...(await streamAnswers(SINGLE_ANSWER)));
      const baselineUsage = await usage(true);
      let peakBytes = baselineUsage.residentBytes;
      const controller = new AbortController();
      const samples = watch(controller.signal, async () => {
        peakBytes = Math.max(peakBytes, (await usage()).residentBytes);
      });
      const concurrentFigures = await streamAnswers(MANY_ANSWERS);
      controller.abort();
      await samples;
      const finalUsage = await usage();
      report({ sequentialFigures, concurrentFigures, baselineUsage, finalUsage, peakBytes });
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
  sequentialFigures: readonly AnswerFigures[];
  concurrentFigures: readonly AnswerFigures[];
  baselineUsage: ProcessUsage;
  finalUsage: ProcessUsage;
  peakBytes: number;
}

const MIB = 2 ** 20;

function report({ sequentialFigures, concurrentFigures, baselineUsage, finalUsage, peakBytes }: Measurements): void {
  const rows = [
    [`${SINGLE_ANSWER.words} words, one at a time`, ...cells(sequentialFigures)],
    [`${MANY_ANSWERS.words} words, ${MANY_ANSWERS.answers} at once`, ...cells(concurrentFigures)],
  ];
  console.log(
    '\nAnswers; the gateway pauses 425 ms (a quarter of it in the second row) between its first event and its first words:\n',
  );
  console.log(table(['', 'first words, ms', 'p95', 'edits', 'seconds', 'edits/s'], rows));
  const megabytes = concurrentFigures.reduce((sum, { characters }) => sum + characters, 0) / 1e6;
  const cpuSeconds = (finalUsage.cpuMicros - baselineUsage.cpuMicros) / 1e6;
  console.log(`\nThe bot with ${MANY_ANSWERS.answers} streams at once:\n`);
  console.log(
    table(
      ['', 'figure'],
      [
        ['memory before, MiB', (baselineUsage.residentBytes / MIB).toFixed(0)],
        ['peak memory, MiB', (peakBytes / MIB).toFixed(0)],
        [
          'increase per stream, MiB',
          ((peakBytes - baselineUsage.residentBytes) / MIB / MANY_ANSWERS.answers).toFixed(2),
        ],
        ['text streamed, MB', megabytes.toFixed(2)],
        ['CPU per megabyte of text, s', (cpuSeconds / megabytes).toFixed(2)],
        [
          'CPU per edit, ms',
          ((cpuSeconds * 1_000) / concurrentFigures.reduce((sum, { edits }) => sum + edits, 0)).toFixed(2),
        ],
      ],
    ),
  );
}

function cells(figures: readonly AnswerFigures[]): string[] {
  const firstDelays = figures.map(({ firstVisibleMs }) => firstVisibleMs);
  const seconds = median(figures.map((one) => one.seconds));
  const edits = median(figures.map((one) => one.edits));
  return [
    median(firstDelays).toFixed(0),
    percentile(firstDelays, 0.95).toFixed(0),
    edits.toFixed(0),
    seconds.toFixed(1),
    (edits / seconds).toFixed(2),
  ];
}
