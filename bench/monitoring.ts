import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/free-port.ts';
import { alternate, comparison, rangeOf } from './compare.ts';
import type { Usage } from './harness/probe.ts';
import { BotHarness } from './tasks/bot-harness.ts';

const PAIR_COUNT = 5;
const TASK_COUNT = 3_000;
const MEASURED_MS = 15_000;
/** A third of the interval in Prometheus's example configuration. */
const SCRAPE_INTERVAL_MS = 5_000;
/** The specification's schedule for the first half minute: each task is polled every 2.5 s. */
const settings = { POLL_SCHEDULE: 'spec', GATEWAY_POLLS_PER_SECOND: '10000', GATEWAY_CONNECTIONS: '64' };

const variants = { without: 'without HTTP_PORT', with: 'with HTTP_PORT, scraped every 5 s' } as const;
type Variant = keyof typeof variants;

/** Measures the cost of health checks and metrics for the shipped bot, alternating between runs with and without them. */
export async function measureMonitoring(): Promise<void> {
  const harness = await BotHarness.open();
  try {
    const results = await alternate(variants, PAIR_COUNT, async (variant) => ({
      cpuPercent: await measureCpu(harness, variant),
      ...(await measureMemory(harness, variant)),
    }));
    console.log(`
The shipped bot with ${TASK_COUNT.toLocaleString('en')} live tasks that are polled every 2.5 s, for ${MEASURED_MS / 1000} s; memory without tasks, after a garbage collection.
Median (minimum to maximum) of ${PAIR_COUNT} alternating pairs; 1 MB = 1,000,000 bytes.
`);
    console.log(
      comparison(variants, results, [
        ['CPU % of a core', rangeOf(({ cpuPercent }) => cpuPercent, 1)],
        ['heap MB', rangeOf(({ heapBytes }) => heapBytes / 1e6, 1)],
        ['RSS MB', rangeOf(({ residentBytes }) => residentBytes / 1e6, 1)],
      ]),
    );
  } finally {
    await harness.close();
  }
}

async function measureCpu(harness: BotHarness, variant: Variant): Promise<number> {
  const portSetting = await portSettingOf(variant);
  const storeContent = { tasks: TASK_COUNT, ageMs: 0 };
  const { bot } = await harness.launchBot({
    storeContent,
    polls: TASK_COUNT,
    settings: { ...settings, ...portSetting },
  });
  const before = await bot.call('usage');
  await scrapeFor(portSetting, MEASURED_MS);
  const after = await bot.call('usage');
  await harness.stopBot(bot);
  return (after.cpuMicros - before.cpuMicros) / MEASURED_MS / 10;
}

async function measureMemory(harness: BotHarness, variant: Variant): Promise<Usage> {
  const portSetting = await portSettingOf(variant);
  const storeContent = { tasks: 0, ageMs: 0 };
  const { bot } = await harness.launchBot({ storeContent, polls: 0, settings: portSetting });
  await scrapeFor(portSetting, 2_000);
  const usage = await bot.call('idleUsage');
  await harness.stopBot(bot);
  return usage;
}

const portSettingOf = async (variant: Variant): Promise<Record<string, string>> =>
  variant === 'without' ? {} : { HTTP_PORT: String(await freePort()) };

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
