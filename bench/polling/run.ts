import { kindSpecs } from '../../src/commands/index.ts';
import { createLogger } from '../../src/lib/log.ts';
import { TaskBook } from '../../src/services/orders/book.ts';
import { CallbackUrls } from '../../src/services/orders/callback-urls.ts';
import { Scheduler } from '../../src/services/orders/scheduler.ts';
import { Slots } from '../../src/services/orders/submission/slots.ts';
import { Tasks } from '../../src/services/orders/tasks.ts';
import { openStore } from '../../src/services/store/open-store.ts';
import { markDelivered } from '../../src/services/tasks/delivery-state.ts';
import { defineKind, type Kind, type WaitLimit } from '../../src/services/tasks/kind.ts';
import type { TaskKind } from '../../src/services/tasks/kind-spec.ts';
import { ordersSources } from '../../test/services/orders/sources.ts';
import { SimulatedGateway } from './gateway.ts';
import { type Draw, exponential, type Random, seededRandom } from './laws.ts';
import { MemoryStore } from './memory-store.ts';
import { VirtualClock } from './virtual-clock.ts';

const SECOND = 1_000;
/** The engine's task kinds that stand for jobs with these wait limits. Their names do not affect the result. */
const kindNames = { image: 'imagine', video: 'video', music: 'song' } as const satisfies Partial<
  Record<WaitLimit, TaskKind>
>;

export type Schedule = 'spec' | 'learned';
export type JobType = keyof typeof kindNames;

/** How jobs arrive: at random, this many seconds apart on average; many within the first second; or a constant number of live jobs, each replaced when its end has been found. */
type Arrival = { every: number } | { atOnce: number } | { live: number };

/** Jobs of one type. */
export interface Stream {
  jobType: JobType;
  draw: Draw;
  arrival: Arrival;
  /** The durations that the store already contains when the first job arrives. */
  assumed?: Draw;
  /** What the gateway reports after this share of a job's duration; nothing by default. */
  percentAt?: (share: number) => number;
}

export interface Scenario {
  streams: readonly Stream[];
  perSecond: number;
  inFlight: number;
  /** The number of measured jobs, and of the unmeasured jobs before them. */
  countedJobs: number;
  warmUpJobs?: number;
  /** If set, orders contain a callback URL, and this share of all callbacks arrives. */
  callbackShare?: number;
}

export interface Figures {
  jobs: number;
  polls: number;
  delays: number[];
  /** The mean number of live jobs, and of polls per second, while the counted jobs were submitted. */
  meanLive: number;
  perSecond: number;
}

/** If a constant number of jobs is live, the first ones arrive at random moments within this time. */
const WARM_UP_MS = 60_000;
/** As many durations as the store keeps. */
const ASSUMED_JOBS = 200;
const ASSUMED_WITHIN_MS = 1_000;

/** Runs the real engine on a virtual clock against a simulated gateway, until all measured jobs have ended. */
export async function run(schedule: Schedule, scenario: Scenario, seed: number): Promise<Figures> {
  const clock = new VirtualClock();
  const gateway = new SimulatedGateway(clock);
  const random = seededRandom(seed);
  const errors: unknown[] = [];
  const write = (line: string): void => void errors.push(line);
  const context = { clock, log: createLogger({ level: 'warn', secrets: [], isPretty: false, write }) };
  const { log } = context;
  const otherRows = await openStore({ url: 'sqlite://:memory:', scheme: 'sqlite' }, { specs: kindSpecs, ...context });
  const { fingerprints, preferences, ownership, entries, budgets, rules, reports, proposals, drafts } = otherRows;
  const { presets, pseudonyms, erasures } = otherRows;
  // Like those in the ledger, its rows would take real time.
  preferences.get = async () => undefined;
  const store = Object.assign(new MemoryStore(), {
    fingerprints,
    preferences,
    ownership,
    entries,
    budgets,
    rules,
    reports,
    proposals,
    drafts,
    presets,
    pseudonyms,
    existingHashSecret: () => otherRows.existingHashSecret(),
    erasures,
  });
  const scheduler = new Scheduler(clock, seededRandom(seed + 1), log, scenario);
  const { callbackShare } = scenario;
  // A separate random generator, so that callbacks do not change which jobs are drawn.
  const callbackRandom = seededRandom(seed + 2);
  const callBack = (address: string, event: 'progress' | 'end'): void => {
    const id = callbackRandom() < (callbackShare ?? 0) ? tasks.callbacks.find(address) : undefined;
    if (id !== undefined) tasks.callbacks.process(id, event);
  };
  const kinds = scenario.streams.map((stream) => simulatedKind(stream, gateway, callBack));
  const sources = ordersSources(context, otherRows, {
    book: new TaskBook(store, log),
    store,
    kinds,
    limits: { scheduler, slots: new Slots(), live: {} },
  });
  // Rows in the ledger would take real time.
  sources.money.ledger.reserve = async () => undefined;
  const tasks = new Tasks(context, { ...sources, settings: { ...sources.settings, poll: { schedule } } });
  if (callbackShare !== undefined)
    tasks.callbacks.open(new CallbackUrls('https://bot.example', 'a secret of the store'));
  for (const { jobType, assumed } of scenario.streams) {
    for (let job = 0; assumed && job < ASSUMED_JOBS; job += 1) {
      const ms = assumed(random) * SECOND;
      await store.addDuration(kindNames[jobType], {
        atLeastMs: Math.max(0, ms - ASSUMED_WITHIN_MS),
        atMostMs: ms + ASSUMED_WITHIN_MS,
        at: 0,
      });
    }
  }
  const { warmUpJobs = 0, countedJobs } = scenario;
  let submittedCount = 0;
  const foundAt = new Map<string, number>();
  tasks.book.onChange(({ id, kind: name, state, remoteId = '' }) => {
    if (state !== 'ready') return;
    foundAt.set(remoteId, clock.now());
    const stream = scenario.streams.find(({ jobType, arrival }) => kindNames[jobType] === name && 'live' in arrival);
    if (stream) submitNext(stream);
    tasks.book
      .change(id, (task) => markDelivered(task, undefined, clock.now()))
      .catch((error: unknown) => errors.push(error));
  });
  await tasks.open();
  await tasks.start();

  const submit = ({ jobType, draw }: Stream): void => {
    submittedCount += 1;
    // Both runs get the same jobs, regardless of other random numbers drawn in between.
    const ms = draw(seededRandom(seed * 7_919 + submittedCount)) * SECOND;
    const guildId = `${submittedCount % 50}`;
    tasks.orders
      .submit(newOrder(kindNames[jobType], ms, submittedCount, guildId))
      .catch((error: unknown) => errors.push(error));
  };
  const submitNext = (stream: Stream): void => {
    if (submittedCount < warmUpJobs + countedJobs) submit(stream);
  };
  for (const [index, stream] of scenario.streams.entries()) {
    scheduleArrivals(stream.arrival, seededRandom(seed + 100 + index), clock, () => submitNext(stream));
  }
  await clock.runUntil(() => gateway.jobs.size >= warmUpJobs);
  const startedAt = clock.now();
  const pollsBefore = pollCount(gateway);
  let liveTotal = 0;
  let checks = 0;
  const check = (): void => {
    liveTotal += gateway.jobs.size - foundAt.size;
    checks += 1;
    if (gateway.jobs.size < warmUpJobs + countedJobs) clock.after(SECOND, check);
  };
  check();
  await clock.runUntil(() => gateway.jobs.size >= warmUpJobs + countedJobs);
  const seconds = (clock.now() - startedAt) / SECOND;
  const perSecond = (pollCount(gateway) - pollsBefore) / seconds;
  const ids = Array.from({ length: countedJobs }, (_, index) => `${warmUpJobs + index + 1}`);
  let endedCount = 0;
  await clock.runUntil(() => {
    while (foundAt.has(ids[endedCount] ?? '')) endedCount += 1;
    return endedCount === countedJobs;
  });
  const pausePromise = tasks.pause();
  await clock.runUntil(() => true);
  await pausePromise;
  if (errors.length > 0) throw new Error(`A run failed: ${String(errors[0])}`);
  const jobs = ids.map((id) => ({ id, ...gateway.jobs.get(id) }));
  return {
    jobs: countedJobs,
    polls: jobs.reduce((sum, { polls = 0 }) => sum + polls, 0),
    delays: jobs.map(({ id, endsAt = 0 }) => (foundAt.get(id) ?? 0) - endsAt),
    meanLive: liveTotal / checks,
    perSecond,
  };
}

function scheduleArrivals(arrival: Arrival, random: Random, clock: VirtualClock, onArrival: () => void): void {
  if ('every' in arrival) {
    clock.after(exponential(arrival.every, random) * SECOND, () => {
      onArrival();
      scheduleArrivals(arrival, random, clock, onArrival);
    });
    return;
  }
  const [jobs, withinMs] = 'live' in arrival ? [arrival.live, WARM_UP_MS] : [arrival.atOnce, SECOND];
  for (let job = 0; job < jobs; job += 1) clock.after(random() * withinMs, onArrival);
}

const pollCount = ({ jobs }: SimulatedGateway): number => [...jobs.values()].reduce((sum, { polls }) => sum + polls, 0);

function simulatedKind(
  { jobType, percentAt }: Stream,
  gateway: SimulatedGateway,
  callBack: (address: string, event: 'progress' | 'end') => void,
): Kind {
  return defineKind({
    name: kindNames[jobType],
    source: gateway.source(jobType, percentAt),
    acceptsCallback: true,
    waitLimit: () => jobType,
    durationKey: () => kindNames[jobType],
    // The duration of a job is part of its request.
    submit: ({ prompt }, { callbackUrl }) =>
      gateway.submit(Number(prompt), callbackUrl === undefined ? undefined : (event) => callBack(callbackUrl, event)),
  });
}

function newOrder(
  name: (typeof kindNames)[JobType],
  ms: number,
  number: number,
  guildId: string,
): Parameters<Tasks['orders']['submit']>[0] {
  return {
    kind: name,
    request: { prompt: String(ms), model: 'simulated' },
    requesterId: `${number}`,
    guildId,
    route: {
      applicationId: '1',
      tokenExpiresAt: 0,
      isPrivate: false,
      install: 'guild',
      mayPost: true,
      uploadLimit: 1,
      locale: 'en-US',
    },
  };
}
