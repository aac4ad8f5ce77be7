import { PermissionFlagsBits as Permission } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { customId } from '../../../src/discord/custom-ids.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { fixtureWithOrder, minutes, planOf, seconds, until } from './integration-fixture.ts';

type Fixture = Awaited<ReturnType<typeof fixtureWithOrder>>;

/** Stops the bot after Discord has accepted the message and before the store has recorded it. */
async function crashAfterPosting({ task, updateTask, tasks, clock, delivery, timerCount }: Fixture): Promise<Task> {
  clock.advance(minutes(15));
  tasks.shouldFail = (_, next) => next.times.settled !== undefined;
  await updateTask(task.id, { state: 'ready' });
  await until(() => timerCount() === 1);
  await delivery.finish();
  tasks.shouldFail = () => false;
  expect(tasks.get(task.id)).toMatchObject({ state: 'ready', delivery: { intention: { nonce: task.id } } });
  return tasks.get(task.id);
}

/** Stops the bot after it has stored its intention to post, and before Discord has received the request. */
async function crashBeforePosting({
  task,
  updateTask,
  tasks,
  clock,
  discord,
  delivery,
  timerCount,
}: Fixture): Promise<Task> {
  clock.advance(minutes(15));
  discord.faults.add({ on: { method: 'POST', route: '/channels' }, do: { type: 'status', status: 500 }, times: 4 });
  await updateTask(task.id, { state: 'ready' });
  await until(() => timerCount() === 1);
  await delivery.finish();
  return tasks.get(task.id);
}

const posts = ({ writes }: Fixture) => writes().filter(({ method, status }) => method === 'POST' && status === 200);

describe('Posting a new message', () => {
  it.each([0, 60, 60 * 24 * 30])(
    'After a crash and %i minutes of downtime, a new message is found and not posted twice',
    async (downtimeMinutes) => {
      const fixture = await fixtureWithOrder();
      const readyTask = await crashAfterPosting(fixture);
      const [, postedMessage] = fixture.discord.messages('studio');
      fixture.clock.advance(minutes(downtimeMinutes));
      fixture.open().show(readyTask);
      const settledTask = await fixture.tasks.waitUntilSettled(readyTask.id);
      expect(settledTask).toMatchObject({ state: 'delivered', message: { id: postedMessage?.id } });
      expect(settledTask.delivery.intention).toBeUndefined();
      expect(posts(fixture)).toHaveLength(1);
      expect(fixture.discord.messages('studio')).toHaveLength(2);
    },
  );

  it('After a crash, a new direct message is found and not posted twice', async () => {
    const fixture = await fixtureWithOrder({ order: { isPrivate: true } });
    const readyTask = await crashAfterPosting(fixture);
    expect(readyTask.delivery.intention?.by).toBe('direct');
    fixture.clock.advance(minutes(60));
    fixture.open().show(readyTask);
    await fixture.tasks.waitUntilSettled(readyTask.id);
    expect(fixture.directMessages('member')).toHaveLength(1);
    expect(posts(fixture)).toHaveLength(1);
  });

  it('A new message is found among later messages from other members, page by page', async () => {
    const fixture = await fixtureWithOrder();
    const readyTask = await crashAfterPosting(fixture);
    for (let count = 0; count < 250; count++) await fixture.discord.as('other').say(`and ${count}`);
    fixture.clock.advance(minutes(60));
    fixture.open().show(readyTask);
    await fixture.tasks.waitUntilSettled(readyTask.id);
    expect(posts(fixture)).toHaveLength(1);
    expect(fixture.requestsTo('GET', /^\/channels\/\d+\/messages/)).toHaveLength(3);
  });

  it('The search for a new message goes back only to when the bot stored its intention to post it', async () => {
    const fixture = await fixtureWithOrder();
    for (let count = 0; count < 150; count++) await fixture.discord.as('other').say(`before ${count}`);
    const readyTask = await crashBeforePosting(fixture);
    fixture.clock.advance(minutes(60));
    fixture.open().show(readyTask);
    await fixture.tasks.waitUntilSettled(readyTask.id);
    expect(fixture.requestsTo('GET', /^\/channels\/\d+\/messages/)).toHaveLength(1);
    expect(posts(fixture)).toHaveLength(1);
  });

  it('The deferred reply is not mistaken for the new message, although it contains the same task id', async () => {
    const fixture = await fixtureWithOrder();
    const { task, updateTask, tasks, discord } = fixture;
    // The first edit arrived, but not the response with its id, and then Discord expired the token early.
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'reset', done: true } });
    await updateTask(task.id, { state: 'running' });
    await until(() => fixture.logText().includes('Progress was not shown'));
    discord.expireTokens();
    discord.faults.add({ on: { method: 'POST', route: '/channels' }, do: { type: 'status', status: 500 }, times: 4 });
    await updateTask(task.id, { state: 'ready' });
    await fixture.advanceOnceWaiting(seconds(5));
    await tasks.waitUntilSettled(task.id);
    expect(fixture.read()).toEqual([expect.stringContaining('running'), expect.stringContaining('ready')]);
  });

  it('A message from another member, or for another task, is not mistaken for the new message', async () => {
    const fixture = await fixtureWithOrder();
    const { rest, channel, clock, task } = fixture;
    const readyTask = await crashBeforePosting(fixture);
    await fixture.discord.as('other').say(`act.1.${task.id}`);
    const button = (id: string) => ({ type: 2, style: 2, label: 'U1', custom_id: customId('act', 1, id) });
    clock.advance(seconds(10));
    await rest.post(`/channels/${channel.id}/messages`, {
      body: { content: 'another', components: [{ type: 1, components: [button(`${task.id}x`)] }] },
    });
    fixture.open().show(readyTask);
    await fixture.tasks.waitUntilSettled(task.id);
    expect(fixture.read()).toHaveLength(4);
    expect(fixture.read().at(-1)).toContain('ready');
  });

  it('A new message is found by its custom ids even if its buttons were turned into select menu options for lack of space', async () => {
    const fixture = await fixtureWithOrder({
      plan: (task) => ({
        content: task.state,
        controls: Array.from({ length: 26 }, (_, index) => ({
          type: 'button' as const,
          id: customId('act', 1, task.id, String(index)),
          label: `B${index}`,
        })),
      }),
    });
    const readyTask = await crashAfterPosting(fixture);
    fixture.clock.advance(minutes(60));
    fixture.open().show(readyTask);
    await fixture.tasks.waitUntilSettled(readyTask.id);
    expect(posts(fixture)).toHaveLength(1);
  });

  it('If the bot is not allowed to read the channel, the message is posted with the same nonce and Discord returns the first one', async () => {
    const fixture = await fixtureWithOrder();
    const readyTask = await crashAfterPosting(fixture);
    const [, postedMessage] = fixture.discord.messages('studio');
    fixture.deny(Permission.ReadMessageHistory);
    fixture.open().show(readyTask);
    expect((await fixture.tasks.waitUntilSettled(readyTask.id)).message?.id).toBe(postedMessage?.id);
    expect(fixture.discord.messages('studio')).toHaveLength(2);
  });

  it('A new message is posted only once even if Discord’s response is lost', async () => {
    const fixture = await fixtureWithOrder();
    const { task, updateTask, tasks, clock, discord, advanceOnceWaiting } = fixture;
    clock.advance(minutes(15));
    discord.faults.add({ on: { method: 'POST', route: '/channels' }, do: { type: 'reset', done: true } });
    await updateTask(task.id, { state: 'ready' });
    await advanceOnceWaiting(seconds(5));
    const { message } = await tasks.waitUntilSettled(task.id);
    expect(discord.messages('studio').map(({ id }) => id)).toEqual([expect.any(String), message?.id]);
  });

  it('A new message is posted only once even if discord.js retries the request', async () => {
    const fixture = await fixtureWithOrder();
    const { task, updateTask, tasks, clock, timeOutSoon, discord, read } = fixture;
    timeOutSoon();
    clock.advance(minutes(15));
    discord.faults.add({ on: { method: 'POST', route: '/channels' }, do: { type: 'hang', done: true }, times: 2 });
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(read()).toHaveLength(2);
  });

  it('A message is not posted while it is impossible to check whether it exists', async () => {
    const fixture = await fixtureWithOrder();
    const readyTask = await crashAfterPosting(fixture);
    fixture.clock.advance(minutes(60));
    fixture.discord.faults.add({
      on: { method: 'GET', route: '/channels' },
      do: { type: 'status', status: 500 },
      times: 4,
    });
    fixture.open().show(readyTask);
    await fixture.advanceOnceWaiting(seconds(5));
    await fixture.tasks.waitUntilSettled(readyTask.id);
    expect(posts(fixture)).toHaveLength(1);
  });

  it('If the message is found, no result is prepared for it', async () => {
    const fixture = await fixtureWithOrder({ plan: planOf });
    const readyTask = await crashAfterPosting(fixture);
    const preparedBefore = fixture.preparedCount();
    fixture.open().show(readyTask);
    await fixture.tasks.waitUntilSettled(readyTask.id);
    expect(fixture.preparedCount()).toBe(preparedBefore);
  });
});
