import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageFrom } from '../discord/child.ts';
import type { Weight } from '../discord/weigh.ts';
import { median, table } from '../table.ts';
import { Scene } from '../tasks/scene.ts';
import type { Strain } from '../text/probe.ts';

const PAIRS = 5;
const TASKS = 3_000;
const COUNTED_MS = 15_000;
/** Three times as often as Prometheus does it by default. */
const SCRAPE_MS = 5_000;
/** As by the specification in the first half minute, so each task is polled every 2.5 s. */
const settings = { POLL_SCHEDULE: 'spec', GATEWAY_POLLS_PER_SECOND: '10000', GATEWAY_CONNECTIONS: '64' };

const ways = { without: 'without HTTP_PORT', with: 'with HTTP_PORT, scraped every 5 s' } as const;
type Way = keyof typeof ways;
const pair = ['without', 'with'] as const;

interface Measured {
  cpuPercent: number;
  heapBytes: number;
  residentBytes: number;
}

/** Measures the cost of health checks and metrics for the shipped bot, alternating with and without them. */
export async function measureMonitoring(): Promise<void> {
  const results: Record<Way, Measured[]> = { without: [], with: [] };
  const scene = await Scene.open();
  try {
    for (let round = 0; round < PAIRS; round++)
      for (const way of round % 2 === 0 ? pair : pair.toReversed())
        results[way].push({ ...(await workOf(scene, way)), ...(await weightOf(scene, way)) });
  } finally {
    await scene.close();
  }
  report(results);
}

async function workOf(scene: Scene, way: Way): Promise<Pick<Measured, 'cpuPercent'>> {
  const port = await portFor(way);
  const { bot } = await scene.enter({
    filling: { tasks: TASKS, ageMs: 0 },
    questions: TASKS,
    settings: { ...settings, ...port },
    nodeOptions: ['--import', new URL('../text/probe.ts', import.meta.url).href],
  });
  const before = await strainOf(bot);
  await scraped(port, COUNTED_MS);
  const after = await strainOf(bot);
  await scene.leave(bot);
  return { cpuPercent: (after.cpuMicros - before.cpuMicros) / COUNTED_MS / 10 };
}

async function weightOf(scene: Scene, way: Way): Promise<Pick<Measured, 'heapBytes' | 'residentBytes'>> {
  const port = await portFor(way);
  const { bot } = await scene.enter({
    filling: { tasks: 0, ageMs: 0 },
    questions: 0,
    settings: port,
    nodeOptions: ['--expose-gc', '--import', new URL('../discord/weigh.ts', import.meta.url).href],
  });
  await scraped(port, 2_000);
  bot.send('weigh');
  const { heapBytes, residentBytes } = await messageFrom<Weight>(bot);
  await scene.leave(bot);
  return { heapBytes, residentBytes };
}

async function portFor(way: Way): Promise<Record<string, string>> {
  if (way === 'without') return {};
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return { HTTP_PORT: String(port) };
}

/** Lets this time pass, with a scrape at its beginning and every few seconds. */
async function scraped({ HTTP_PORT: port }: Record<string, string>, ms: number): Promise<void> {
  const end = performance.now() + ms;
  for (let left = ms; left > 0; left = end - performance.now()) {
    if (port !== undefined) {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      if (!(await response.text()).includes('atelier_tasks')) throw new Error('The bot did not tell its metrics.');
    }
    await sleep(Math.min(SCRAPE_MS, Math.max(0, end - performance.now())));
  }
}

async function strainOf(bot: ChildProcess): Promise<Strain> {
  bot.send({});
  return messageFrom<Strain>(bot);
}

function report(results: Record<Way, Measured[]>): void {
  const spread = (values: readonly number[], digits: number): string =>
    `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
  const rows = pair.map((way) => {
    const of = (pick: (measured: Measured) => number): number[] => results[way].map(pick);
    return [
      ways[way],
      spread(
        of(({ cpuPercent }) => cpuPercent),
        1,
      ),
      spread(
        of(({ heapBytes }) => heapBytes / 1e6),
        1,
      ),
      spread(
        of(({ residentBytes }) => residentBytes / 1e6),
        1,
      ),
    ];
  });
  console.log(`
The shipped bot with ${TASKS.toLocaleString('en')} live tasks that are polled every 2.5 s, for ${COUNTED_MS / 1000} s; memory without tasks, after a garbage collection.
Median (least to most) of ${PAIRS} pairs by turns; MB of 1,000,000 bytes.
`);
  console.log(table(['', 'CPU % of a core', 'heap MB', 'RSS MB'], rows));
}
