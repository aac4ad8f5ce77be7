import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/lib/log.ts';
import { GatewayError, type GatewayErrorKind } from '../../../src/services/gateway/errors.ts';
import type { Snapshot } from '../../../src/services/gateway/snapshot.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import { createEarlierPolls } from '../../../src/services/orders/polling/allowance.ts';
import { DurationHistory } from '../../../src/services/orders/polling/learned-schedule.ts';
import { InlineResults } from '../../../src/services/orders/submission/inline-results.ts';
import type { Duration } from '../../../src/services/orders/task-store.ts';
import { pollErrorMeaning, Tracker } from '../../../src/services/orders/tracker.ts';
import type { Source } from '../../../src/services/tasks/kind.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { buildSnapshot, buildTask, minute, start } from './builders.ts';

const NEXT_POLL_MS = 7_000;
const error = (kind: GatewayErrorKind): GatewayError => new GatewayError(`It is ${kind}.`, { kind });

const makeTask = (name: string): Task =>
  buildTask({
    id: `01k3v9x2mabcdefg${name}`,
    state: 'accepted',
    remoteId: name,
    times: { created: start, accepted: start },
  });

interface Options {
  /** The response to the poll of one task, by its remote id. */
  pollOne?: (remoteId: string) => Snapshot | Error;
  /** The tasks in a list, by their remote ids; undefined: tasks are only polled alone. */
  list?: (remoteIds: readonly string[]) => readonly string[] | Error;
}

const running = (remoteId: string): Snapshot => buildSnapshot({ remoteId });

/** A tracker of five tasks, `a` to `e`. Every poll is recorded. */
async function createFixture({ pollOne = running, list }: Options = {}) {
  const clock = new ManualClock(start + minute);
  const tasks = new Map(['a', 'b', 'c', 'd', 'e'].map((name) => [makeTask(name).id, makeTask(name)]));
  const durations: Duration[] = [];
  /** Whether a power cut may undo each write. */
  const repeatable: unknown[] = [];
  const polls: string[] = [];
  const store = {
    failure: undefined as Error | undefined,
    live: async () => [...tasks.values()],
    get: async (id: string) => tasks.get(id),
    put: async (_task: Task, isRepeatable?: boolean) => {
      repeatable.push(isRepeatable);
      if (store.failure) throw store.failure;
    },
    remove: async () => undefined,
    addDuration: async (_key: string, duration: Duration) => void durations.push(duration),
    durations: async () => durations,
    polling: { read: async () => undefined, write: async () => undefined },
  };
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', secrets: [], isPretty: false, write: (line) => lines.push(line) });
  const book = new TaskBook(store, log);
  await book.open();
  const tracker = new Tracker(clock, 1);
  tracker.add(0, {
    book,
    log,
    schedule: (_, now) => now + NEXT_POLL_MS,
    durationHistory: new DurationHistory(store, () => 'image', log),
    earlierPolls: createEarlierPolls(store, clock, log),
    inlineResults: new InlineResults(clock),
  });
  const resultOf = <T>(result: T | Error): T => {
    if (result instanceof Error) throw result;
    return result;
  };
  const source: Source = {
    name: 'images',
    endpoint: {
      async get(remoteId) {
        polls.push(remoteId);
        return resultOf(pollOne(remoteId));
      },
    },
    ...(list && {
      batch: {
        max: 50,
        async pollMany(remoteIds) {
          polls.push(remoteIds.join('+'));
          return new Map(resultOf(list(remoteIds)).map((id) => [id, running(id)]));
        },
      },
    }),
  };
  const lane = tracker.laneOf(source);
  return {
    book,
    clock,
    polls,
    store,
    tracker,
    source,
    lane,
    durations,
    repeatable,
    /** Polls these tasks, and returns what follows for each. */
    async poll(...names: string[]) {
      const outcome = await lane.poll(
        names.map((name) => makeTask(name).id),
        async () => undefined,
      );
      if (!(outcome instanceof Map)) return expect.unreachable();
      return names.map((name) => outcome.get(makeTask(name).id));
    },
    find: (name: string) => book.find(makeTask(name).id),
    logged: () => lines.join(''),
  };
}

const again = { again: start + minute + NEXT_POLL_MS };

describe('The poll of a task', () => {
  it('A response is applied, counted and followed by the next poll of the schedule', async () => {
    const { poll, find } = await createFixture();
    expect(await poll('a')).toEqual([again]);
    expect(find('a')).toMatchObject({ state: 'running', polls: 1 });
  });

  it('A power cut may undo what the next poll says again, but not the end of a job', async () => {
    let state: Snapshot['state'] = 'running';
    const { poll, repeatable } = await createFixture({ pollOne: () => buildSnapshot({ state }) });
    await poll('a');
    state = 'succeeded';
    await poll('a');
    expect(repeatable).toEqual([true, false]);
  });

  it('A task that has ended is no longer polled, and what it took is remembered if it succeeded', async () => {
    const success = await createFixture({ pollOne: () => buildSnapshot({ state: 'succeeded' }) });
    expect(await success.poll('a')).toEqual(['done']);
    expect(success.durations).toMatchObject([{ atLeastMs: 0, atMostMs: minute }]);
    const failure = await createFixture({ pollOne: () => buildSnapshot({ state: 'failed' }) });
    expect(await failure.poll('a')).toEqual(['done']);
    expect(failure.durations).toEqual([]);
  });

  it('A task is lost once the gateway has not known it five times in five minutes', async () => {
    const { poll, clock, find } = await createFixture({ pollOne: () => error('not-found') });
    for (let count = 0; count < 4; count++) {
      await poll('a');
      clock.advance(2 * minute);
    }
    expect(find('a')?.unknown?.answers).toBe(4);
    expect(await poll('a')).toEqual(['done']);
    expect(find('a')?.failure?.cause).toBe('forgotten');
  });

  it('After one unreadable response the task is polled soon, and after a second one as usual', async () => {
    const { poll, find } = await createFixture({ pollOne: () => error('malformed') });
    expect(await poll('a')).toEqual([{ again: start + minute + 2_000 }]);
    expect(await poll('a')).toEqual([again]);
    expect(find('a')).toMatchObject({ state: 'accepted', polls: 2 });
  });

  it('A response that cannot be stored is logged, and the task is polled again', async () => {
    const { poll, store, find, logged } = await createFixture();
    store.failure = new Error('The disk is full.');
    expect(await poll('a')).toEqual([again]);
    expect(find('a')?.state).toBe('accepted');
    expect(logged()).toContain('A poll result could not be stored.');
  });

  it('A task that is unknown here, or whose partition was released, needs no further poll', async () => {
    const { poll, polls, tracker } = await createFixture();
    expect(await poll('z')).toEqual(['done']);
    tracker.remove(0);
    expect(await poll('a')).toEqual(['done']);
    expect(polls).toEqual([]);
  });

  it('One task that cannot be polled does not keep the others from being polled', async () => {
    const pollOne = (id: string) => (id === 'a' ? error('unreachable') : running(id));
    const { poll, polls } = await createFixture({ pollOne });
    expect(await poll('a', 'b')).toEqual([expect.objectContaining({ kind: 'unreachable' }), again]);
    expect(polls).toEqual(['a', 'b']);
  });

  it.each(['rate-limited', 'unauthorized'] as const)(
    'If the gateway asks for fewer polls or refuses them, no further task is polled (%s)',
    async (kind) => {
      const { poll, polls } = await createFixture({ pollOne: () => error(kind) });
      const trouble = { kind: kind === 'unauthorized' ? 'refused' : 'busy', reason: `It is ${kind}.` };
      expect(await poll('a', 'b')).toMatchObject([trouble, trouble]);
      expect(polls).toEqual(['a']);
    },
  );
});

describe('The poll of a list', () => {
  const all = (ids: readonly string[]) => ids;

  it('Several tasks are polled with one list, and a single one alone', async () => {
    const { poll, polls, lane } = await createFixture({ list: all });
    expect(await poll('a', 'b', 'c')).toEqual([again, again, again]);
    await poll('a');
    expect([polls, lane.max]).toEqual([['a+b+c', 'a'], 50]);
  });

  it('A task that is missing from a list is polled alone in its next turn, and then in the list again', async () => {
    let listed: readonly string[] = ['b', 'c'];
    const { poll, polls, find } = await createFixture({ list: () => listed });
    await poll('a', 'b', 'c');
    expect(find('a')?.unknown?.answers).toBe(1);
    listed = ['a', 'b', 'c'];
    await poll('a', 'b', 'c');
    await poll('a', 'b', 'c');
    expect(polls).toEqual(['a+b+c', 'b+c', 'a', 'a+b+c']);
    expect(find('a')).not.toHaveProperty('unknown');
  });

  it('Of many missing tasks, two at a time are polled alone, in turn', async () => {
    const { poll, polls } = await createFixture({ list: () => [], pollOne: () => error('not-found') });
    for (let turn = 0; turn < 3; turn++) await poll('a', 'b', 'c', 'd', 'e');
    expect(polls).toEqual(['a+b+c+d+e', 'c+d+e', 'a', 'b', 'a+b+e', 'c', 'd']);
  });

  it('A task that a member views is polled alone', async () => {
    const { poll, polls, tracker } = await createFixture({ list: all });
    tracker.pollAlone(makeTask('b').id);
    await poll('a', 'b', 'c');
    expect(polls).toEqual(['a+c', 'b']);
  });

  it('An unreadable list says nothing about its tasks', async () => {
    const { poll, find } = await createFixture({ list: () => error('malformed') });
    expect(await poll('a', 'b')).toEqual([{ again: start + minute + 2_000 }, { again: start + minute + 2_000 }]);
    expect(find('a')).not.toHaveProperty('unknown');
  });

  it('A list that cannot be fetched delays all its tasks', async () => {
    const { poll, find } = await createFixture({ list: () => error('unavailable') });
    const trouble = { kind: 'unreachable', reason: 'It is unavailable.' };
    expect(await poll('a', 'b')).toMatchObject([trouble, trouble]);
    expect(find('a')?.polls).toBe(0);
  });

  it('A source has one lane', async () => {
    const { tracker, source, lane } = await createFixture();
    expect(tracker.laneOf(source)).toBe(lane);
    expect(lane.max).toBe(1);
  });
});

it.each([
  ['not-found', 'not-known'],
  ['malformed', 'nothing'],
  ['invalid', 'nothing'],
  ['rate-limited', 'busy'],
  ['unauthorized', 'refused'],
  ['quota', 'refused'],
  ['forbidden', 'refused'],
  ['not-offered', 'refused'],
  ['unavailable', 'unreachable'],
  ['unreachable', 'unreachable'],
] as const)('A poll that fails as %s means %s', (kind, meaning) => {
  const found = pollErrorMeaning(error(kind));
  expect(typeof found === 'string' ? found : found.kind).toBe(meaning);
});
