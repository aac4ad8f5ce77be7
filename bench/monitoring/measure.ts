import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageFrom } from '../discord/child.ts';
import type { MemoryUse } from '../discord/memory-probe.ts';
import { median, table } from '../table.ts';
import { BotHarness } from '../tasks/bot-harness.ts';
import type { ProcessUsage } from '../text/probe.ts';

const PAIR_COUNT = 5;
const TASK_COUNT = 3_000;
const MEASURED_MS = 15_000;
/** A third of the interval in Prometheus's example configuration. */
const SCRAPE_INTERVAL_MS = 5_000;
/** The specification's schedule for the first half minute: each task is polled every 2.5 s. */
const settings = { POLL_SCHEDULE: 'spec', GATEWAY_POLLS_PER_SECOND: '10000', GATEWAY_CONNECTIONS: '64' };

const variants = { without: 'without HTTP_PORT', with: 'with HTTP_PORT, scraped every 5 s' } as const;
type Variant = keyof typeof variants;
const variantNames = ['without', 'with'] as const;

interface Measurement {
  cpuPercent: number;
  heapBytes: number;
  residentBytes: number;
}

/** Measures the cost of health checks and metrics for the shipped bot, alternating between runs with and without them. */
export async function measureMonitoring(): Promise<void> {
  const results: Record<Variant, Measurement[]> = { without: [], with: [] };
  const harness = await BotHarness.open();
  try {
    for (let round = 0; round < PAIR_COUNT; round++)
      for (const variant of round % 2 === 0 ? variantNames : variantNames.toReversed())
        results[variant].push({ ...(await measureCpu(harness, variant)), ...(await measureMemory(harness, variant)) });
  } finally {
    await harness.close();
  }
  report(results);
}

async function measureCpu(harness: BotHarness, variant: Variant): Promise<Pick<Measurement, 'cpuPercent'>> {
  const portSetting = await freePortSetting(variant);
  const { bot } = await harness.launchBot({
    storeContent: { tasks: TASK_COUNT, ageMs: 0 },
    polls: TASK_COUNT,
    settings: { ...settings, ...portSetting },
    nodeOptions: ['--import', new URL('../text/probe.ts', import.meta.url).href],
  });
  const usageBefore = await usageOf(bot);
  await scrapeFor(portSetting, MEASURED_MS);
  const usageAfter = await usageOf(bot);
  await harness.stopBot(bot);
  return { cpuPercent: (usageAfter.cpuMicros - usageBefore.cpuMicros) / MEASURED_MS / 10 };
}

async function measureMemory(
  harness: BotHarness,
  variant: Variant,
): Promise<Pick<Measurement, 'heapBytes' | 'residentBytes'>> {
  const portSetting = await freePortSetting(variant);
  const { bot } = await harness.launchBot({
    storeContent: { tasks: 0, ageMs: 0 },
    polls: 0,
    settings: portSetting,
    nodeOptions: ['--expose-gc', '--import', new URL('../discord/memory-probe.ts', import.meta.url).href],
  });
  await scrapeFor(portSetting, 2_000);
  bot.send('measure-memory');
  const { heapBytes, residentBytes } = await messageFrom<MemoryUse>(bot);
  await harness.stopBot(bot);
  return { heapBytes, residentBytes };
}

async function freePortSetting(variant: Variant): Promise<Record<string, string>> {
  if (variant === 'without') return {};
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return { HTTP_PORT: String(port) };
}

/** Waits for the given time. If there is a port, scrapes at the beginning and then every `SCRAPE_INTERVAL_MS`. */
async function scrapeFor({ HTTP_PORT: port }: Record<string, string>, ms: number): Promise<void> {
  const end = performance.now() + ms;
  for (let remaining = ms; remaining > 0; remaining = end - performance.now()) {
    if (port !== undefined) {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      if (!(await response.text()).includes('atelier_tasks')) throw new Error('The bot did not report its metrics.');
    }
    await sleep(Math.min(SCRAPE_INTERVAL_MS, Math.max(0, end - performance.now())));
  }
}

async function usageOf(bot: ChildProcess): Promise<ProcessUsage> {
  bot.send({});
  return messageFrom<ProcessUsage>(bot);
}

function report(results: Record<Variant, Measurement[]>): void {
  const spread = (values: readonly number[], digits: number): string =>
    `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
  const rows = variantNames.map((variant) => {
    const valuesOf = (pick: (measurement: Measurement) => number): number[] => results[variant].map(pick);
    return [
      variants[variant],
      spread(
        valuesOf(({ cpuPercent }) => cpuPercent),
        1,
      ),
      spread(
        valuesOf(({ heapBytes }) => heapBytes / 1e6),
        1,
      ),
      spread(
        valuesOf(({ residentBytes }) => residentBytes / 1e6),
        1,
      ),
    ];
  });
  console.log(`
The shipped bot with ${TASK_COUNT.toLocaleString('en')} live tasks that are polled every 2.5 s, for ${MEASURED_MS / 1000} s; memory without tasks, after a garbage collection.
Median (minimum to maximum) of ${PAIR_COUNT} alternating pairs; 1 MB = 1,000,000 bytes.
`);
  console.log(table(['', 'CPU % of a core', 'heap MB', 'RSS MB'], rows));
}
