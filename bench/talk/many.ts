import { setTimeout as sleep } from 'node:timers/promises';
import { median, table } from '../table.ts';
import type { Strain } from '../text/probe.ts';
import type { BotFigures } from './orders.ts';
import type { MeasuredBot, Stage } from './stage.ts';

const TALKS = 20;
const IDLE_MS = 8_000;
const WORDS = 30;
const CHECK_INTERVAL_MS = 200;
const MIB = 2 ** 20;

/** Twenty conversations: first idle, then while all of them receive an answer at once, at the speed of speech. */
export async function measureMany(stage: Stage, bot: MeasuredBot): Promise<void> {
  const before = await settled(bot);
  await stage.ask('open', { talks: TALKS });
  const open = await settled(bot);
  await sleep(IDLE_MS);
  const idle = await bot.strain();
  await stage.ask('speed', { gatewaySpeed: 1 });
  const start = performance.now();
  const max = { residentBytes: 0, heapBytes: 0 };
  const over = new AbortController();
  const watching = watch(over.signal, async () => {
    const { residentBytes, heapBytes } = await bot.strain();
    max.residentBytes = Math.max(max.residentBytes, residentBytes);
    max.heapBytes = Math.max(max.heapBytes, heapBytes);
  });
  const figures = await stage.ask('together', { words: WORDS });
  const seconds = (performance.now() - start) / 1_000;
  over.abort();
  await watching;
  report({ before, open, idle, max, after: await settled(bot), figures, seconds });
}

/** Collected memory returns to the system a little later. */
async function settled(bot: MeasuredBot): Promise<Strain> {
  await bot.strain(true);
  await sleep(CHECK_INTERVAL_MS);
  return bot.strain(true);
}

async function watch(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await look();
    await sleep(CHECK_INTERVAL_MS);
  }
}

interface Measured {
  before: Strain;
  open: Strain;
  idle: Strain;
  after: Strain;
  max: Pick<Strain, 'residentBytes' | 'heapBytes'>;
  figures: readonly BotFigures[];
  seconds: number;
}

function report({ before, open, idle, after, max, figures, seconds }: Measured): void {
  const memory = (name: string, { residentBytes, heapBytes }: Pick<Strain, 'residentBytes' | 'heapBytes'>) => [
    name,
    (residentBytes / MIB).toFixed(0),
    (heapBytes / MIB).toFixed(1),
  ];
  const voice = figures.reduce((sum, one) => sum + one.seconds, 0);
  const worked = (after.cpuMicros - idle.cpuMicros) / 1_000;
  console.log(`\nThe bot with ${TALKS} conversations, in MiB:\n`);
  console.log(
    table(
      ['', 'RSS', 'heap'],
      [
        memory('before them', before),
        memory('all open, idle', open),
        memory(`all answering, ${(voice / figures.length).toFixed(0)} s of voice each: the most`, max),
        memory('afterwards', after),
      ],
    ),
  );
  console.log(`\nIts CPU, and how long they take:\n`);
  const middle = (pick: (one: BotFigures) => number): string => (median(figures.map(pick)) / 1_000).toFixed(2);
  console.log(
    table(
      ['', 'figure'],
      [
        ['idle, % of a core', ((idle.cpuMicros - open.cpuMicros) / IDLE_MS / 10).toFixed(2)],
        ['all answering, % of a core', (worked / seconds / 10).toFixed(0)],
        ['the same, CPU ms a second of voice', (worked / voice).toFixed(1)],
        ['first words in Discord, s', middle((one) => one.firstWordsMs)],
        ['end of the answer, s', middle((one) => one.endMs)],
        ['voice message, s', middle((one) => one.voiceMs)],
        ['the last voice message, s', (Math.max(...figures.map((one) => one.voiceMs)) / 1_000).toFixed(2)],
      ],
    ),
  );
}
