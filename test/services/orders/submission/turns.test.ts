import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Turns, type WaitingTask } from '../../../../src/services/orders/submission/turns.ts';

let lastId = 0;
const waitingTask = (group: string, memberId: string, overrides: Partial<WaitingTask> = {}): WaitingTask => ({
  id: `${group}${memberId}${++lastId}`,
  kind: 'imagine',
  group,
  memberId,
  weight: 1,
  ...overrides,
});

function turnsOf(tasks: readonly WaitingTask[]): Turns {
  const turns = new Turns();
  for (const task of tasks) turns.add(task);
  return turns;
}

function drain(turns: Turns): WaitingTask[] {
  const drained: WaitingTask[] = [];
  for (let task = turns.next(); task; task = turns.next()) drained.push(task);
  return drained;
}

const turnOrder = (tasks: readonly WaitingTask[]): string =>
  tasks.map(({ group, memberId }) => group + memberId).join(' ');

describe('Turns in the queue', () => {
  it('Turns rotate between servers, and within each server between members', () => {
    const line = [
      waitingTask('A', '1'),
      waitingTask('A', '1'),
      waitingTask('A', '1'),
      waitingTask('A', '2'),
      waitingTask('B', '3'),
    ];
    expect(turnOrder(drain(turnsOf(line)))).toBe('A1 B3 A2 A1 A1');
  });

  it('A member with a weight gets that many turns in a row within the server', () => {
    const line = [1, 2, 3, 4].map(() => waitingTask('A', '1', { weight: 3 }));
    const others = [waitingTask('A', '2'), waitingTask('A', '2')];
    expect(turnOrder(drain(turnsOf([...line, ...others])))).toBe('A1 A1 A1 A2 A1 A2');
  });

  it('A member whose order was sent without waiting comes after members who have had no turn', () => {
    const turns = new Turns();
    turns.recordTurn({ group: 'A', memberId: '1' });
    for (const task of [waitingTask('A', '1'), waitingTask('A', '1'), waitingTask('A', '2'), waitingTask('B', '3')])
      turns.add(task);
    expect(turnOrder(drain(turns))).toBe('B3 A2 A1 A1');
  });

  it('A weight does not take turns from other servers', () => {
    const line = [1, 2, 3].map(() => waitingTask('A', '1', { weight: 3 }));
    expect(turnOrder(drain(turnsOf([...line, waitingTask('B', '2'), waitingTask('B', '2')])))).toBe('A1 B2 A1 B2 A1');
  });

  it('A task whose kind is paused lets others pass and keeps its turn', () => {
    const song = waitingTask('A', '1', { kind: 'song' });
    const turns = turnsOf([song, waitingTask('A', '1'), waitingTask('B', '2')]);
    const isNotSong = ({ kind }: WaitingTask): boolean => kind !== 'song';
    expect(turns.next(isNotSong)?.kind).toBe('imagine');
    expect(turns.next(isNotSong)?.group).toBe('B');
    expect(turns.next(isNotSong)).toBeUndefined();
    expect(turns.next()).toBe(song);
  });

  it('The displayed order is the order of the turns, and displaying it changes nothing', () => {
    fc.assert(
      fc.property(fc.array(lineTask, { maxLength: 40 }), fc.nat(40), (tasks, takenCount) => {
        const turns = turnsOf(tasks);
        for (let count = 0; count < takenCount; count++) turns.next();
        const displayed = [...turns.tasksInOrder()];
        expect(displayed).toHaveLength(turns.size);
        expect(drain(turns)).toEqual(displayed);
      }),
    );
  });

  it('No server waits longer than one turn of each other server, and no member longer than the weights of the others', () => {
    fc.assert(
      fc.property(fc.array(lineTask, { minLength: 1, maxLength: 60 }), (tasks) => {
        const drained = drain(turnsOf(tasks));
        expect(new Set(drained)).toEqual(new Set(tasks));
        expect(hasLimitedRuns(drained, ({ group }) => group, 1)).toBe(true);
        for (const group of ['A', 'B', 'C'])
          expect(
            hasLimitedRuns(
              drained.filter((task) => task.group === group),
              ({ memberId }) => memberId,
              3,
            ),
          ).toBe(true);
      }),
    );
  });

  it('A removed task gets no turn, and the other tasks keep theirs', () => {
    fc.assert(
      fc.property(fc.array(lineTask, { minLength: 1, maxLength: 30 }), fc.nat(29), (tasks, index) => {
        const removedTask = tasks[index % tasks.length];
        const turns = turnsOf(tasks);
        if (removedTask) turns.remove(removedTask.id);
        expect(new Set(drain(turns))).toEqual(new Set(tasks.filter((task) => task !== removedTask)));
        expect(turns.size).toBe(0);
      }),
    );
  });
});

const lineTask = fc
  .record({
    group: fc.constantFrom('A', 'B', 'C'),
    memberId: fc.constantFrom('1', '2', '3'),
  })
  // All tasks of a member have the same weight.
  .map(({ group, memberId }) => waitingTask(group, memberId, { weight: Number(memberId) }));

/** Whether no holder has more than `max` turns in a row while another one has tasks left. */
function hasLimitedRuns(tasks: readonly WaitingTask[], holderOf: (task: WaitingTask) => string, max: number): boolean {
  let run = 0;
  return tasks.every((task, index) => {
    const isSame = index > 0 && holderOf(tasks[index - 1] ?? task) === holderOf(task);
    run = isSame ? run + 1 : 1;
    return run <= max || tasks.slice(index).every((later) => holderOf(later) === holderOf(task));
  });
}
