import { setTimeout as sleep } from 'node:timers/promises';
import { median, table } from '../table.ts';
import type { ProcessUsage } from '../text/probe.ts';
import type { BotFigures } from './orders.ts';
import type { MeasuredBot, TalkHarness } from './stage.ts';

const TALKS = 20;
const IDLE_MS = 8_000;
const ANSWER_WORDS = 30;
const CHECK_INTERVAL_MS = 200;
const MIB = 2 ** 20;

/** Measures twenty conversations: first idle, then while all of them receive an answer at once, at the speed of speech. */
export async function measureConversations(harness: TalkHarness, bot: MeasuredBot): Promise<void> {
  const baselineUsage = await usageAfterCollection(bot);
  await harness.request('open', { talks: TALKS });
  const openUsage = await usageAfterCollection(bot);
  await sleep(IDLE_MS);
  const idleUsage = await bot.usage();
  await harness.request('speed', { gatewaySpeed: 1 });
  const start = performance.now();
  const peakUsage = { residentBytes: 0, heapBytes: 0 };
  const controller = new AbortController();
  const samples = watch(controller.signal, async () => {
    const { residentBytes, heapBytes } = await bot.usage();
    peakUsage.residentBytes = Math.max(peakUsage.residentBytes, residentBytes);
    peakUsage.heapBytes = Math.max(peakUsage.heapBytes, heapBytes);
  });
  const figures = await harness.request('together', { words: ANSWER_WORDS });
  const seconds = (performance.now() - start) / 1_000;
  controller.abort();
  await samples;
  report({
    baselineUsage,
    openUsage,
    idleUsage,
    peakUsage,
    finalUsage: await usageAfterCollection(bot),
    figures,
    seconds,
  });
}

/** Collects garbage twice, because collected memory returns to the operating system with a delay. */
async function usageAfterCollection(bot: MeasuredBot): Promise<ProcessUsage> {
  await bot.usage(true);
  await sleep(CHECK_INTERVAL_MS);
  return bot.usage(true);
}

async function watch(signal: AbortSignal, sample: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await sample();
    await sleep(CHECK_INTERVAL_MS);
  }
}

interface Measurements {
  baselineUsage: ProcessUsage;
  openUsage: ProcessUsage;
  idleUsage: ProcessUsage;
  finalUsage: ProcessUsage;
  peakUsage: Pick<ProcessUsage, 'residentBytes' | 'heapBytes'>;
  figures: readonly BotFigures[];
  seconds: number;
}

function report({ baselineUsage, openUsage, idleUsage, finalUsage, peakUsage, figures, seconds }: Measurements): void {
  const memory = (name: string, { residentBytes, heapBytes }: Pick<ProcessUsage, 'residentBytes' | 'heapBytes'>) => [
    name,
    (residentBytes / MIB).toFixed(0),
    (heapBytes / MIB).toFixed(1),
  ];
  const voice = figures.reduce((sum, one) => sum + one.seconds, 0);
  const cpuMs = (finalUsage.cpuMicros - idleUsage.cpuMicros) / 1_000;
  console.log(`\nThe bot with ${TALKS} conversations, in MiB:\n`);
  console.log(
    table(
      ['', 'RSS', 'heap'],
      [
        memory('before the conversations', baselineUsage),
        memory('all open, idle', openUsage),
        memory(`all answering, ${(voice / figures.length).toFixed(0)} s of voice each: peak`, peakUsage),
        memory('afterwards', finalUsage),
      ],
    ),
  );
  console.log(`\nCPU use of the bot, and durations:\n`);
  const medianSeconds = (pick: (one: BotFigures) => number): string => (median(figures.map(pick)) / 1_000).toFixed(2);
  console.log(
    table(
      ['', 'figure'],
      [
        ['idle, % of a core', ((idleUsage.cpuMicros - openUsage.cpuMicros) / IDLE_MS / 10).toFixed(2)],
        ['all answering, % of a core', (cpuMs / seconds / 10).toFixed(0)],
        ['the same, CPU ms per second of voice', (cpuMs / voice).toFixed(1)],
        ['first words in Discord, s', medianSeconds((one) => one.firstWordsMs)],
        ['end of the answer, s', medianSeconds((one) => one.endMs)],
        ['voice message, s', medianSeconds((one) => one.voiceMs)],
        ['the last voice message, s', (Math.max(...figures.map((one) => one.voiceMs)) / 1_000).toFixed(2)],
      ],
    ),
  );
}
