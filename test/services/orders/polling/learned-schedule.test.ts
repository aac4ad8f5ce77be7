import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { createLogger } from '../../../../src/lib/log.ts';
import { DurationHistory, learnedSchedule } from '../../../../src/services/orders/polling/learned-schedule.ts';
import { specSchedule } from '../../../../src/services/orders/polling/schedule.ts';
import type { TaskStore } from '../../../../src/services/orders/task-store.ts';
import { openStore } from '../../../../src/services/store/open-store.ts';
import type { WaitLimit } from '../../../../src/services/tasks/kind.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { buildTask, minute, start } from '../builders.ts';
import { logNormal } from './drawn.ts';

const second = 1_000;
const log = createLogger({ level: 'warn', secrets: [], isPretty: false, write: () => undefined });

const runningTask = (changes: Partial<Task> = {}, times: Partial<Task['times']> = {}): Task =>
  buildTask({ state: 'running', ...changes, times: { created: start, accepted: start, ...times } });

async function createSchedule(
  { count = 60, medianMs = 20 * second, task = runningTask(), waitedMs, limit = 'video' }: Partial<HistoryOptions> = {},
  existingStore?: TaskStore,
) {
  const store =
    existingStore ??
    (await openStore(
      { url: 'sqlite://:memory:', scheme: 'sqlite' },
      { specs: kindSpecs, log, clock: new ManualClock() },
    ));
  const history = new DurationHistory(store, () => limit, log);
  const durations = logNormal(count, medianMs, 0.3);
  // The durations are learned in a shuffled order, with one job ending every second.
  for (let job = 0; job < count; job += 1) {
    const ms = (durations[(job * 37) % count] ?? 0) + (waitedMs ?? 0);
    const duration = { atLeastMs: ms - 500, atMostMs: ms + 500, at: start + job * second, waitedMs };
    await history.learn(task, duration);
  }
  const state = { pressure: 1 };
  const schedule = learnedSchedule(history, () => state.pressure);
  const gapAt = (polledTask: Task, age: number): number => schedule(polledTask, start + age) - (start + age);
  return { store, history, schedule, state, gapAt };
}

interface HistoryOptions {
  count: number;
  medianMs: number;
  task: Task;
  waitedMs: number;
  limit: WaitLimit;
}

describe('The learned schedule', () => {
  it("The learned schedule equals the specification's until twenty jobs are known", async () => {
    const { gapAt, history } = await createSchedule({ count: 19 });
    for (const age of [0, 10_000, 29_999, 30_000, 100_000]) {
      expect(gapAt(runningTask(), age)).toBe(specSchedule(runningTask(), start + age) - start - age);
    }
    expect(history.modelFor(runningTask(), 'all')).toBeUndefined();
  });

  it('The learned schedule assumes typical durations for images before any are known, and discards them as it learns', async () => {
    const emptySchedule = await createSchedule({ count: 0, limit: 'image' });
    emptySchedule.gapAt(runningTask(), 0);
    await turnOfTheLoop();
    expect(emptySchedule.gapAt(runningTask(), 0)).toBeGreaterThan(4 * second);
    expect(emptySchedule.gapAt(runningTask(), 0)).toBeLessThan(5 * second);
    for (const [count, minSeconds] of [
      [5, 18],
      [20, 30],
      [60, 37],
    ] as const) {
      const { history } = await createSchedule({ count, medianMs: 40 * second, limit: 'image' });
      expect(history.modelFor(runningTask(), 'all')?.medianFrom(0)).toBeGreaterThan(minSeconds * second);
    }
  });

  it('The learned schedule polls an image at least every ten seconds, whatever the gateway says about its progress, except under pressure', async () => {
    for (const medianMs of [2 * second, 20 * second, 200 * second]) {
      const { gapAt, state } = await createSchedule({ medianMs, limit: 'image' });
      for (let age = 0; age < 5 * minute; age += second) {
        for (const progress of [undefined, 1, 20, 99]) {
          expect(gapAt({ ...runningTask(), progress }, age)).toBeLessThanOrEqual(9_500);
        }
      }
      state.pressure = 6;
      expect(gapAt(runningTask(), 1)).toBeGreaterThan(9_500);
    }
  });

  it('The learned schedule polls more often when a job is likely to end, once durations are known', async () => {
    const { gapAt } = await createSchedule();
    expect(gapAt(runningTask(), 0)).toBeGreaterThan(5 * second);
    expect(gapAt(runningTask(), 20 * second)).toBeLessThan(2.5 * second);
  });

  it('The learned schedule keeps what it has learned across a restart', async () => {
    const { store, gapAt } = await createSchedule();
    const restarted = await createSchedule({ count: 0 }, store);
    // The first poll finds nothing loaded, and triggers the read.
    expect(restarted.gapAt(runningTask(), 0)).toBe(2_500);
    await turnOfTheLoop();
    expect(restarted.gapAt(runningTask(), 0)).toBeCloseTo(gapAt(runningTask(), 0), 6);
  });

  it('The learned schedule drops old jobs when the gateway has become twice as slow', async () => {
    const first = await createSchedule({ count: 200 });
    const { history } = first;
    for (const [job, ms] of logNormal(200, 40 * second, 0.3).entries()) {
      await history.learn(runningTask(), { atLeastMs: ms - 500, atMostMs: ms + 500, at: start + minute * (10 + job) });
    }
    expect(history.modelFor(runningTask(), 'all')?.medianFrom(0)).toBeGreaterThan(36 * second);
  });

  it('The learned schedule gives many jobs that end at the same moment the weight of a few', async () => {
    const { history } = await createSchedule({ count: 100 });
    for (let job = 0; job < 200; job += 1) {
      await history.learn(runningTask(), {
        atLeastMs: 5 * minute,
        atMostMs: 5 * minute,
        at: start + 200 * second + job,
      });
    }
    expect(history.modelFor(runningTask(), 'all')?.medianFrom(0)).toBeLessThan(25 * second);
  });

  it('The learned schedule uses the data of the kind while there is little data on the model', async () => {
    const model = (name: string): Task => runningTask({ durationKey: `imagine ${name}` });
    const { history } = await createSchedule({ count: 100, task: model('old') });
    for (let job = 0; job < 9; job += 1) {
      await history.learn(model('new'), { atLeastMs: 99_000, atMostMs: 101_000, at: start + minute * (10 + job) });
    }
    expect(history.modelFor(model('new'), 'all')).toBeUndefined();
    for (let job = 9; job < 20; job += 1) {
      await history.learn(model('new'), { atLeastMs: 99_000, atMostMs: 101_000, at: start + minute * (10 + job) });
    }
    expect(history.modelFor(model('new'), 'all')?.medianFrom(0)).toBeGreaterThan(60 * second);
    expect(history.modelFor(model('old'), 'all')?.medianFrom(0)).toBeLessThan(25 * second);
  });

  it("The learned schedule is slow for overdue tasks and slower for old ones, like the specification's", async () => {
    const { gapAt } = await createSchedule();
    expect(gapAt(runningTask({}, { overdue: start + 5 * minute }), 6 * minute)).toBe(30_000);
    expect(gapAt(runningTask({}, { overdue: start + 5 * minute }), 61 * minute)).toBe(5 * minute);
  });

  it('The learned schedule increases its gaps under pressure, with and without data', async () => {
    const trainedSchedule = await createSchedule();
    const emptySchedule = await createSchedule({ count: 0 });
    const gapBefore = trainedSchedule.gapAt(runningTask(), 15 * second);
    trainedSchedule.state.pressure = 10;
    emptySchedule.state.pressure = 10;
    expect(trainedSchedule.gapAt(runningTask(), 15 * second)).toBeGreaterThan(gapBefore);
    expect(emptySchedule.gapAt(runningTask(), 0)).toBe(25_000);
  });

  it('The learned schedule adjusts to the progress that the gateway reports, more towards the end, and only within limits', async () => {
    const { gapAt } = await createSchedule({ medianMs: 120 * second });
    const gapAtProgress = (progress: number): number => gapAt({ ...runningTask(), progress }, 60 * second);
    const baseline = gapAt(runningTask(), 60 * second);
    expect(gapAtProgress(90)).toBeLessThan(baseline / 2);
    expect(gapAtProgress(20)).toBeGreaterThan(baseline);
    expect(gapAtProgress(1) / baseline).toBeLessThan(1.3);
    for (const progress of [0, 100, -5, 700, Number.NaN]) expect(gapAtProgress(progress)).toBe(baseline);
  });

  it('Once percentages have predicted the ends of ten jobs, the learned schedule polls a job mostly around its predicted end', async () => {
    const gapsAfter = async (jobs: number, percents: readonly number[]): Promise<number[]> => {
      const { gapAt, history } = await createSchedule({ medianMs: 150 * second });
      for (let job = 0; job < jobs; job += 1) {
        const ms = (100 + job) * second;
        for (const progress of percents) history.notePrediction(runningTask({ progress }), start + 0.6 * ms);
        const duration = { atLeastMs: ms - second, atMostMs: ms + second, at: start + (100 + job) * second };
        await history.learn(runningTask(), duration);
      }
      return [
        gapAt(runningTask({ progress: 40 }), 60 * second),
        gapAt(runningTask({ progress: 94 }), 141 * second),
        gapAt(runningTask({ progress: 99 }), 148 * second),
        gapAt(runningTask({ progress: 10 }), 60 * second),
      ];
    };
    expect(await gapsAfter(9, [60])).toEqual(await gapsAfter(9, []));
    const [early = 0, late = 0, ...others] = await gapsAfter(40, []);
    // The prediction at 60% was right, those at 20% and 93% were not.
    const [earlyGap, lateGap, ...otherGaps] = await gapsAfter(40, [20, 60, 93]);
    expect(early).toBeLessThan(17 * second);
    expect(earlyGap).toBe(20 * second);
    expect(late).toBeLessThan(2 * second);
    expect(lateGap).toBeLessThan(4 * second);
    // Beyond 95% and far from a usual duration, percentages only stretch what was learned from durations.
    expect(otherGaps).toEqual(others);
  });

  it('The learned schedule counts from the reported start of the run, and treats a queued job as about to start', async () => {
    const { gapAt, schedule } = await createSchedule({ waitedMs: 100 * second });
    const age = 300 * second;
    const startedTask = runningTask({}, { started: start + age - 20 * second });
    expect(gapAt(startedTask, age)).toBeLessThan(2.5 * second);
    const queuedTask = runningTask({ state: 'queued' });
    expect(gapAt(queuedTask, age)).toBe(gapAt(runningTask({}, { started: start + age }), age));
    expect(schedule(runningTask({}, { started: start + age + minute }), start + age)).toBeGreaterThan(start + age);
  });

  it('The learned schedule counts from the arrival of a prompt that a task waited for, and does not apply to a task that still waits', async () => {
    const { gapAt } = await createSchedule();
    const age = 10 * minute;
    expect(gapAt(runningTask({}, { wordsTaken: start + age - 20 * second }), age)).toBeLessThan(2.5 * second);
    expect(gapAt(runningTask({ state: 'needs-input' }), age)).toBe(7_500);
  });

  it('The learned schedule falls back to the specification if the store fails', async () => {
    const failingStore = {
      durations: () => Promise.reject(new Error('gone')),
      addDuration: () => Promise.reject(new Error('gone')),
    };
    const lines: string[] = [];
    const recordingLog = createLogger({
      level: 'warn',
      secrets: [],
      isPretty: false,
      write: (line) => lines.push(line),
    });
    const history = new DurationHistory(failingStore, () => 'image', recordingLog);
    const schedule = learnedSchedule(history, () => 1);
    expect(schedule(runningTask(), start)).toBe(start + 2_500);
    await history.learn(runningTask(), { atLeastMs: 1, atMostMs: 2, at: start });
    await turnOfTheLoop();
    expect(lines.join('')).toContain('could not be read');
    expect(lines.join('')).toContain('could not be stored');
  });
});
