import { describe, expect, it } from 'vitest';
import { toRecord } from '../../../src/services/store/rows/task-rows.ts';
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
  adoptTask,
  completeAlbum,
  countMissing,
  countNotFound,
  createAlbum,
  createTask,
  isLastMiss,
  markAccepted,
  markDismissed,
  markForErasure,
  markGivenUp,
  markHandedOver,
  markOverdue,
  markRefused,
  markReleased,
  markRestored,
  markReturned,
  markTurn,
  markUnconfirmed,
  markWaiting,
  markWithdrawn,
  markWordsRefused,
  markWordsSent,
  markWordsTaken,
  orderOfTask,
  setPosition,
  setReferenceNotes,
  setSuccessor,
} from '../../../src/services/tasks/transitions.ts';
import { taskFrom } from '../../support/tasks.ts';
import { acceptedSubmit, buildTask, minute, order, start } from '../orders/builders.ts';

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

describe('A task in the queue', () => {
  const waitingTask = (): Task => markWaiting(buildTask({ roleIds: ['a-role'] }));

  it('A waiting task has a position, and any other has none', () => {
    expect(setPosition(waitingTask(), 3)).toMatchObject({ state: 'waiting', place: 3 });
    const accepted = acceptedTask();
    expect(setPosition(accepted, 3)).toBe(accepted);
  });

  it('A task whose turn has come gets the key of what is sent, and has no position', () => {
    const task = markTurn(setPosition(waitingTask(), 1), 'new-key', later);
    expect(task).toMatchObject({
      state: 'submitting',
      idempotencyKey: 'new-key',
      times: { created: start, turn: later },
    });
    expect(task).not.toHaveProperty('place');
    expect(() => markTurn(task, 'new-key', later)).toThrow('cannot become submitting: it is submitting');
  });

  it('A task that the gateway did not accept at the moment waits again, and its returns are counted', () => {
    const returned = markReturned(buildTask());
    expect(returned).toMatchObject({ state: 'waiting', returns: 1 });
    expect(markReturned(returned)).toMatchObject({ state: 'waiting', returns: 2 });
    expect(() => markReturned(acceptedTask())).toThrow('cannot become waiting: it is accepted');
  });

  it.each([waitingTask(), buildTask({ roleIds: ['a-role'] })])(
    'A refused task has failed with the reason, and its roles and position are forgotten ($state)',
    (task) => {
      const refused = markRefused({ ...task, place: 1 }, { reason: 'no', code: '1' }, later);
      expect(refused).toMatchObject({
        state: 'failed',
        failure: { cause: 'refused', reason: 'no', code: '1' },
        times: { created: start, ended: later },
      });
      expect(refused).not.toHaveProperty('place');
      expect(refused).not.toHaveProperty('roleIds');
    },
  );

  it('A task that the gateway has accepted can no longer be refused', () => {
    expect(() => markRefused(acceptedTask(), {}, later)).toThrow('cannot become refused: it is accepted');
  });

  it('A withdrawn task is cancelled, and its roles and position are forgotten', () => {
    const task = markWithdrawn(setPosition(waitingTask(), 1), later);
    expect(task).toMatchObject({ state: 'cancelled', failure: { cause: 'withdrawn' }, times: { ended: later } });
    expect(task).not.toHaveProperty('place');
    expect(task).not.toHaveProperty('roleIds');
  });
});

describe('A task that nothing is sent for', () => {
  const facts = { id: 'b', traits: buildTask().traits, idempotencyKey: 'k', durationKey: 'imagine', now: start };

  it('A job that the gateway already has is accepted at once, without the token of an interaction', () => {
    const task = adoptTask(order, { ...facts, remoteId: 'remote-9' });
    expect(task).toMatchObject({ state: 'accepted', remoteId: 'remote-9', times: { created: start, accepted: start } });
    expect(task.route).not.toHaveProperty('token');
  });

  it('An album is running at once, is completed once, and keeps its token', () => {
    const album = createAlbum(order, facts);
    expect(album).toMatchObject({ state: 'running', route: { token: order.route.token }, times: { accepted: start } });
    const completed = completeAlbum(album, later);
    expect(completed).toMatchObject({ state: 'ready', times: { created: start, ended: later } });
    expect(completeAlbum(completed, later + minute)).toBe(completed);
  });

  it('A task can be ordered again from its kind and request alone', () => {
    expect(orderOfTask(buildTask())).toEqual({ kind: 'imagine', request: { prompt: 'a fox' } });
  });

  it('Empty roles are not stored with a task', () => {
    expect(createTask({ ...order, roleIds: [] }, facts)).not.toHaveProperty('roleIds');
    expect(createTask({ ...order, roleIds: ['a-role'] }, facts).roleIds).toEqual(['a-role']);
  });
});

describe('What the gateway accepted', () => {
  it('The roles of the owner are forgotten, a callback is remembered, and a signed address in the prompt is left out', () => {
    const finalPrompt = 'a fox https://cdn.discordapp.com/attachments/1/2/a.png?ex=1&is=2&hm=3';
    const task = markAccepted(buildTask({ roleIds: ['a-role'] }), { ...acceptedSubmit, finalPrompt }, later, true);
    expect(task).toMatchObject({
      hasCallback: true,
      finalPrompt: 'a fox ',
    });
    expect(task).not.toHaveProperty('roleIds');
    expect(acceptedTask()).not.toHaveProperty('hasCallback');
    expect(acceptedTask().finalPrompt).toBeUndefined();
  });

  it('The roles of the owner are forgotten if the outcome is unknown', () => {
    expect(markUnconfirmed(buildTask({ roleIds: ['a-role'] }), undefined, later)).not.toHaveProperty('roleIds');
  });
});

describe('The prompt for a task that waits for one', () => {
  const askedTask = (): Task => markAccepted(buildTask(), { ...acceptedSubmit, needsInput: true }, start);

  it('A prompt that is about to be sent replaces the refused one, and only such a task gets one', () => {
    const task = markWordsSent(markWordsRefused(askedTask(), 'no'), { words: 'a hare' }, later);
    expect(task).toMatchObject({ state: 'needs-input', request: { words: 'a hare' }, times: { wordsSent: later } });
    expect(task).not.toHaveProperty('wordsRefused');
    expect(() => markWordsSent(acceptedTask(), { words: 'a hare' }, later)).toThrow('cannot become given words');
  });

  it('An accepted prompt lets the task continue, under another id if the gateway assigns one', () => {
    const task = markWordsTaken(askedTask(), { ...acceptedSubmit, remoteId: 'remote-2' }, later);
    expect(task).toMatchObject({ state: 'accepted', remoteId: 'remote-2', times: { wordsTaken: later } });
    const ended = endedTask('ready');
    expect(markWordsTaken(ended, acceptedSubmit, later)).toBe(ended);
  });

  it('A refused prompt counts as not sent', () => {
    const task = markWordsRefused(markWordsSent(askedTask(), { words: 'a hare' }, later), 'too long');
    expect(task.wordsRefused).toBe('too long');
    expect(task.times).not.toHaveProperty('wordsSent');
  });
});

describe('A task of a restored store', () => {
  const restoredAt = later + minute;
  const unpaid = (task: Task): Task => ({ ...task, traits: { ...task.traits, isPaid: false } });

  it('What was about to be sent, or was waiting, has an unknown outcome, and only the latter may have another key', () => {
    const submitting = markRestored(buildTask(), restoredAt);
    expect(submitting).toMatchObject({
      state: 'unconfirmed',
      restored: { at: restoredAt },
      times: { ended: restoredAt },
    });
    expect(submitting.restored).not.toHaveProperty('wasWaiting');
    const waiting = markRestored(setPosition(markWaiting(buildTask()), 1), restoredAt);
    expect(waiting).toMatchObject({ state: 'unconfirmed', restored: { at: restoredAt, wasWaiting: true } });
    expect(waiting).not.toHaveProperty('place');
  });

  it('A task that costs nothing stays as it is', () => {
    expect(markRestored(unpaid(buildTask()), restoredAt)).toMatchObject({
      state: 'submitting',
      restored: { at: restoredAt },
    });
  });

  it('Words that came with the order and were not sent can only be sent by the member', () => {
    const withWords = (times: object): Task =>
      buildTask({
        state: 'accepted',
        request: { prompt: 'a fox', words: 'a hare' },
        times: { created: start, ...times },
      });
    expect(markRestored(withWords({}), restoredAt).times.wordsLost).toBe(restoredAt);
    expect(markRestored(withWords({ wordsLost: later }), restoredAt).times.wordsLost).toBe(later);
    expect(markRestored(withWords({ wordsSent: later }), restoredAt).times.wordsLost).toBeUndefined();
    expect(markRestored(withWords({ wordsTaken: later }), restoredAt).times.wordsLost).toBeUndefined();
    expect(markRestored(acceptedTask(), restoredAt).times.wordsLost).toBeUndefined();
  });

  it('A ping that was due counts as sent, and a voice message does not', () => {
    const pingDue = markPingDue(endedTask('ready'), message, later);
    expect(markRestored(pingDue, restoredAt).delivery.call).toEqual({ shownAt: later, goingAt: 0 });
    const voice = { seconds: 1, waveform: 'AAAA', sound: 'AAAA' };
    const withVoice: Task = { ...pingDue, answer: { rounds: [], draft: '', without: [], parts: [], voice } };
    expect(markRestored(withVoice, restoredAt).delivery.call).toEqual({ shownAt: later });
    expect(markRestored(endedTask('ready'), restoredAt)).toMatchObject({
      state: 'ready',
      restored: { at: restoredAt },
    });
  });
});

describe('The time that a decision took', () => {
  it('An unknown outcome is released once, unless it was repeated', () => {
    const task = endedTask('unconfirmed');
    const released = markReleased(task, later);
    expect(released.releasedAt).toBe(later);
    expect(markReleased(released, later + 1)).toBe(released);
    const repeated = setSuccessor(task, 'b');
    expect(repeated.isRepeated).toBe(true);
    expect(markReleased(repeated, later)).toBe(repeated);
    expect(setSuccessor(repeated, undefined).isRepeated).toBeUndefined();
    const ready = endedTask('ready');
    expect(markReleased(ready, later)).toBe(ready);
  });

  it('A task is handed over, or marked for erasure, once', () => {
    const handedOver = markHandedOver(endedTask('unconfirmed'));
    expect(handedOver.handedOver).toBe(true);
    expect(markHandedOver(handedOver)).toBe(handedOver);
    const unwanted = markForErasure(acceptedTask());
    expect(unwanted.unwanted).toBe(true);
    expect(markForErasure(unwanted)).toBe(unwanted);
  });

  it('A job that never ends is given up without being repeated, and one that has ended is not', () => {
    expect(markGivenUp(acceptedTask(), later)).toMatchObject({
      state: 'expired',
      failure: { cause: 'unconfirmed' },
      times: { ended: later },
    });
    const ready = endedTask('ready');
    expect(markGivenUp(ready, later)).toBe(ready);
  });

  it('Notes about references are replaced, and removed with an undefined list', () => {
    const noted = setReferenceNotes(acceptedTask(), ['a.png is gone']);
    expect(noted.referenceNotes).toEqual(['a.png is gone']);
    expect(setReferenceNotes(noted, undefined)).not.toHaveProperty('referenceNotes');
  });
});

describe('A task that is missing from lists', () => {
  const unknown = (answers: number, since = start): Task => ({ ...acceptedTask(), unknown: { answers, since } });

  it('Lists alone never fail it: they count as all but the last of five responses', () => {
    expect(countMissing(acceptedTask(), later).unknown).toEqual({ answers: 1, since: later });
    expect(countMissing(unknown(3), later).unknown).toEqual({ answers: 4, since: start });
    const four = unknown(4);
    expect(countMissing(four, later + 60 * minute)).toBe(four);
    const ready = endedTask('ready');
    expect(countMissing(ready, later)).toBe(ready);
  });

  it('The fifth response that does not know the task fails it after five minutes', () => {
    const isLast = (task: Task, ms: number): boolean => isLastMiss(task, start + ms);
    expect(isLast(unknown(4), 5 * minute)).toBe(true);
    expect(isLast(unknown(4), 5 * minute - 1)).toBe(false);
    expect(isLast(unknown(3), 5 * minute)).toBe(false);
    expect(isLast(acceptedTask(), 5 * minute)).toBe(false);
    expect(countNotFound(unknown(4), start + 5 * minute)).toMatchObject({ state: 'failed', unknown: { answers: 5 } });
    expect(countNotFound(unknown(4), start + 5 * minute - 1)).toMatchObject({
      state: 'accepted',
      unknown: { answers: 5 },
    });
  });
});
