import { describe, expect, it } from 'vitest';
import type { Task } from '../../../src/services/tasks/task.ts';
import { fixtureWithOrder, minutes, planOf, until } from './integration-fixture.ts';

type Fixture = Awaited<ReturnType<typeof fixtureWithOrder>>;

/** Only messages that show an end have a button that deletes them. */
const plan = (task: Task) => {
  const { controls = [], ...rest } = planOf(task);
  const remove = { type: 'button' as const, id: `delete.1.${task.id}`, label: 'Delete' };
  return { ...rest, controls: task.state === 'ready' ? [...controls, remove] : controls };
};

/** Stops the bot after Discord has shown the end and before the store has recorded it, as when Redis does not respond for longer than a lease. */
async function crashAfterShowing({ task, updateTask, tasks, delivery, timerCount }: Fixture): Promise<Task> {
  tasks.shouldFail = (_, next) => next.times.settled !== undefined || next.delivery.call !== undefined;
  await updateTask(task.id, { state: 'ready' });
  await until(() => timerCount() === 1);
  await delivery.finish();
  tasks.shouldFail = () => false;
  return tasks.get(task.id);
}

/** Stops the bot after it has stored that it is about to show the end, and before Discord has received the request. */
async function crashBeforeShowing({ task, updateTask, tasks, discord, delivery, timerCount }: Fixture): Promise<Task> {
  discord.faults.add({ on: { method: 'PATCH', route: '/webhooks' }, do: { type: 'status', status: 500 }, times: 4 });
  await updateTask(task.id, { state: 'ready' });
  await until(() => timerCount() === 1);
  await delivery.finish();
  return tasks.get(task.id);
}

async function restart({ open: openDelivery, tasks }: Fixture, task: Task): Promise<Task> {
  openDelivery().show(task);
  return tasks.waitUntilSettled(task.id);
}

const HINT = 'perhaps shown';

describe('A result in a message that can only be reached with its token', () => {
  it('After a crash while the token is valid, the same message is edited again, and nothing else is sent', async () => {
    const fixture = await fixtureWithOrder({ plan, order: { isPrivate: true } });
    const readyTask = await crashAfterShowing(fixture);
    const settledTask = await restart(fixture, readyTask);
    expect(settledTask).toMatchObject({ state: 'delivered' });
    expect(settledTask.delivery.unseenSince).toBeUndefined();
    expect(fixture.read()).toEqual([expect.stringContaining('ready')]);
    expect(fixture.directMessages('member')).toEqual([]);
  });

  it.each([
    ['private', { isPrivate: true, by: 'member' }, 'studio'],
    ['in a server without the bot', { by: 'installer' }, 'lobby'],
  ] as const)(
    'After a crash and the expiry of the token, a result that is %s is not shown twice',
    async (_, order, channelName) => {
      const fixture = await fixtureWithOrder({ plan, order });
      const readyTask = await crashAfterShowing(fixture);
      fixture.clock.advance(minutes(15));
      const settledTask = await restart(fixture, readyTask);
      expect(settledTask).toMatchObject({ state: 'ready', delivery: { undeliverable: 'no-way' } });
      expect(fixture.read(channelName)).toEqual([expect.stringContaining('ready')]);
      expect(fixture.directMessages(order.by)).toEqual([expect.stringContaining(HINT)]);
    },
  );

  it('If the result was not shown before the crash, the task’s owner is sent a hint where to find it', async () => {
    const fixture = await fixtureWithOrder({ plan, order: { isPrivate: true } });
    const readyTask = await crashBeforeShowing(fixture);
    fixture.clock.advance(minutes(15));
    await restart(fixture, readyTask);
    expect(fixture.directMessages('member')).toEqual([expect.stringContaining(HINT)]);
  });

  it.each([0, 60])(
    'After a crash and %i minutes of downtime, the task’s owner is not sent a second hint',
    async (downtimeMinutes) => {
      const fixture = await fixtureWithOrder({ plan, order: { isPrivate: true } });
      const readyTask = await crashAfterShowing(fixture);
      const { clock, tasks, open: openDelivery, timerCount } = fixture;
      clock.advance(minutes(15));
      tasks.shouldFail = (_, next) => next.times.settled !== undefined;
      const secondDelivery = openDelivery();
      secondDelivery.show(readyTask);
      await until(() => timerCount() === 1);
      await secondDelivery.finish();
      tasks.shouldFail = () => false;
      clock.advance(minutes(downtimeMinutes));
      expect(await restart(fixture, tasks.get(readyTask.id))).toMatchObject({ delivery: { undeliverable: 'no-way' } });
      expect(fixture.directMessages('member')).toEqual([expect.stringContaining(HINT)]);
    },
  );

  it('An edit whose response was lost does not count as refused if its retry is refused', async () => {
    const fixture = await fixtureWithOrder({ plan, order: { isPrivate: true } });
    const { task, updateTask, tasks, discord, advanceOnceWaiting } = fixture;
    const on = { method: 'PATCH', route: '/webhooks' };
    discord.faults.add({ on, do: { type: 'status', status: 500 } });
    discord.faults.add({ on, do: { type: 'status', status: 401, code: 50_027 } });
    await updateTask(task.id, { state: 'ready' });
    await until(() => fixture.timerCount() === 1);
    discord.expireTokens();
    await advanceOnceWaiting(minutes(1));
    await tasks.waitUntilSettled(task.id);
    expect(fixture.directMessages('member')).toEqual([expect.stringContaining(HINT)]);
  });

  it('A result in a public message is found there even if the id of the message was not stored', async () => {
    const fixture = await fixtureWithOrder({ plan });
    const readyTask = await crashAfterShowing(fixture);
    expect(readyTask.message).toBeUndefined();
    fixture.clock.advance(minutes(15));
    expect(await restart(fixture, readyTask)).toMatchObject({ state: 'delivered' });
    expect(fixture.read()).toEqual([expect.stringContaining('ready')]);
  });
});
