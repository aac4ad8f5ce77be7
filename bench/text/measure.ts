import { setTimeout as sleep } from 'node:timers/promises';
import { asStarted } from '../as-started.ts';
import { end, messageFrom, start } from '../discord/child.ts';
import { median, table } from '../table.ts';
import { percentile } from '../tasks/percentile.ts';
import type { AnswerFigures, Input, Served } from './orders.ts';
import type { Strain } from './probe.ts';

const ALONE: Input = { answers: 1, words: 160, gatewaySpeed: 1 };
const ROUNDS = 5;
/** Some twelve seconds of streaming, about as fast as the quickest models write. */
const MANY: Input = { answers: 50, words: 1_500, gatewaySpeed: 4 };
const LOOK_MS = 500;

/** Measures the cost of streaming answers for the bot, and the time to their first words. */
export async function measureText(): Promise<void> {
  const sides = start(new URL('sides.ts', import.meta.url));
  try {
    const { settings } = await messageFrom<Served>(sides);
    const bot = start(new URL('../../src/index.ts', import.meta.url), {
      environment: settings,
      nodeOptions: [...asStarted, '--expose-gc', '--import', new URL('probe.ts', import.meta.url).href],
    });
    try {
      const ask = async (input: Input): Promise<AnswerFigures[]> => {
        sides.send(input);
        return messageFrom<AnswerFigures[]>(sides);
      };
      const strain = async (collect = false): Promise<Strain> => {
        bot.send({ collect });
        return messageFrom<Strain>(bot);
      };
      // The first answer of a process warms it.
      await ask(ALONE);
      const alone: AnswerFigures[] = [];
      for (let round = 0; round < ROUNDS; round++) alone.push(...(await ask(ALONE)));
      const before = await strain(true);
      let max = before.residentBytes;
      const over = new AbortController();
      const watching = watch(over.signal, async () => {
        max = Math.max(max, (await strain()).residentBytes);
      });
      const many = await ask(MANY);
      over.abort();
      await watching;
      const after = await strain();
      report({ alone, many, before, after, max });
    } finally {
      await end(bot);
    }
  } finally {
    await end(sides);
  }
}

async function watch(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await look();
    await sleep(LOOK_MS);
  }
}

interface Measured {
  alone: readonly AnswerFigures[];
  many: readonly AnswerFigures[];
  before: Strain;
  after: Strain;
  max: number;
}

const MIB = 2 ** 20;

function report({ alone, many, before, after, max }: Measured): void {
  const rows = [
    [`${ALONE.words} words, one at a time`, ...cells(alone)],
    [`${MANY.words} words, ${MANY.answers} at once`, ...cells(many)],
  ];
  console.log(
    '\nAnswers; the gateway pauses 425 ms (a quarter of it in the second row) between its first event and its first words:\n',
  );
  console.log(table(['', 'first words, ms', 'p95', 'edits', 'seconds', 'edits/s'], rows));
  const megabytes = many.reduce((sum, { letters }) => sum + letters, 0) / 1e6;
  const cpuSeconds = (after.cpuMicros - before.cpuMicros) / 1e6;
  console.log(`\nThe bot with ${MANY.answers} streams at once:\n`);
  console.log(
    table(
      ['', 'figure'],
      [
        ['memory before, MiB', (before.residentBytes / MIB).toFixed(0)],
        ['most memory, MiB', (max / MIB).toFixed(0)],
        ['more a stream, MiB', ((max - before.residentBytes) / MIB / MANY.answers).toFixed(2)],
        ['text streamed, MB', megabytes.toFixed(2)],
        ['CPU a megabyte of text, s', (cpuSeconds / megabytes).toFixed(2)],
        [
          'the same CPU divided by the edits, ms',
          ((cpuSeconds * 1_000) / many.reduce((sum, { edits }) => sum + edits, 0)).toFixed(2),
        ],
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
