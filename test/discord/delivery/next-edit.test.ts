import { describe, expect, it } from 'vitest';
import { nextEditAt } from '../../../src/discord/delivery/next-edit.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { buildTask } from '../../services/orders/builders.ts';
import { minutes, seconds } from './integration-fixture.ts';

const CREATED_AT = Date.UTC(2026, 0, 1);
const snowflakeAt = (time: number): string => String(BigInt(time - 1_420_070_400_000) << 22n);

function job(times: Partial<Task['times']> = {}, messageAt?: number): Task {
  const message = messageAt === undefined ? undefined : { channelId: '1', id: snowflakeAt(messageAt) };
  return buildTask({ times: { created: CREATED_AT, ...times }, message });
}

/** The times of all progress edits for a job that changes constantly, in seconds after its start. */
function editTimes(task: Task, durationMs: number): number[] {
  const editSeconds: number[] = [];
  let lastAt: number | undefined;
  for (let edits = 0; ; edits++) {
    const at = nextEditAt(task, { editCount: edits, lastAt, firstSeenAt: CREATED_AT });
    if (at === undefined || at > CREATED_AT + durationMs) return editSeconds;
    editSeconds.push((at - CREATED_AT) / 1_000);
    lastAt = at;
  }
}

describe('The pace of progress edits', () => {
  it('Progress edits start immediately, are frequent at first and continue until the interaction token expires', () => {
    expect(editTimes(job(), minutes(60))).toEqual([0, 4, 10, 25, 62.5, 156.25, 390.625]);
  });

  it('One progress edit is reserved for the moment when a job exceeds its wait limit, and is then made immediately', () => {
    const task = job({ overdue: CREATED_AT + minutes(20) });
    const lastAt = CREATED_AT + minutes(19);
    expect(nextEditAt(task, { editCount: 7, lastAt, firstSeenAt: CREATED_AT })).toBe(lastAt + seconds(4));
    expect(nextEditAt(task, { editCount: 8, lastAt, firstSeenAt: CREATED_AT })).toBeUndefined();
    expect(nextEditAt(job(), { editCount: 7, lastAt, firstSeenAt: CREATED_AT })).toBeUndefined();
  });

  it('After the edit that says a job takes longer than usual, the interval depends on the age of the job again', () => {
    const overdue = CREATED_AT + minutes(20);
    const history = { editCount: 5, lastAt: overdue, firstSeenAt: CREATED_AT };
    expect(nextEditAt(job({ overdue }), history)).toBe(CREATED_AT + minutes(50));
  });

  it('Progress edits of a message older than an hour are at least 30 seconds apart, even for a new job', () => {
    const lastAt = CREATED_AT + seconds(1);
    const history = { editCount: 1, lastAt, firstSeenAt: CREATED_AT };
    expect(nextEditAt(job({}, CREATED_AT - minutes(61)), history)).toBe(lastAt + seconds(30));
    expect(nextEditAt(job({}, CREATED_AT - minutes(59)), history)).toBe(lastAt + seconds(4));
  });

  it('After a restart, the minimum interval applies, because the time of the last edit is unknown', () => {
    const firstSeenAt = CREATED_AT + minutes(3);
    expect(nextEditAt(job(), { editCount: 3, lastAt: undefined, firstSeenAt })).toBe(firstSeenAt + seconds(4));
  });

  it('A clock that was set back does not affect the pace of progress edits', () => {
    const lastAt = CREATED_AT - minutes(5);
    expect(nextEditAt(job(), { editCount: 1, lastAt, firstSeenAt: CREATED_AT })).toBe(lastAt + seconds(4));
  });
});
