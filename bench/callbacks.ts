import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { freePort } from '../test/support/free-port.ts';
import { alternate, comparison, medianOf, number } from './compare.ts';
import { program } from './harness/program.ts';
import { median, percentile } from './table.ts';
import { BotHarness } from './tasks/bot-harness.ts';

const PAIR_COUNT = 5;
const LIVE_TASK_COUNT = 200;
const FORGED_PER_SECOND = 2_000;
const WARM_UP = { perSecond: 50, seconds: 3 };
const LOAD = { perSecond: 50, seconds: 20 };
const TARGET_RATIO = 1.2;
const CONNECTION_COUNT = 32;
const STEP_MS = 10;
/** A request without a response this long after the last one was sent counts as unanswered. */
const RESPONSE_LIMIT_MS = 3_000;

const variants = { bare: 'a bare HTTP process receives them', bot: 'the bot receives them' } as const;

interface Measurement {
  p50: number;
  p99: number;
  missed: number;
  /** Responses to forged callbacks by status. */
  responses: Record<string, number>;
  perSecond: number;
}

const startBare = program(import.meta, bare);
const startFlood = program(import.meta, flood);

/** Measures how much forged callbacks delay acknowledgements: while the callbacks arrive at the bot, and while they arrive at another process. */
export async function measureCallbacks(): Promise<void> {
  const bareServer = await startBare();
  const harness = await BotHarness.open();
  try {
    const barePort = await bareServer.call('port');
    const results = await alternate(variants, PAIR_COUNT, async (variant) => {
      const port = await freePort();
      return run(harness, port, variant === 'bot' ? port : barePort);
    });
    report(results);
  } finally {
    await Promise.all([harness.close(), bareServer.stop()]);
  }
}

async function run(harness: BotHarness, callbackPort: number, floodedPort: number): Promise<Measurement> {
  const { bot } = await harness.launchBot({
    storeContent: { tasks: LIVE_TASK_COUNT, ageMs: 0 },
    polls: LIVE_TASK_COUNT,
    settings: { CALLBACK_URL: `http://127.0.0.1:${callbackPort}/callbacks`, CALLBACK_PORT: String(callbackPort) },
    hasProbe: false,
  });
  const sender = await startFlood(floodedPort);
  await harness.load(WARM_UP);
  const { milliseconds, missed } = await harness.load(LOAD);
  const figures = await sender.call('finish');
  await sender.stop();
  await harness.stopBot(bot);
  return { p50: percentile(milliseconds, 0.5), p99: percentile(milliseconds, 0.99), missed, ...figures };
}

function report(results: Record<keyof typeof variants, Measurement[]>): void {
  const ratios = (pick: (one: Measurement) => number): number[] =>
    results.bot.map((one, index) => pick(one) / pick(results.bare[index] ?? one));
  const ratio = (pick: (one: Measurement) => number): string => number(median(ratios(pick)), 2);
  const p99s = ratios(({ p99 }) => p99).map((one) => number(one, 2));
  console.log(`
${LOAD.perSecond} interactions a second for ${LOAD.seconds} s with ${LIVE_TASK_COUNT} live tasks, while ${FORGED_PER_SECOND.toLocaleString('en')} forged callbacks a second arrive; medians of ${PAIR_COUNT} alternating pairs.
Median of the pairs' ratios: p50 ${ratio(({ p50 }) => p50)}, p99 ${ratio(({ p99 }) => p99)} (each pair: ${p99s.join(', ')}). Target: p99 at most ${TARGET_RATIO}.
`);
  console.log(
    comparison(variants, results, [
      ['forged/s', medianOf(({ perSecond }) => perSecond)],
      ['p50 ms', medianOf(({ p50 }) => p50, 2)],
      ['p99 ms', medianOf(({ p99 }) => p99, 2)],
      ['missed', (figures) => number(figures.reduce((sum, { missed }) => sum + missed, 0))],
      ['responses', responsesIn],
    ]),
  );
}

function responsesIn(figures: readonly Measurement[]): string {
  const counts = figures.flatMap(({ responses }) => Object.entries(responses));
  return [...Map.groupBy(counts, ([status]) => status)]
    .map(([status, all]) => `${status}: ${number(all.reduce((sum, [, count]) => sum + count, 0))}`)
    .join(', ');
}

/** The baseline does as little as possible with the same requests. */
async function bare() {
  const server = createServer((_, response) => {
    response.writeHead(202, { 'content-length': 0 }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: () => (server.address() as AddressInfo).port };
}

/** Sends well-formed callbacks whose paths were never issued, until `finish`. */
async function flood(port: number) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTION_COUNT });
  const method = 'POST';
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ id: '1320098173412546', status: 'SUCCESS', progress: '100%', prompt: 'x'.repeat(800) });
  const responses: Record<string, number> = {};
  let [sentCount, finishedCount] = [0, 0];
  const count = (name: string): void => {
    responses[name] = (responses[name] ?? 0) + 1;
    finishedCount += 1;
  };
  const send = async (): Promise<void> => {
    const path = `/callbacks/${randomBytes(33).toString('base64url')}`;
    try {
      const response = await pool.request({ path, method, headers, body });
      await response.body.dump();
      count(String(response.statusCode));
    } catch {
      count('none');
    }
  };
  const start = performance.now();
  const timer = setInterval(() => {
    const dueCount = Math.floor(((performance.now() - start) * FORGED_PER_SECOND) / 1_000);
    for (; sentCount < dueCount; sentCount += 1) void send();
  }, STEP_MS);
  return {
    async finish() {
      clearInterval(timer);
      const end = performance.now();
      const perSecond = (1_000 * sentCount) / (end - start);
      while (finishedCount < sentCount && performance.now() < end + RESPONSE_LIMIT_MS) await sleep(STEP_MS);
      return { responses, perSecond };
    },
  };
}
