import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customId, readCustomId } from '../../../src/discord/custom-ids.ts';
import { createTaskId, isTaskId } from '../../../src/services/tasks/task-id.ts';
import { start } from '../orders/builders.ts';

describe('A task id', () => {
  it('Task ids sort by their creation time', () => {
    const moment = fc.integer({ min: start, max: start + 10 ** 12 });
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        fc.pre(a < b);
        expect(createTaskId(a) < createTaskId(b)).toBe(true);
      }),
    );
  });

  it('Task ids are practically unique', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => createTaskId(start))).size).toBe(10_000);
  });

  it('A task id fits into a custom id and is recognised', () => {
    const id = createTaskId(start);
    expect(isTaskId(id)).toBe(true);
    expect(readCustomId(customId('again', 1, id))?.args).toEqual([id]);
  });

  it.each(['', 'short', '01k3v9x2mabcdefg!', '01K3V9X2MABCDEFGH', `${createTaskId(start)}0`, '../../../etc/pass'])(
    'The text %j is not recognised as a task id',
    (text) => {
      expect(isTaskId(text)).toBe(false);
    },
  );
});
