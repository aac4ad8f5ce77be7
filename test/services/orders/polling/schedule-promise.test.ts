import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { pause } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/log.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import type { Snapshot } from '../../../../src/services/gateway/snapshot.ts';
import type { CallbackMeaning } from '../../../../src/services/orders/callback-listener.ts';
import { CallbackUrls } from '../../../../src/services/orders/callback-urls.ts';
import { Tasks } from '../../../../src/services/orders/tasks.ts';
import { openStore } from '../../../../src/services/store/open-store.ts';
import { defineKind, type Source } from '../../../../src/services/tasks/kind.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { runs } from '../../../support/runs.ts';
import { buildSnapshot, order } from '../builders.ts';
import { ordersSources } from '../sources.ts';
import { expectWithinPollLimit } from './promise.ts';
import { CountingClock } from './timers.ts';

const log = createLogger({ level: 'fatal', secrets: [], isPretty: false, write: () => undefined });
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const callbackContent = fc.constantFrom<CallbackMeaning>('end', 'unclear', 'progress', { challenge: 'x' });

const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('callback' as const),
      wait: fc.integer({ min: 0, max: 6_000 }),
      contents: fc.array(callbackContent, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('hint' as const), wait: fc.integer({ min: 0, max: 6_000 }) }) },
  fc.record({
    do: fc.constant('restart' as const),
    wait: fc.integer({ min: 0, max: 30_000 }),
    downtimeMs: fc.integer({ min: 0, max: 8_000 }),
  }),
  fc.record({ do: fc.constant('wait' as const), wait: fc.integer({ min: 0, max: 120_000 }) }),
);

const history = fc.record({
  schedule: fc.constantFrom('learned' as const, 'spec' as const),
  pollsInLists: fc.boolean(),
  tasks: fc.integer({ min: 1, max: 4 }),
  /** The outcomes of polls, which repeat in this order. */
  outcomes: fc.array(
    fc.constantFrom('running', 'running', 'left out', 'busy', 'unreachable', 'malformed', 'queued', 'progress'),
    {
      minLength: 1,
      maxLength: 10,
    },
  ),
  /** The one-way latencies to the gateway, which repeat in this order. */
  latencies: fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 5 }),
  events: fc.array(event, { maxLength: 12 }),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** A gateway that responds as the scenario says, and records when it receives a poll of a task. */
function simulateGateway({ outcomes, latencies, pollsInLists }: History, time: CountingClock) {
  const submitted = new Map<string, number>();
  const moments = new Map<string, number[]>();
  let turn = 0;
  async function receive(ids: readonly string[]): Promise<string> {
    const index = turn++;
    const latency = latencies[index % latencies.length] ?? 0;
    await pause(time, latency);
    for (const id of ids) moments.set(id, [...(moments.get(id) ?? []), time.now() - (submitted.get(id) ?? 0)]);
    await pause(time, latency);
    const outcome = outcomes[index % outcomes.length] ?? '';
    if (outcome === 'busy') throw new GatewayError('Slow down.', { kind: 'rate-limited', retryAfterMs: 1_000 });
    if (outcome === 'unreachable') throw new GatewayError('Reset.', { kind: 'unreachable' });
    if (outcome === 'malformed') throw new GatewayError('What?', { kind: 'malformed' });
    return outcome;
  }
  const snapshot = (outcome: string, remoteId: string): Snapshot =>
    buildSnapshot({
      remoteId,
      state: outcome === 'queued' ? 'queued' : 'running',
      progress: outcome === 'progress' ? 90 : undefined,
    });
  const source: Source = {
    name: 'simulated',
    endpoint: { get: async (remoteId) => snapshot(await receive([remoteId]), remoteId) },
    ...(pollsInLists && {
      batch: {
        max: 3,
        pollMany: async (ids: readonly string[]) => {
          const outcome = await receive(ids);
          const listed = outcome === 'left out' ? ids.slice(1) : ids;
          return new Map(listed.map((id) => [id, snapshot(outcome, id)]));
        },
      },
    }),
  };
  const simulated = defineKind({
    name: 'imagine',
    source,
    acceptsCallback: true,
    waitLimit: () => 'image',
    durationKey: () => 'imagine',
    async submit({ prompt }) {
      submitted.set(prompt, time.now());
      return { remoteId: prompt, needsInput: false, finalPrompt: undefined, queuedBehind: undefined };
    },
  });
  return { simulated, moments };
}

const addresses = new CallbackUrls('https://bot.example', 'a secret of the store');

let storeCount = 0;

/** Returns when the tasks of one bot were polled, across its restarts. */
async function runBot(scenario: History): Promise<ReadonlyMap<string, number[]>> {
  const manualClock = new ManualClock();
  const time = new CountingClock(manualClock);
  const { simulated, moments } = simulateGateway(scenario, time);
  const file = join(folder, `${storeCount++}.sqlite`);
  const pass = async (ms: number): Promise<void> => {
    const end = time.now() + ms;
    for (let turns = 0; turns < 4; turns += 1) await turnOfTheLoop();
    while (time.next <= end) {
      manualClock.advance(Math.max(0, time.next - time.now()));
      for (let turns = 0; turns < 4; turns += 1) await turnOfTheLoop();
    }
    manualClock.advance(end - time.now());
  };
  const passUntil = async (done: Promise<void>): Promise<void> => {
    let isDone = false;
    const recorded = done.then(() => {
      isDone = true;
    });
    while (!isDone) await pass(50);
    await recorded;
  };
  const startBot = async () => {
    const botClock = new CountingClock(time);
    const store = await openStore(
      { url: `sqlite://${file}`, scheme: 'sqlite' },
      { specs: kindSpecs, log, clock: botClock },
    );
    const context = { clock: botClock, log };
    const { random } = scenario;
    const sources = ordersSources(context, store, { kinds: [simulated], random: () => random });
    const settings = { ...sources.settings, poll: { schedule: scenario.schedule } };
    const tasks = new Tasks(context, { ...sources, settings });
    const { callbacks } = tasks;
    callbacks.open(addresses);
    await tasks.open();
    await tasks.start();
    return { tasks, store, callbacks };
  };
  let bot = await startBot();
  const ids: string[] = [];
  for (let task = 0; task < scenario.tasks; task += 1) {
    ids.push((await bot.tasks.orders.submit({ ...order, request: { prompt: `remote-${task}` } })).id);
    await pass(1_500 * scenario.random);
  }
  for (const [index, one] of scenario.events.entries()) {
    await pass(one.wait);
    if (one.do === 'hint') for (const id of ids) bot.tasks.scheduler.hint(id);
    if (one.do === 'callback')
      for (const content of one.contents)
        for (const id of ids) {
          const foundId = bot.callbacks.find(addresses.urlFor(id));
          expect(foundId).toBe(id);
          bot.callbacks.process(id, content);
        }
    if (one.do !== 'restart') continue;
    // Simulates a crash: nothing in flight is received or stored.
    const stopped = bot.tasks.pause();
    await bot.store.close();
    await passUntil(stopped);
    await pass(index % 2 === 0 ? 0 : one.downtimeMs);
    bot = await startBot();
  }
  await pass(60_000);
  await passUntil(bot.tasks.pause());
  await bot.tasks.stop();
  return moments;
}

describe('The poll limit of the bot', () => {
  it('The poll limit of the bot holds across restarts, hints, callbacks, failures, lists that leave tasks out, and any latency', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (scenario) => {
        const moments = await runBot(scenario);
        expect(moments.size).toBe(scenario.tasks);
        for (const polledAt of moments.values()) expectWithinPollLimit(polledAt, scenario);
      }),
      { numRuns: runs(10, 5) },
    );
  });

  it('The poll limit of the bot holds if a poll was in flight when the bot ended and reaches the gateway afterwards', async () => {
    const scenario: History = {
      schedule: 'learned',
      pollsInLists: false,
      tasks: 2,
      outcomes: ['running'],
      latencies: [0, 334],
      events: [{ do: 'restart', wait: 2_918, downtimeMs: 0 }],
      random: 6.9e-259,
    };
    for (const polledAt of (await runBot(scenario)).values()) expectWithinPollLimit(polledAt, scenario);
  });

  it.each(['learned', 'spec'] as const)(
    'The poll limit of the bot holds if members send hints all the time, before a restart and after it: %s',
    async (schedule) => {
      const hints = Array.from({ length: 130 }, () => ({ do: 'hint' as const, wait: 500 }));
      const scenario: History = {
        schedule,
        pollsInLists: false,
        tasks: 1,
        outcomes: ['running'],
        latencies: [1],
        events: [...hints, { do: 'restart', wait: 0, downtimeMs: 0 }, ...hints],
        random: 0.5,
      };
      const [polledAt = []] = (await runBot(scenario)).values();
      expectWithinPollLimit(polledAt, scenario);
      // The polls are sent as soon as the limit permits.
      expect(polledAt.filter((at) => at < 30_000).length).toBeGreaterThanOrEqual(13);
      expect(polledAt.filter((at) => at > 70_000 && at < 120_000).length).toBeGreaterThanOrEqual(9);
    },
  );
});
