import { describe, expect, it } from 'vitest';
import type { Lane } from '../../../src/services/polling/scheduler.ts';
import { all, stage } from './stage.ts';

const oneAtATime = { limits: { perSecond: 10, inFlight: 1_000 } };

describe('Turns of the scheduler', () => {
  it('Turns of the scheduler alternate between groups, so a thousand tasks of one group delay the only task of another by one turn', async () => {
    const { scheduler, lane, at, pass, questions } = stage(oneAtATime);
    const road = lane('l', (ids) => all(ids, 'done'));
    scheduler.start();
    for (let task = 0; task < 1_000; task += 1)
      scheduler.add({ id: `busy ${task}`, lane: road, group: 'busy', at: at(0) });
    await pass(1_950);
    scheduler.add({ id: 'single', lane: road, group: 'quiet', at: at(1_950) });
    await pass(200);
    const place = questions.findIndex(({ ids }) => ids[0] === 'single');
    const before = questions.findLastIndex((question) => question.at <= 1_950);
    expect(place - before).toBeLessThanOrEqual(2);
    expect(place).toBeGreaterThan(0);
  });

  it('Turns of the scheduler alternate between groups, and serve the first task within a group first', async () => {
    const { scheduler, lane, at, pass, questions } = stage(oneAtATime);
    const road = lane('l', (ids) => all(ids, 'done'));
    for (const id of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
      scheduler.add({ id, lane: road, group: id.charAt(0), at: at(0) });
    }
    scheduler.start();
    await pass(1_000);
    expect(questions.map(({ ids }) => ids[0])).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('Turns of the scheduler alternate between lanes as well', async () => {
    const { scheduler, lane, at, pass, questions } = stage(oneAtATime);
    const lanes = ['x', 'y', 'z'].map((name) => lane(name, (ids) => all(ids, 'done')));
    for (const one of lanes) {
      for (let task = 0; task < 3; task += 1) {
        scheduler.add({ id: `${one.name}${task}`, lane: one, group: 'g', at: at(0) });
      }
    }
    scheduler.start();
    await pass(2_000);
    const names = questions.map((question) => question.lane);
    for (const round of [names.slice(0, 3), names.slice(3, 6), names.slice(6)]) {
      expect(round.toSorted()).toEqual(['x', 'y', 'z']);
    }
  });

  it('Turns of the scheduler continue while one lane hangs, because it never takes up all the polls in flight', async () => {
    const { scheduler, patient, lane, at, pass, questions } = stage({ limits: { perSecond: 100, inFlight: 8 } });
    const hanging = patient('hanging');
    const well = lane('well', (ids) => all(ids, 'done'));
    for (let task = 0; task < 20; task += 1) scheduler.add({ id: `h${task}`, lane: hanging, group: 'g', at: at(0) });
    scheduler.start();
    await pass(10_000);
    expect(questions).toHaveLength(6);
    scheduler.add({ id: 'other', lane: well, group: 'g', at: at(10_000) });
    await pass(0);
    expect(questions.at(-1)).toEqual({ lane: 'well', ids: ['other'], at: 10_000 });
  });
});

describe('A lane that polls several tasks at once', () => {
  async function batches(max: number, tasks: readonly { id: string; group: string; at: number }[]) {
    const { scheduler, lane, at, pass, questions } = stage({ limits: { perSecond: 10, inFlight: 10 } });
    const road: Lane = lane('l', (ids) => all(ids, 'done'), max);
    for (const task of tasks) scheduler.add({ ...task, lane: road, at: at(task.at) });
    scheduler.start();
    await pass(10_000);
    expect(scheduler.size).toBe(0);
    return questions;
  }

  it('A lane with lists polls as many as it can at once, in turns, and is charged one poll', async () => {
    const tasks = Array.from({ length: 25 }, (_, task) => ({ id: `a${task}`, group: 'a', at: 0 }));
    const questions = await batches(10, [...tasks, { id: 'b0', group: 'b', at: 0 }]);
    expect(questions.map(({ ids }) => ids.length)).toEqual([10, 10, 6]);
    expect(questions.map((question) => question.at)).toEqual([0, 100, 200]);
    expect(questions[0]?.ids.slice(0, 3)).toEqual(['a0', 'b0', 'a1']);
  });

  it('A lane with lists includes tasks that fall due within a quarter of a second, and none later', async () => {
    const questions = await batches(10, [
      { id: 'first', group: 'a', at: 1_000 },
      { id: 'soon', group: 'a', at: 1_250 },
      { id: 'later', group: 'a', at: 1_251 },
    ]);
    expect(questions).toEqual([
      { lane: 'l', ids: ['first', 'soon'], at: 1_000 },
      { lane: 'l', ids: ['later'], at: 1_251 },
    ]);
  });

  it('A lane with lists prefers due tasks to tasks that are only included', async () => {
    const questions = await batches(2, [
      { id: 'soon', group: 'b', at: 100 },
      { id: 'due 1', group: 'a', at: 0 },
      { id: 'due 2', group: 'a', at: 0 },
    ]);
    expect(questions[0]?.ids).toEqual(['due 1', 'due 2']);
  });

  it.each([0, -1, Number.NaN])('A lane with lists polls one at a time if its limit is invalid: %s', async (max) => {
    const questions = await batches(max, [
      { id: 'a', group: 'g', at: 0 },
      { id: 'b', group: 'g', at: 0 },
    ]);
    expect(questions.map(({ ids }) => ids)).toEqual([['a'], ['b']]);
  });
});
