import { describe, expect, it } from 'vitest';
import type { MessagePlan } from '../../../src/discord/plan.ts';
import { minutes, ordered, scene, seconds, until } from './scene.ts';

describe('a delivery that finishes', () => {
  it('A delivery that finishes waits for what is under way, and stores what came of it', async () => {
    const { task, tell, shelf, clock, discord, delivery, read, heardOf } = await ordered();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'delay', ms: 1_000 } });
    await tell(task.id, { state: 'ready' });
    await until(() => heardOf('PATCH', /^/).length === 1);
    const finished = delivery.finish();
    clock.advance(seconds(1));
    await finished;
    expect(shelf.get(task.id)).toMatchObject({ state: 'delivered' });
    expect(read()).toEqual([expect.stringContaining('ready')]);
  });

  it('A delivery that finishes leaves an end that has to wait in the store, and the next start brings it out', async () => {
    const { timers, task, tell, shelf, discord, delivery, open, writes } = await ordered();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 500 }, times: 4 });
    await tell(task.id, { state: 'ready' });
    await until(() => timers() === 1);
    await delivery.finish();
    expect(timers()).toBe(0);
    const ready = shelf.get(task.id);
    expect(ready).toMatchObject({ state: 'ready' });
    expect(writes()).toHaveLength(4);
    open().show(ready);
    await shelf.settled(task.id);
    expect(writes()).toHaveLength(5);
  });

  it('A delivery that finishes leaves the news that came while something was under way', async () => {
    const { task, tell, shelf, clock, discord, delivery, timers, heardOf, writes } = await ordered();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'delay', ms: 1_000 } });
    await tell(task.id, { state: 'running', progress: 1 });
    await until(() => heardOf('PATCH', /^/).length === 1);
    await tell(task.id, { state: 'running', progress: 2 });
    const finished = delivery.finish();
    clock.advance(seconds(1));
    await finished;
    expect(timers()).toBe(0);
    expect(writes()).toHaveLength(1);
    expect(shelf.get(task.id).delivery.progressEdits).toBe(1);
  });

  it('A delivery that finishes does not wait for another try of what fails meanwhile', async () => {
    const slow = Promise.withResolvers<MessagePlan>();
    const { task, tell, delivery, timers, shelf } = await ordered({ plan: () => slow.promise });
    await tell(task.id, { state: 'ready' });
    const finished = delivery.finish();
    slow.reject(new Error('The gateway was closed.'));
    await finished;
    expect(timers()).toBe(0);
    expect(shelf.get(task.id)).toMatchObject({ state: 'ready' });
  });

  it('A delivery that finishes shows no progress that was waiting, sets no timer and takes nothing new', async () => {
    const { timers, task, tell, shelf, clock, delivery, writes } = await ordered();
    await tell(task.id, { state: 'running', progress: 1 });
    await shelf.edits(task.id, 1);
    await tell(task.id, { state: 'running', progress: 2 });
    expect(timers()).toBe(1);
    await delivery.finish();
    expect(timers()).toBe(0);
    await tell(task.id, { state: 'ready' });
    clock.advance(minutes(10));
    await delivery.finish();
    expect(writes()).toHaveLength(1);
    expect(shelf.get(task.id)).toMatchObject({ state: 'ready' });
  });

  it('A delivery that finishes lets go of every task that is settled', async () => {
    const { timers, order, tell, shelf, delivery } = await scene();
    const orders = [await order(), await order(), await order()];
    for (const { task } of orders) {
      await tell(task.id, { state: 'running' });
      await shelf.edits(task.id, 1);
      await tell(task.id, { state: 'running', progress: 50 });
      await tell(task.id, { state: 'ready' });
      await shelf.settled(task.id);
    }
    expect(timers()).toBe(0);
    const asked = shelf.asked;
    // Anyone who is still remembered as ended would not be looked up again.
    for (const { task } of orders) delivery.show({ ...task, state: 'ready' });
    expect(shelf.asked).toBe(asked + 3);
    await delivery.finish();
  });
});
