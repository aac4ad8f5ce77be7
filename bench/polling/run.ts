import { kindSpecs } from '../../src/commands/index.ts';
import { CallbackAddresses } from '../../src/services/callbacks/addresses.ts';
import { Callbacks } from '../../src/services/callbacks/callbacks.ts';
import { InProcessScheduler } from '../../src/services/polling/in-process.ts';
import { TaskBook } from '../../src/services/tasks/book.ts';
import { markDelivered } from '../../src/services/tasks/delivery-state.ts';
import { defineKind, type Kind, type WaitLimit } from '../../src/services/tasks/kind.ts';
import type { Task, TaskKind } from '../../src/services/tasks/task.ts';
import { Tasks } from '../../src/services/tasks/tasks.ts';
import { SimulatedGateway } from './gateway.ts';
import { type Draw, exponential, type Random, seeded } from './laws.ts';
import { MemoryStore } from './memory-store.ts';
import { VirtualClock } from './virtual-clock.ts';

const SECOND = 1_000;
/** The settings' defaults. */
const maxWaitMs = { image: 300_000, video: 900_000, music: 300_000, text: 120_000 };
/** The engine’s kinds that stand for jobs with these wait limits. Their names do not change the result. */
const namesOf = { image: 'imagine', video: 'video', music: 'song' } as const satisfies Partial<
  Record<WaitLimit, TaskKind>
>;

export type Way = 'spec' | 'learned';
export type Sort = keyof typeof namesOf;
const sortNames = ['image', 'video', 'music'] as const satisfies readonly Sort[];

/** How jobs come: by chance, so many seconds apart on average; many within the first second; or each when another's end is found. */
type Coming = { every: number } | { atOnce: number } | { live: number };

/** Jobs of a sort. */
export interface Stream {
  sort: Sort;
  draw: Draw;
  coming: Coming;
  /** What the store believes about them before the first has come. */
  believed?: Draw;
}

export interface Scenario {
  streams: readonly Stream[];
  perSecond: number;
  inFlight: number;
  /** How many jobs count, after so many that do not. */
  counted: number;
  before?: number;
  /** Orders name an address to call back, and this share of all callbacks arrives. */
  calledBack?: number;
}

export interface Figures {
  jobs: number;
  questions: number;
  delays: number[];
  /** Within the time in which the counted jobs were submitted. */
  meanLive: number;
  perSecond: number;
}

/** As many as are to be live come one after the other within that time. */
const FILLING_MS = 60_000;
/** Durations of as many jobs as the store keeps. */
const BELIEVED_JOBS = 200;
const BELIEVED_WITHIN_MS = 1_000;

/** Runs the real engine with a virtual clock against a simulated gateway, until the jobs that count have ended. */
export async function run(way: Way, scenario: Scenario, seed: number): Promise<Figures> {
  const clock = new VirtualClock();
  const gateway = new SimulatedGateway(clock);
  const store = new MemoryStore();
  const random = seeded(seed);
  const failures: unknown[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (facts: object) => failures.push(facts),
    error: (facts: object) => failures.push(facts),
  };
  const book = new TaskBook({ store, log });
  const scheduler = new InProcessScheduler({ clock, random: seeded(seed + 1), log, limits: scenario });
  const { calledBack } = scenario;
  const laneOf = ({ kind: name }: { kind: TaskKind }): string | undefined =>
    sortNames.find((sort) => namesOf[sort] === name);
  const callbacks = new Callbacks({ book, clock, laneOf, hint: (id) => scheduler.hint(id) });
  callbacks.open(new CallbackAddresses('https://bot.example', 'a secret of the store'));
  // Its own chance, so the jobs stay the same.
  const chance = seeded(seed + 2);
  const callBack = (address: string, said: 'progress' | 'end'): void => {
    const id = chance() < (calledBack ?? 0) ? callbacks.find(address) : undefined;
    if (id !== undefined) callbacks.take(id, said);
  };
  const tasks = new Tasks({
    book,
    specs: kindSpecs,
    store,
    kinds: scenario.streams.map(({ sort }) => simulatedKind(sort, gateway, callBack)),
    scheduler,
    ...(calledBack !== undefined && {
      callbackUrlOf: (lane: string, id: string) => callbacks.addressFor(lane, id),
      missedShare: (task: Task) => callbacks.missedShare(task),
    }),
    schedule: way,
    clock,
    log,
    maxWaitMs,
    gather: async () => ({}),
    removeMessages: async () => ({ removed: 0, left: [], needsRetry: false }),
    notifyErased: async () => true,
    random,
  });
  for (const { sort, believed } of scenario.streams) {
    for (let job = 0; believed && job < BELIEVED_JOBS; job += 1) {
      const ms = believed(random) * SECOND;
      await store.addDuration(namesOf[sort], {
        atLeastMs: Math.max(0, ms - BELIEVED_WITHIN_MS),
        atMostMs: ms + BELIEVED_WITHIN_MS,
        at: 0,
      });
    }
  }
  const { before = 0, counted } = scenario;
  let submitted = 0;
  const found = new Map<string, number>();
  tasks.book.onChange(({ id, kind: name, state, remoteId = '' }) => {
    if (state !== 'ready') return;
    found.set(remoteId, clock.now());
    const stream = scenario.streams.find(({ sort, coming }) => namesOf[sort] === name && 'live' in coming);
    if (stream) comes(stream);
    tasks.book
      .change(id, (task) => markDelivered(task, undefined, clock.now()))
      .catch((error: unknown) => failures.push(error));
  });
  await tasks.open();
  await tasks.start();

  const submit = ({ sort, draw }: Stream): void => {
    submitted += 1;
    // Both runs get the same jobs, regardless of other random numbers drawn in between.
    const ms = draw(seeded(seed * 7_919 + submitted)) * SECOND;
    const guildId = `${submitted % 50}`;
    tasks.orders.submit(order(namesOf[sort], ms, submitted, guildId)).catch((error: unknown) => failures.push(error));
  };
  const comes = (stream: Stream): void => {
    if (submitted < before + counted) submit(stream);
  };
  for (const [place, stream] of scenario.streams.entries()) {
    keepComing(stream.coming, seeded(seed + 100 + place), clock, () => comes(stream));
  }
  await clock.pass(() => gateway.jobs.size >= before);
  const began = clock.now();
  const askedBefore = asked(gateway);
  let live = 0;
  let looks = 0;
  const look = (): void => {
    live += gateway.jobs.size - found.size;
    looks += 1;
    if (gateway.jobs.size < before + counted) clock.after(SECOND, look);
  };
  look();
  await clock.pass(() => gateway.jobs.size >= before + counted);
  const seconds = (clock.now() - began) / SECOND;
  const perSecond = (asked(gateway) - askedBefore) / seconds;
  const ids = Array.from({ length: counted }, (_, place) => `${before + place + 1}`);
  let ended = 0;
  await clock.pass(() => {
    while (found.has(ids[ended] ?? '')) ended += 1;
    return ended === counted;
  });
  const stopped = tasks.pause();
  await clock.pass(() => true);
  await stopped;
  if (failures.length > 0) throw new Error(`A run failed: ${String(failures[0])}`);
  const jobs = ids.map((id) => ({ id, ...gateway.jobs.get(id) }));
  return {
    jobs: counted,
    questions: jobs.reduce((sum, { questions = 0 }) => sum + questions, 0),
    delays: jobs.map(({ id, endsAt = 0 }) => (found.get(id) ?? 0) - endsAt),
    meanLive: live / looks,
    perSecond,
  };
}

function keepComing(coming: Coming, random: Random, clock: VirtualClock, come: () => void): void {
  if ('every' in coming) {
    clock.after(exponential(coming.every, random) * SECOND, () => {
      come();
      keepComing(coming, random, clock, come);
    });
    return;
  }
  const [jobs, withinMs] = 'live' in coming ? [coming.live, FILLING_MS] : [coming.atOnce, SECOND];
  for (let job = 0; job < jobs; job += 1) clock.after(random() * withinMs, come);
}

const asked = ({ jobs }: SimulatedGateway): number =>
  [...jobs.values()].reduce((sum, { questions }) => sum + questions, 0);

function simulatedKind(
  sort: Sort,
  gateway: SimulatedGateway,
  callBack: (address: string, said: 'progress' | 'end') => void,
): Kind {
  return defineKind({
    name: namesOf[sort],
    source: gateway.source(sort),
    takesCallback: true,
    waitLimit: () => sort,
    durationKey: () => namesOf[sort],
    // How long it takes is what it asks for.
    submit: ({ prompt }, { callbackUrl }) =>
      gateway.submit(Number(prompt), callbackUrl === undefined ? undefined : (said) => callBack(callbackUrl, said)),
  });
}

function order(
  name: (typeof namesOf)[Sort],
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
