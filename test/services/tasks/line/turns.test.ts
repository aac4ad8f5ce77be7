import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Turns, type Waiting } from '../../../../src/services/tasks/line/turns.ts';

let made = 0;
const waiting = (group: string, memberId: string, over: Partial<Waiting> = {}): Waiting => ({
  ...{ id: `${group}${memberId}${++made}`, kind: 'imagine', group, memberId, weight: 1, ...over },
});

function turnsOf(tasks: readonly Waiting[]): Turns {
  const turns = new Turns();
  for (const task of tasks) turns.add(task);
  return turns;
}

function drained(turns: Turns): Waiting[] {
  const all: Waiting[] = [];
  for (let task = turns.next(); task; task = turns.next()) all.push(task);
  return all;
}

const owners = (tasks: readonly Waiting[]): string => tasks.map(({ group, memberId }) => group + memberId).join(' ');

describe('Turns in the queue', () => {
  it('Turns rotate between servers, and within each server between members', () => {
    const line = [waiting('A', '1'), waiting('A', '1'), waiting('A', '1'), waiting('A', '2'), waiting('B', '3')];
    expect(owners(drained(turnsOf(line)))).toBe('A1 B3 A2 A1 A1');
  });

  it('A member with a weight gets that many turns in a row within the server', () => {
    const line = [1, 2, 3, 4].map(() => waiting('A', '1', { weight: 3 }));
    const others = [waiting('A', '2'), waiting('A', '2')];
    expect(owners(drained(turnsOf([...line, ...others])))).toBe('A1 A1 A1 A2 A1 A2');
  });

  it('A member who was served without waiting comes after those who have not been served', () => {
    const turns = new Turns();
    turns.note({ group: 'A', memberId: '1' });
    for (const task of [waiting('A', '1'), waiting('A', '1'), waiting('A', '2'), waiting('B', '3')]) turns.add(task);
    expect(owners(drained(turns))).toBe('B3 A2 A1 A1');
  });

  it('A weight does not take turns from other servers', () => {
    const line = [1, 2, 3].map(() => waiting('A', '1', { weight: 3 }));
    expect(owners(drained(turnsOf([...line, waiting('B', '2'), waiting('B', '2')])))).toBe('A1 B2 A1 B2 A1');
  });

  it('A task whose kind is paused lets others pass and keeps its turn', () => {
    const song = waiting('A', '1', { kind: 'song' });
    const turns = turnsOf([song, waiting('A', '1'), waiting('B', '2')]);
    const isNotSong = (kind: string): boolean => kind !== 'song';
    expect(turns.next(isNotSong)?.kind).toBe('imagine');
    expect(turns.next(isNotSong)?.group).toBe('B');
    expect(turns.next(isNotSong)).toBeUndefined();
    expect(turns.next()).toBe(song);
  });

  it('The displayed order is the order of the turns, and displaying it changes nothing', () => {
    fc.assert(
      fc.property(fc.array(lineTask, { maxLength: 40 }), fc.nat(40), (tasks, taken) => {
        const turns = turnsOf(tasks);
        for (let count = 0; count < taken; count++) turns.next();
        const shown = [...turns.inOrder()];
        expect(shown).toHaveLength(turns.size);
        expect(drained(turns)).toEqual(shown);
      }),
    );
  });

  it('No server waits longer than one turn of each other server, and no member longer than the weights of the others', () => {
    fc.assert(
      fc.property(fc.array(lineTask, { minLength: 1, maxLength: 60 }), (tasks) => {
        const all = drained(turnsOf(tasks));
        expect(new Set(all)).toEqual(new Set(tasks));
        expect(hasLimitedRuns(all, ({ group }) => group, 1)).toBe(true);
        for (const group of ['A', 'B', 'C'])
          expect(
            hasLimitedRuns(
              all.filter((task) => task.group === group),
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
        const gone = tasks[index % tasks.length];
        const turns = turnsOf(tasks);
        if (gone) turns.remove(gone.id);
        expect(new Set(drained(turns))).toEqual(new Set(tasks.filter((task) => task !== gone)));
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
  // A weight applies to one member.
  .map(({ group, memberId }) => waiting(group, memberId, { weight: Number(memberId) }));

/** Whether no holder has more than `max` turns in a row while another one has tasks left. */
function hasLimitedRuns(tasks: readonly Waiting[], holderOf: (task: Waiting) => string, max: number): boolean {
  let run = 0;
  return tasks.every((task, index) => {
    const isSame = index > 0 && holderOf(tasks[index - 1] ?? task) === holderOf(task);
    run = isSame ? run + 1 : 1;
    return run <= max || tasks.slice(index).every((later) => holderOf(later) === holderOf(task));
  });
}
