import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bot } from '../harness/bot.ts';
import type { Usage } from '../harness/probe.ts';
import { peakUsage } from '../harness/usage.ts';
import { median, table } from '../table.ts';
import type { BotFigures } from './orders.ts';
import { request } from './stage.ts';

const TALKS = 20;
const IDLE_MS = 8_000;
const ANSWER_WORDS = 30;
const MIB = 2 ** 20;

/** Measures twenty conversations: first idle, then while all of them receive an answer at once, at the speed of speech. */
export async function measureConversations(embeddedServers: ChildProcess, bot: Bot): Promise<void> {
  const baselineUsage = await bot.call('collectedUsage');
  await request(embeddedServers, 'open', { talks: TALKS });
  const openUsage = await bot.call('collectedUsage');
  await sleep(IDLE_MS);
  const idleUsage = await bot.call('usage');
  await request(embeddedServers, 'speed', { gatewaySpeed: 1 });
  const start = performance.now();
  const [figures, peak] = await peakUsage(bot, () => request(embeddedServers, 'together', { words: ANSWER_WORDS }));
  const seconds = (performance.now() - start) / 1_000;
  report({
    baselineUsage,
    openUsage,
    idleUsage,
    peakUsage: peak,
    finalUsage: await bot.call('collectedUsage'),
    figures,
    seconds,
  });
}

interface Measurements {
  baselineUsage: Usage;
  openUsage: Usage;
  idleUsage: Usage;
  finalUsage: Usage;
  peakUsage: Pick<Usage, 'residentBytes' | 'heapBytes'>;
  figures: readonly BotFigures[];
  seconds: number;
}

function report({ baselineUsage, openUsage, idleUsage, finalUsage, peakUsage, figures, seconds }: Measurements): void {
  const memory = (name: string, { residentBytes, heapBytes }: Pick<Usage, 'residentBytes' | 'heapBytes'>) => [
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
