import { describe, expect, it } from 'vitest';
import type { MessagePlan } from '../../../src/discord/plan.ts';
import { createFixture, fixtureWithOrder, minutes, seconds, until } from './integration-fixture.ts';

describe('A delivery that finishes', () => {
  it('A finishing delivery waits for running requests and stores their outcome', async () => {
    const { task, updateTask, tasks, clock, discord, delivery, read, requestsTo } = await fixtureWithOrder();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'delay', ms: 1_000 } });
    await updateTask(task.id, { state: 'ready' });
    await until(() => requestsTo('PATCH', /^/).length === 1);
    const finishing = delivery.finish();
    clock.advance(seconds(1));
    await finishing;
    expect(tasks.get(task.id)).toMatchObject({ state: 'delivered' });
    expect(read()).toEqual([expect.stringContaining('ready')]);
  });

  it('A finishing delivery leaves a delayed result in the store, and the next start delivers it', async () => {
    const {
      timerCount,
      task,
      updateTask,
      tasks,
      discord,
      delivery,
      open: openDelivery,
      writes,
    } = await fixtureWithOrder();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 500 }, times: 4 });
    await updateTask(task.id, { state: 'ready' });
    await until(() => timerCount() === 1);
    await delivery.finish();
    expect(timerCount()).toBe(0);
    const readyTask = tasks.get(task.id);
    expect(readyTask).toMatchObject({ state: 'ready' });
    expect(writes()).toHaveLength(4);
    openDelivery().show(readyTask);
    await tasks.waitUntilSettled(task.id);
    expect(writes()).toHaveLength(5);
  });

  it('A finishing delivery ignores changes that arrive during a running request', async () => {
    const { task, updateTask, tasks, clock, discord, delivery, timerCount, requestsTo, writes } =
      await fixtureWithOrder();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'delay', ms: 1_000 } });
    await updateTask(task.id, { state: 'running', progress: 1 });
    await until(() => requestsTo('PATCH', /^/).length === 1);
    await updateTask(task.id, { state: 'running', progress: 2 });
    const finishing = delivery.finish();
    clock.advance(seconds(1));
    await finishing;
    expect(timerCount()).toBe(0);
    expect(writes()).toHaveLength(1);
    expect(tasks.get(task.id).delivery.progressEdits).toBe(1);
  });

  it('A finishing delivery does not wait for the retry of a failed request', async () => {
    const preparation = Promise.withResolvers<MessagePlan>();
    const { task, updateTask, delivery, timerCount, tasks } = await fixtureWithOrder({
      plan: () => preparation.promise,
    });
    await updateTask(task.id, { state: 'ready' });
    const finishing = delivery.finish();
    preparation.reject(new Error('The gateway was closed.'));
    await finishing;
    expect(timerCount()).toBe(0);
    expect(tasks.get(task.id)).toMatchObject({ state: 'ready' });
  });

  it('A finishing delivery shows no pending progress, sets no timer and accepts no changes', async () => {
    const { timerCount, task, updateTask, tasks, clock, delivery, writes } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 1 });
    await tasks.waitForEdits(task.id, 1);
    await updateTask(task.id, { state: 'running', progress: 2 });
    expect(timerCount()).toBe(1);
    await delivery.finish();
    expect(timerCount()).toBe(0);
    await updateTask(task.id, { state: 'ready' });
    clock.advance(minutes(10));
    await delivery.finish();
    expect(writes()).toHaveLength(1);
    expect(tasks.get(task.id)).toMatchObject({ state: 'ready' });
  });

  it('A delivery keeps no settled task in memory', async () => {
    const { timerCount, order, updateTask, tasks, delivery } = await createFixture();
    const orders = [await order(), await order(), await order()];
    for (const { task } of orders) {
      await updateTask(task.id, { state: 'running' });
      await tasks.waitForEdits(task.id, 1);
      await updateTask(task.id, { state: 'running', progress: 50 });
      await updateTask(task.id, { state: 'ready' });
      await tasks.waitUntilSettled(task.id);
    }
    expect(timerCount()).toBe(0);
    const changesBefore = tasks.attemptedChanges;
    // A task that is still remembered as ended would not be read again.
    for (const { task } of orders) delivery.show({ ...task, state: 'ready' });
    expect(tasks.attemptedChanges).toBe(changesBefore + 3);
    await delivery.finish();
  });
});
