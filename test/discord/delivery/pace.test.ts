import { describe, expect, it } from 'vitest';
import { nextEditAt } from '../../../src/discord/delivery/pace.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { madeTask } from '../../services/tasks/made.ts';
import { minutes, seconds } from './scene.ts';

const born = Date.UTC(2026, 0, 1);
const snowflakeAt = (time: number): string => String(BigInt(time - 1_420_070_400_000) << 22n);

function job(times: Partial<Task['times']> = {}, messageAt?: number): Task {
  const message = messageAt === undefined ? undefined : { channelId: '1', id: snowflakeAt(messageAt) };
  return madeTask({ times: { created: born, ...times }, message });
}

/** The times of all progress edits of a job with constant news, in seconds after its start. */
function moments(task: Task, until: number): number[] {
  const found: number[] = [];
  let lastAt: number | undefined;
  for (let edits = 0; ; edits++) {
    const at = nextEditAt(task, { edits, lastAt, firstSeenAt: born });
    if (at === undefined || at > born + until) return found;
    found.push((at - born) / 1_000);
    lastAt = at;
  }
}

describe('The pace of progress edits', () => {
  it('Progress edits start immediately, are frequent at first and continue until the interaction token expires', () => {
    expect(moments(job(), minutes(60))).toEqual([0, 4, 10, 25, 62.5, 156.25, 390.625]);
  });

  it('One progress edit is reserved for the moment when a job exceeds its wait limit, and is then made immediately', () => {
    const task = job({ overdue: born + minutes(20) });
    const lastAt = born + minutes(19);
    expect(nextEditAt(task, { edits: 7, lastAt, firstSeenAt: born })).toBe(lastAt + seconds(4));
    expect(nextEditAt(task, { edits: 8, lastAt, firstSeenAt: born })).toBeUndefined();
    expect(nextEditAt(job(), { edits: 7, lastAt, firstSeenAt: born })).toBeUndefined();
  });

  it('After the edit about an exceeded wait limit, the interval depends on the age of the job again', () => {
    const overdue = born + minutes(20);
    const shown = { edits: 5, lastAt: overdue, firstSeenAt: born };
    expect(nextEditAt(job({ overdue }), shown)).toBe(born + minutes(50));
  });

  it('Progress edits of a message older than an hour are at least 30 seconds apart, even for a new job', () => {
    const lastAt = born + seconds(1);
    const shown = { edits: 1, lastAt, firstSeenAt: born };
    expect(nextEditAt(job({}, born - minutes(61)), shown)).toBe(lastAt + seconds(30));
    expect(nextEditAt(job({}, born - minutes(59)), shown)).toBe(lastAt + seconds(4));
  });

  it('After a restart, the minimum interval applies, because the time of the last edit is unknown', () => {
    const firstSeenAt = born + minutes(3);
    expect(nextEditAt(job(), { edits: 3, lastAt: undefined, firstSeenAt })).toBe(firstSeenAt + seconds(4));
  });

  it('A clock that was set back does not affect the pace of progress edits', () => {
    const lastAt = born - minutes(5);
    expect(nextEditAt(job(), { edits: 1, lastAt, firstSeenAt: born })).toBe(lastAt + seconds(4));
  });
});
