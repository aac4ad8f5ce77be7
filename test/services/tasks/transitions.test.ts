import { describe, expect, it } from 'vitest';
import { toRecord } from '../../../src/services/store/task-rows.ts';
import {
  clearMessage,
  countProgressEdit,
  dropExpiredToken,
  dropToken,
  markDelivered,
  markPingDue,
  markPinged,
  markPinging,
  markUndeliverable,
  recordIntent,
  setMessage,
} from '../../../src/services/tasks/delivery-state.ts';
import { hasEnded, isFollowed, isLive, type Task } from '../../../src/services/tasks/task.ts';
import {
  countNotFound,
  createTask,
  markAccepted,
  markDismissed,
  markOverdue,
  markUnconfirmed,
  setSuccessor,
} from '../../../src/services/tasks/transitions.ts';
import { taskFrom } from '../../support/tasks.ts';
import { acceptedSubmit, buildTask, minute, order, start } from './builders.ts';

const later = start + minute;
const message = { channelId: '300000000000000001', id: '500000000000000001' };
const acceptedTask = (): Task => markAccepted(buildTask(), acceptedSubmit, later);
const endedTask = (state: Task['state']): Task => buildTask({ state, times: { created: start, ended: later } });

describe('A new task', () => {
  it('A new task is submitting, keeps the order, and is unchanged after it was stored and read', () => {
    const task = buildTask();
    expect(task).toMatchObject({ state: 'submitting', request: { prompt: 'a fox' }, times: { created: start } });
    expect(isLive(task) && !isFollowed(task) && !hasEnded(task)).toBe(true);
    expect(taskFrom(JSON.parse(JSON.stringify(toRecord(task))))).toEqual(task);
  });

  it('A new task refers to its parent and the root of its lineage', () => {
    const { traits } = buildTask();
    const facts = { traits, idempotencyKey: 'k', durationKey: 'imagine', now: start };
    const child = createTask({ ...order, parent: buildTask({ id: 'a' }) }, { ...facts, id: 'b' });
    const grandchild = createTask({ ...order, parent: child }, { ...facts, id: 'c' });
    expect(child).toMatchObject({ parentId: 'a', rootId: 'a' });
    expect(grandchild).toMatchObject({ parentId: 'b', rootId: 'a' });
    expect(child).not.toHaveProperty('parent');
  });
});

describe("The gateway's first response", () => {
  it("The gateway's first response makes the task accepted, with the remote id and the time", () => {
    const task = markAccepted(buildTask(), { ...acceptedSubmit, queuedBehind: 3 }, later);
    expect(task).toMatchObject({
      state: 'accepted',
      remoteId: 'remote-1',
      queuedBehind: 3,
      times: { accepted: later },
    });
    expect(isFollowed(task)).toBe(true);
  });

  it("The gateway's first response makes the task wait for a prompt if the gateway waits for one", () => {
    expect(markAccepted(buildTask(), { ...acceptedSubmit, needsInput: true }, later).state).toBe('needs-input');
  });

  it("The gateway's first response is not applied twice", () => {
    expect(() => markAccepted(acceptedTask(), acceptedSubmit, later)).toThrow('is accepted');
    expect(() => markUnconfirmed(acceptedTask(), undefined, later)).toThrow('is accepted');
  });

  it('A missing first response from the gateway leaves the task unconfirmed, with the reason', () => {
    const task = markUnconfirmed(buildTask(), 'reset', later);
    expect(task).toMatchObject({ state: 'unconfirmed', failure: { cause: 'unconfirmed', reason: 'reset' } });
    expect(task.times.ended).toBe(later);
    expect(isLive(task) && hasEnded(task)).toBe(true);
  });
});

describe('The decision about an unconfirmed task', () => {
  it('The decision about an unconfirmed task names the task that replaced it, and can be undone', () => {
    const task = setSuccessor(endedTask('unconfirmed'), 'b');
    expect(task.successorId).toBe('b');
    expect(setSuccessor(task, undefined).successorId).toBeUndefined();
  });

  it('The decision about an unconfirmed task dismisses it permanently', () => {
    const task = markDismissed(endedTask('unconfirmed'), later);
    expect(task).toMatchObject({ state: 'cancelled', failure: { cause: 'dismissed' }, times: { settled: later } });
    expect(() => markDismissed(task, later)).toThrow('is cancelled');
  });
});

describe('Responses that do not know the task', () => {
  const afterNotFound = (times: readonly number[]): Task =>
    times.reduce((task, at) => countNotFound(task, at), acceptedTask());

  it('Responses that do not know the task end it only if there are several of them over a few minutes', () => {
    expect(afterNotFound([0, 1, 2, 3, 4].map((n) => later + n * 1_000)).state).toBe('accepted');
    expect(afterNotFound([0, 6].map((n) => later + n * minute)).state).toBe('accepted');
    const task = afterNotFound([0, 1, 2, 3, 5].map((n) => later + n * minute));
    expect(task).toMatchObject({ state: 'failed', failure: { cause: 'forgotten' } });
    expect(task.times.ended).toBe(later + 5 * minute);
  });

  it('No transition changes a task that has ended', () => {
    const task = endedTask('ready');
    expect(countNotFound(task, later)).toBe(task);
  });
});

describe('The time of a task', () => {
  it('Time makes a task overdue once, and never after its end', () => {
    const task = markOverdue(acceptedTask(), later);
    expect(task.times.overdue).toBe(later);
    expect(markOverdue(task, later + minute)).toBe(task);
    const readyTask = endedTask('ready');
    expect(markOverdue(readyTask, later)).toBe(readyTask);
  });

  it('Time removes the token of a task once it has expired, and not before', () => {
    const task = acceptedTask();
    expect(dropExpiredToken(task, task.route.tokenExpiresAt - 1)).toBe(task);
    expect(dropExpiredToken(task, task.route.tokenExpiresAt).route).not.toHaveProperty('token');
    const withoutToken = dropToken(task);
    expect(dropToken(withoutToken)).toBe(withoutToken);
  });
});

describe('The owner ping', () => {
  const pingDueTask = markPingDue(
    recordIntent(endedTask('ready'), { by: 'channel', channelId: 'c', nonce: 'n', at: later }),
    message,
    later,
  );

  it('The owner ping is still due when the end is shown, and keeps the task live with its token', () => {
    expect(pingDueTask).toMatchObject({ state: 'delivered', message, delivery: { call: { shownAt: later } } });
    expect(isLive(pingDueTask) && hasEnded(pingDueTask)).toBe(true);
    expect(pingDueTask.delivery).not.toHaveProperty('intention');
    expect(pingDueTask.route.token).toBe(order.route.token);
    expect(taskFrom(pingDueTask).delivery.call).toEqual({ shownAt: later });
    expect(markPingDue(endedTask('failed'), undefined, later).state).toBe('failed');
  });

  it('The owner ping keeps the time at which it first became due', () => {
    const pingingTask = markPinging(pingDueTask, later + 1);
    expect(pingingTask.delivery.call).toEqual({ shownAt: later, goingAt: later + 1 });
    expect(markPinging(pingingTask, later + minute)).toBe(pingingTask);
  });

  it('The owner ping settles the task, and does nothing for a task without a due ping', () => {
    const pingedTask = markPinged(markPinging(pingDueTask, later), later + minute);
    expect(pingedTask).toMatchObject({ state: 'delivered', message, times: { settled: later + minute } });
    expect(pingedTask.delivery).not.toHaveProperty('call');
    expect(pingedTask.route).not.toHaveProperty('token');
    expect(markPinged(pingedTask, later)).toBe(pingedTask);
    expect(markPinging(pingedTask, later)).toBe(pingedTask);
  });

  it('The owner ping is omitted for a task that its owner has dismissed', () => {
    const task = markDismissed(markPingDue(endedTask('unconfirmed'), message, later), later + minute);
    expect(task.delivery).not.toHaveProperty('call');
    expect(isLive(task)).toBe(false);
  });
});

describe('The delivery of a task', () => {
  it('The delivery of a task remembers the message and the number of its edits', () => {
    const task = setMessage(acceptedTask(), message);
    expect(task.message).toEqual(message);
    expect(setMessage(task, { ...message })).toBe(task);
    expect(countProgressEdit(countProgressEdit(task)).delivery.progressEdits).toBe(2);
    expect(clearMessage(task)).not.toHaveProperty('message');
  });

  it.each([
    ['ready', 'delivered'],
    ['failed', 'failed'],
    ['unconfirmed', 'unconfirmed'],
    ['expired', 'expired'],
  ] as const)(
    'The delivery of a task that is %s leaves it %s, settled, without token and intention',
    (endState, expectedState) => {
      const withIntent = recordIntent(endedTask(endState), { by: 'channel', channelId: 'c', nonce: 'n', at: later });
      const task = markDelivered(withIntent, message, later);
      expect(task).toMatchObject({ state: expectedState, message, times: { settled: later } });
      expect(isLive(task)).toBe(false);
      expect(task.route).not.toHaveProperty('token');
      expect(task.delivery).not.toHaveProperty('intention');
    },
  );

  it('A task that cannot be delivered stays ready and is settled', () => {
    const task = markUndeliverable(endedTask('ready'), 'no-way', later);
    expect(task).toMatchObject({ state: 'ready', delivery: { undeliverable: 'no-way' }, times: { settled: later } });
  });

  it('Delivering a task that has not ended is an error', () => {
    expect(() => markDelivered(acceptedTask(), message, later)).toThrow('is accepted');
    expect(() => markPingDue(acceptedTask(), message, later)).toThrow('is accepted');
    expect(() => markUndeliverable(acceptedTask(), 'deleted', later)).toThrow('is accepted');
  });
});
