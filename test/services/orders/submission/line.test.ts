import { describe, expect, it } from 'vitest';
import { kindsOf } from '../../../../src/commands/index.ts';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import type { Gateway } from '../../../../src/services/gateway/gateway.ts';
import { standingOf } from '../../../../src/services/money/entry.ts';
import type { Kind } from '../../../../src/services/tasks/kind.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { minute, order } from '../builders.ts';
import { createFixture, type Fixture, noCredit, SUBMIT, saturated } from '../fixture.ts';

const OTHER_MEMBER = '100000000000000002';
let orderCount = 0;
const nextOrder = (overrides: Partial<typeof order> = {}): typeof order => ({
  ...order,
  request: { prompt: `a fox ${++orderCount}` },
  ...overrides,
});

const submitCount = ({ gateway }: Fixture): number => gateway.count(SUBMIT);
const stateOf = (fixture: Fixture, { id }: Task): string | undefined =>
  fixture.changes.findLast((task) => task.id === id)?.state;
const waitForState = (fixture: Fixture, task: Task, state: string): Promise<Task> =>
  fixture.until(() => fixture.changes.findLast((change) => change.id === task.id && change.state === state));

async function standings({ store, tasks }: Fixture): Promise<string[]> {
  await tasks.ledger?.flush();
  return (await Array.fromAsync(store.entries.readRange('', '9999'))).map(standingOf).sort();
}

/** Starts a bot that runs one job at a time, and submits its first job. */
async function startWithRunningJob(parts: Parameters<typeof createFixture>[0] = {}) {
  const fixture = await createFixture({ jobsAtOnce: 1, ...parts });
  const running = await fixture.tasks.orders.submit(nextOrder());
  return { fixture, running };
}

describe('A task in the queue', () => {
  it('A task beyond the limit of simultaneous jobs is stored as waiting, reserved and not sent until a job has ended', async () => {
    const { fixture, running } = await startWithRunningJob();
    const task = await fixture.tasks.orders.submit(nextOrder());
    expect(task).toMatchObject({ state: 'waiting', place: 1 });
    expect(await fixture.store.get(task.id)).toMatchObject({ state: 'waiting' });
    expect(await standings(fixture)).toEqual(['reserved', 'reserved']);
    expect(submitCount(fixture)).toBe(1);
    await waitForState(fixture, running, 'ready');
    expect((await waitForState(fixture, task, 'ready')).times.turn).toBeGreaterThan(task.times.created);
    expect(submitCount(fixture)).toBe(2);
    expect(await standings(fixture)).toEqual(['settled', 'settled']);
  });

  it('No more jobs run at a time than the gateway accepts, and all are carried out', async () => {
    const fixture = await createFixture({ jobsAtOnce: 3 });
    const submittedTasks = await Promise.all(
      Array.from({ length: 12 }, () => fixture.tasks.orders.submit(nextOrder())),
    );
    for (const task of submittedTasks) await waitForState(fixture, task, 'ready');
    expect(fixture.jobs.peakCount).toBe(3);
    expect(submitCount(fixture)).toBe(12);
  });

  it('A cancelled task is never sent and its reservation is released, and only its owner can cancel it', async () => {
    const { fixture, running } = await startWithRunningJob();
    const task = await fixture.tasks.orders.submit(nextOrder());
    await expect(fixture.tasks.orders.cancel(task.id, OTHER_MEMBER)).rejects.toMatchObject({
      key: 'refusals.notYours',
    });
    const cancelled = await fixture.tasks.orders.cancel(task.id, task.requesterId);
    expect(cancelled).toMatchObject({ state: 'cancelled', failure: { cause: 'withdrawn' } });
    expect(await standings(fixture)).toEqual(['refunded', 'reserved']);
    await expect(fixture.tasks.orders.cancel(running.id, running.requesterId)).rejects.toMatchObject({
      key: 'refusals.cannotCancel',
    });
    await waitForState(fixture, running, 'ready');
    fixture.clock.advance(minute);
    expect(submitCount(fixture)).toBe(1);
    // The member can request the same again immediately.
    const { kind, request, requesterId, guildId, channelId, route } = task;
    const sameOrder = { kind, request, requesterId, guildId, channelId, route } as typeof order;
    expect((await fixture.tasks.orders.submit(sameOrder)).state).toBe('accepted');
  });

  it('It is estimated when its turn comes, once enough is known of how long jobs take', async () => {
    const { fixture, running } = await startWithRunningJob();
    const { orders, outlook } = fixture.tasks;
    const unknown = await orders.submit(nextOrder());
    expect(outlook.turnAt(unknown)).toBeUndefined();
    for (const task of [running, unknown]) await waitForState(fixture, task, 'ready');
    for (let count = 0; count < 3; count++) await waitForState(fixture, await orders.submit(nextOrder()), 'ready');
    await orders.submit(nextOrder());
    const [first, , , fourth] = [1, 2, 3, 4].map(() => orders.submit(nextOrder()));
    // A wait of seconds is not mentioned.
    expect(outlook.turnAt(await (first as Promise<Task>))).toBeUndefined();
    const wait = (outlook.turnAt(await (fourth as Promise<Task>)) ?? 0) - fixture.clock.now();
    expect(wait).toBeGreaterThan(minute);
    expect(wait).toBeLessThan(2 * minute);
  });

  it('References are checked again when the turn comes, and an expired one ends the task at no cost', async () => {
    let isExpired = false;
    const gather = async () => {
      if (isExpired) throw new Refusal('refusals.imageGone', { name: 'fox.png' });
      return {};
    };
    const { fixture, running } = await startWithRunningJob({ gather });
    const task = await fixture.tasks.orders.submit(nextOrder());
    isExpired = true;
    await waitForState(fixture, running, 'ready');
    expect((await waitForState(fixture, task, 'failed')).failure).toEqual({
      cause: 'refused',
      refusal: { key: 'refusals.imageGone', variables: { name: 'fox.png' } },
    });
    expect(submitCount(fixture)).toBe(1);
    expect(await standings(fixture)).toEqual(['refunded', 'settled']);
  });

  it('A task whose turn comes while the gateway is unreachable goes back into the queue', async () => {
    let isUnreachable = false;
    // The error that results when undici fails to connect.
    const connectionRefused = new GatewayError('The gateway refused the connection.', {
      kind: 'unreachable',
      mayHaveTakenEffect: false,
    });
    const kindsFor = (client: Gateway): Kind[] =>
      kindsOf(client, { imgxLists: false, imagineReferences: 'address', videosBody: 'json' })
        .filter(({ name }) => name === 'imagine')
        .map(
          (kind) =>
            ({
              ...kind,
              submit: async (...args) => (isUnreachable ? Promise.reject(connectionRefused) : kind.submit?.(...args)),
            }) as Kind,
        );
    const { fixture, running } = await startWithRunningJob({ kindsFor });
    const task = await fixture.tasks.orders.submit(nextOrder());
    isUnreachable = true;
    await waitForState(fixture, running, 'ready');
    await fixture.until(() => (fixture.tasks.book.find(task.id)?.returns === 1 ? true : undefined));
    expect(stateOf(fixture, task)).toBe('waiting');
    isUnreachable = false;
    await waitForState(fixture, task, 'ready');
    expect(fixture.jobs.ids).toHaveLength(2);
  });

  it('A task whose files cannot be uploaded is tried again after growing pauses, ends with the reason, and delays no other task', async () => {
    const uploadTimes: number[] = [];
    let isBroken = false;
    const broken = new GatewayError('The upload failed.', { kind: 'unavailable', status: 503 });
    const { fixture, running } = await startWithRunningJob({
      gather: async (_, { memberId }) => {
        if (!isBroken || memberId === OTHER_MEMBER) return {};
        uploadTimes.push(fixture.clock.now());
        throw broken;
      },
    });
    const task = await fixture.tasks.orders.submit(nextOrder());
    const otherTask = await fixture.tasks.orders.submit(nextOrder({ requesterId: OTHER_MEMBER }));
    isBroken = true;
    await waitForState(fixture, running, 'ready');
    const freeAt = fixture.clock.now();
    expect((await waitForState(fixture, otherTask, 'accepted')).times.turn).toBeLessThan(freeAt + 5_000);
    expect(fixture.tasks.orders.line.size).toBe(1);
    await waitForState(fixture, otherTask, 'ready');
    await fixture.until(() => uploadTimes[4]);
    const pauses = uploadTimes.slice(1).map((at, index) => at - (uploadTimes[index] ?? 0));
    for (const [index, pauseMs] of pauses.entries()) expect(pauseMs).toBeGreaterThanOrEqual(5_000 * 2 ** index);
    while (stateOf(fixture, task) !== 'failed') {
      const attempts = uploadTimes.length;
      fixture.clock.advance(10 * minute);
      await fixture.until(() => uploadTimes[attempts] ?? (stateOf(fixture, task) === 'failed' ? true : undefined));
    }
    expect(uploadTimes).toHaveLength(11);
    expect(await waitForState(fixture, task, 'failed')).toMatchObject({
      failure: { cause: 'refused', reason: 'The upload failed.' },
    });
    expect(submitCount(fixture)).toBe(2);
    expect((await standings(fixture)).filter((standing) => standing === 'refunded')).toHaveLength(1);
  });

  it('A task whose files the gateway definitely refuses ends at once', async () => {
    let isRefused = false;
    const gather = async () => {
      if (isRefused) throw new GatewayError('The key is not valid.', { kind: 'unauthorized', status: 401 });
      return {};
    };
    const { fixture, running } = await startWithRunningJob({ gather });
    const task = await fixture.tasks.orders.submit(nextOrder());
    isRefused = true;
    await waitForState(fixture, running, 'ready');
    expect((await waitForState(fixture, task, 'failed')).failure?.reason).toBe('The key is not valid.');
  });

  it('A postponed task can be cancelled, and is then never sent', async () => {
    let isBroken = false;
    const gather = async () => {
      if (isBroken) throw new GatewayError('The upload failed.', { kind: 'unreachable' });
      return {};
    };
    const { fixture, running } = await startWithRunningJob({ gather });
    const task = await fixture.tasks.orders.submit(nextOrder());
    isBroken = true;
    await waitForState(fixture, running, 'ready');
    await fixture.until(() => (fixture.tasks.book.find(task.id)?.returns === 1 ? true : undefined));
    await fixture.tasks.orders.cancel(task.id, task.requesterId);
    isBroken = false;
    expect(fixture.tasks.orders.line.size).toBe(0);
    fixture.clock.advance(minute);
    expect((await fixture.tasks.orders.submit(nextOrder())).state).toBe('accepted');
    expect(submitCount(fixture)).toBe(2);
  });

  it('The erasure of a member’s data removes their tasks from the queue', async () => {
    const { fixture, running } = await startWithRunningJob();
    const task = await fixture.tasks.orders.submit(nextOrder({ requesterId: OTHER_MEMBER }));
    await fixture.tasks.erasure.begin(OTHER_MEMBER, async () => true);
    await fixture.until(() => (fixture.tasks.book.find(task.id) ? undefined : true));
    await waitForState(fixture, running, 'ready');
    fixture.clock.advance(minute);
    expect(submitCount(fixture)).toBe(1);
    expect(await standings(fixture)).toContain('refunded');
  });

  it('Waiting tasks move up in the queue as others start', async () => {
    const { fixture, running } = await startWithRunningJob();
    const first = await fixture.tasks.orders.submit(nextOrder());
    const second = await fixture.tasks.orders.submit(nextOrder());
    expect([first.place, second.place]).toEqual([1, 2]);
    await waitForState(fixture, running, 'ready');
    await fixture.until(() => (fixture.tasks.book.find(second.id)?.place === 1 ? true : undefined));
    expect(stateOf(fixture, second)).toBe('waiting');
  });
});

describe('A gateway that accepts no more tasks', () => {
  it('A task that was refused because the gateway was full waits, and is sent again with the same reservation', async () => {
    const fixture = await createFixture({});
    fixture.gateway.reply(SUBMIT, saturated, saturated);
    const task = await fixture.tasks.orders.submit(nextOrder());
    expect(task).toMatchObject({ state: 'waiting', returns: 1 });
    const nextTask = await fixture.tasks.orders.submit(nextOrder({ requesterId: OTHER_MEMBER }));
    expect(nextTask.state).toBe('waiting');
    await waitForState(fixture, task, 'ready');
    await waitForState(fixture, nextTask, 'ready');
    expect(fixture.jobs.ids).toHaveLength(2);
    expect(submitCount(fixture)).toBe(4);
    expect(await standings(fixture)).toEqual(['settled', 'settled']);
  });

  it('A task is refused, and its reservation released, after it has been returned to the queue a limited number of times', async () => {
    const fixture = await createFixture({});
    fixture.gateway.replyAlways(SUBMIT, saturated);
    const task = await fixture.tasks.orders.submit(nextOrder());
    for (let submits = 1; submits < 11; submits++) {
      fixture.clock.advance(10 * minute);
      await fixture.until(() => (submitCount(fixture) > submits ? true : undefined));
    }
    const refusedTask = await waitForState(fixture, task, 'failed');
    expect(refusedTask.failure).toMatchObject({ cause: 'refused', code: 'saturated' });
    expect(submitCount(fixture)).toBe(11);
    expect(await standings(fixture)).toEqual(['refunded']);
  });

  it('Tasks of other kinds continue while one kind is waiting', async () => {
    const fixture = await createFixture();
    fixture.gateway.reply(SUBMIT, saturated);
    expect((await fixture.tasks.orders.submit(nextOrder())).state).toBe('waiting');
    const request = { prompt: 'a very long prompt about a fox' };
    const shorten = await fixture.tasks.orders.submit({ ...order, kind: 'shorten', request });
    expect(shorten.state).toBe('accepted');
  });
});

describe('An account without credit', () => {
  it('The order is refused and not queued, the kind is paused, the operator is notified once, and one order is let through later', async () => {
    const notified: string[] = [];
    const fixture = await createFixture({});
    fixture.tasks.orders.onCredit((kind, isAvailable) => void (isAvailable || notified.push(kind)));
    fixture.gateway.reply(SUBMIT, noCredit);
    await expect(fixture.tasks.orders.submit(nextOrder())).rejects.toMatchObject({ kind: 'quota' });
    await expect(fixture.tasks.orders.submit(nextOrder())).rejects.toMatchObject({ key: 'refusals.noCredit' });
    expect(fixture.tasks.book.live().length).toBe(0);
    expect(notified).toEqual(['imagine']);
    expect(submitCount(fixture)).toBe(1);
    fixture.clock.advance(2 * minute);
    const { state } = await fixture.tasks.orders.submit(nextOrder());
    expect(['accepted', 'waiting']).toContain(state);
    await fixture.until(() => (fixture.changes.some((task) => task.state === 'ready') ? true : undefined));
    expect((await fixture.tasks.orders.submit(nextOrder())).state).toBe('accepted');
    expect(notified).toEqual(['imagine']);
  });
});
