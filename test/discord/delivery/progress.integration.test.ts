import { PermissionFlagsBits as Permission, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { fixtureWithOrder, isDeferred, minutes, planOf, seconds, until } from './integration-fixture.ts';

const editTimes = [0, 4, 10, 25, 62.5, 156.25, 390.625].map(seconds);

describe('Progress edits', () => {
  it('Progress is shown immediately, and the response to the first edit supplies the id of the message', async () => {
    const { task, updateTask, tasks, discord, read, channel } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    const updatedTask = await tasks.waitForEdits(task.id, 1);
    const [message] = discord.messages('studio');
    expect(read()).toEqual([expect.stringContaining('running 10')]);
    expect(updatedTask.message).toEqual({ channelId: channel.id, id: message?.id });
  });

  it('Progress edits show only the latest state, and at most seven are made before the wait limit', async () => {
    const { task, updateTask, tasks, clock, writes, writtenContents } = await fixtureWithOrder();
    const start = clock.now();
    for (const [index, at] of editTimes.entries()) {
      await updateTask(task.id, { state: 'running', progress: index });
      await updateTask(task.id, { state: 'running', progress: index + 0.5 });
      clock.advance(start + at - clock.now());
      await tasks.waitForEdits(task.id, index + 1);
    }
    await updateTask(task.id, { state: 'running', progress: 99 });
    clock.advance(minutes(20));
    await updateTask(task.id, { times: { ...task.times, overdue: clock.now() }, progress: 99 });
    await tasks.waitForEdits(task.id, 8);
    await updateTask(task.id, { state: 'running', progress: 100 });
    clock.advance(minutes(600));
    expect(writes().map(({ at }) => at - start)).toEqual([...editTimes, minutes(20) + (editTimes.at(-1) ?? 0)]);
    expect(writtenContents()).toEqual([0, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 99].map((one) => `running ${one}`));
  });

  it('Progress is not shown again if nothing has changed', async () => {
    const { task, updateTask, tasks, clock, writtenContents, preparedCount } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    clock.advance(seconds(10));
    await updateTask(task.id, { state: 'running', polls: 2 });
    await until(() => preparedCount() === 2);
    clock.advance(seconds(60));
    await updateTask(task.id, { state: 'running', progress: 20 });
    await until(() => preparedCount() === 3);
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(writtenContents()).toEqual(['running 10', 'running 20', 'ready 20']);
  });

  it('Progress that is being prepared when the job ends is not shown', async () => {
    const preparation = Promise.withResolvers<void>();
    const { task, updateTask, tasks, writtenContents, preparedCount } = await fixtureWithOrder({
      plan: async (one) => {
        if (one.state === 'running') await preparation.promise;
        return planOf(one);
      },
    });
    await updateTask(task.id, { state: 'running' });
    await updateTask(task.id, { state: 'ready' });
    preparation.resolve();
    await tasks.waitUntilSettled(task.id);
    expect(preparedCount()).toBe(2);
    expect(writtenContents()).toEqual(['ready']);
  });

  it('The count of progress edits continues after a restart', async () => {
    const { task, updateTask, tasks, clock, open: openDelivery, writtenContents } = await fixtureWithOrder();
    tasks.put({ ...task, delivery: { progressEdits: 6 } });
    const secondDelivery = openDelivery();
    await updateTask(task.id, { state: 'running', progress: 70 }, secondDelivery);
    clock.advance(seconds(4));
    await tasks.waitForEdits(task.id, 7);
    await updateTask(task.id, { state: 'running', progress: 80 }, secondDelivery);
    clock.advance(minutes(10));
    await updateTask(task.id, { state: 'ready' }, secondDelivery);
    await tasks.waitUntilSettled(task.id);
    expect(writtenContents()).toEqual(['running 70', 'ready 80']);
  });

  it('A pending progress edit is dropped when the job ends', async () => {
    const { task, updateTask, tasks, clock, writtenContents } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    await updateTask(task.id, { state: 'running', progress: 20 });
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    clock.advance(minutes(10));
    expect(writtenContents()).toEqual(['running 10', 'ready 20']);
  });

  it('Late progress does not overwrite the result', async () => {
    const { task, updateTask, tasks, clock, discord, delivery, requestsTo, read } = await fixtureWithOrder();
    const running = { ...task, state: 'running' } as const;
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'delay', ms: 1_000 } });
    await updateTask(task.id, { state: 'ready' });
    await until(() => requestsTo('PATCH', /^/).length === 1);
    delivery.show(running);
    clock.advance(seconds(1));
    await tasks.waitUntilSettled(task.id);
    await delivery.finish();
    expect(read()).toEqual([expect.stringContaining('ready')]);
    expect(requestsTo('PATCH', /^/)).toHaveLength(1);
  });

  it('A running progress edit is awaited, so it cannot overwrite the result', async () => {
    const { task, updateTask, tasks, clock, discord, read, requestsTo, preparedCount } = await fixtureWithOrder();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'delay', ms: 1_000 } });
    await updateTask(task.id, { state: 'running', progress: 10 });
    await until(() => requestsTo('PATCH', /^/).length === 1);
    await updateTask(task.id, { state: 'ready' });
    expect(preparedCount()).toBe(1);
    clock.advance(1_000);
    await tasks.waitUntilSettled(task.id);
    expect(read()[0]).toContain('ready');
    expect(discord.messages('studio')[0]).toMatchObject({ edited: true });
  });

  it('A failed progress edit is ignored, and the next one is made', async () => {
    const { task, updateTask, tasks, clock, discord, logText, read } = await fixtureWithOrder();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 503 }, times: 4 });
    await updateTask(task.id, { state: 'running', progress: 10 });
    await until(() => logText().includes('Progress was not shown'));
    clock.advance(seconds(10));
    await updateTask(task.id, { state: 'running', progress: 20 });
    await tasks.waitForEdits(task.id, 1);
    expect(read()[0]).toContain('running 20');
    expect(logText()).toContain('"status":503');
  });

  it('After the first refusal the token is never used again, and progress continues with the bot token if the message is known', async () => {
    const { task, updateTask, tasks, clock, discord, read, requestsTo } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    discord.expireTokens();
    clock.advance(seconds(5));
    await updateTask(task.id, { state: 'running', progress: 20 });
    await until(() => tasks.get(task.id).route.token === undefined);
    clock.advance(seconds(60));
    await updateTask(task.id, { state: 'running', progress: 30 });
    await tasks.waitForEdits(task.id, 2);
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(requestsTo('PATCH', /^\/webhooks/).map(({ status }) => status)).toEqual([200, 401]);
    expect(requestsTo('PATCH', /^\/channels/).map(({ status }) => status)).toEqual([200, 200]);
    expect(read()[0]).toContain('ready');
  });

  it('Progress is skipped if no message can be edited, and no new message is posted', async () => {
    const { task, updateTask, tasks, clock, discord, writes } = await fixtureWithOrder();
    clock.advance(minutes(14));
    await updateTask(task.id, { state: 'running', progress: 10 });
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ method, route }) => `${method} ${route}`)).toEqual(['POST /channels/:channel/messages']);
    expect(isDeferred(discord.messages('studio')[0] ?? {})).toBe(true);
  });

  it('Progress of a private task stops when its token expires', async () => {
    const { task, updateTask, tasks, clock, writes } = await fixtureWithOrder({ order: { isPrivate: true } });
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    clock.advance(minutes(14));
    await updateTask(task.id, { state: 'running', progress: 90 });
    clock.advance(minutes(60));
    await updateTask(task.id, { state: 'failed', failure: { cause: 'failed' } });
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ route }) => route)).toEqual([
      '/webhooks/:application/:token/messages/:message',
      '/channels/:channel/messages',
    ]);
  });

  it('Progress stops when the bot loses access to the channel, and only the result is retried', async () => {
    const { task, updateTask, tasks, clock, discord, deny, channel, logText, writes, read } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    clock.advance(minutes(14));
    deny(Permission.ViewChannel);
    await updateTask(task.id, { state: 'running', progress: 20 });
    await until(() => logText().includes('"trouble":"no-access"'));
    clock.advance(minutes(60));
    await updateTask(task.id, { state: 'running', progress: 30 });
    clock.advance(minutes(60));
    discord.world.channel(channel.id).overwrites.pop();
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ status }) => status)).toEqual([200, 403, 200]);
    expect(read()).toEqual([expect.stringContaining('ready')]);
  });

  it('Progress and result stop when the message is deleted', async () => {
    const { task, updateTask, tasks, clock, rest, discord, logText, writes } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    const { message } = await tasks.waitForEdits(task.id, 1);
    await rest.delete(Routes.channelMessage(message?.channelId ?? '', message?.id ?? ''));
    clock.advance(seconds(5));
    await updateTask(task.id, { state: 'running', progress: 20 });
    await until(() => logText().includes('"trouble":"deleted"'));
    clock.advance(minutes(1));
    await updateTask(task.id, { state: 'running', progress: 30 });
    await updateTask(task.id, { state: 'ready' });
    const settledTask = await tasks.waitUntilSettled(task.id);
    expect(settledTask).toMatchObject({ state: 'ready', delivery: { undeliverable: 'deleted' } });
    expect(writes().map(({ status }) => status)).toEqual([200, 404]);
    expect(discord.messages('studio')).toEqual([]);
  });

  it('Progress that cannot be prepared is logged with a reference, and the result is still shown', async () => {
    const { task, updateTask, tasks, logText } = await fixtureWithOrder({
      plan: (task) => {
        if (task.state === 'running') throw new TypeError('a bug in a view');
        return planOf(task);
      },
    });
    await updateTask(task.id, { state: 'running' });
    await updateTask(task.id, { state: 'ready' });
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
    expect(logText()).toMatch(/"reference":"[0-9a-f]{8}".*a bug in a view/);
  });

  it('A progress edit counts even if the store cannot record it', async () => {
    const { task, updateTask, tasks, clock, logText, writtenContents, preparedCount } = await fixtureWithOrder();
    const start = clock.now();
    for (const [index, at] of editTimes.entries()) {
      await updateTask(task.id, { state: 'running', progress: index });
      clock.advance(start + at - clock.now());
      await until(() => writtenContents().length > index);
      if (index === 0) await tasks.waitForEdits(task.id, 1);
      tasks.shouldFail = (previous, next) => next.delivery.progressEdits !== previous.delivery.progressEdits;
      await until(() => tasks.failures === index);
    }
    await updateTask(task.id, { state: 'running', progress: 99 });
    clock.advance(minutes(60));
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(writtenContents()).toEqual([...editTimes.map((_, index) => `running ${index}`), 'ready 99']);
    expect(preparedCount()).toBe(8);
    expect(logText()).toContain('could not be stored');
  });

  it('An expired token is not used again, even if the store cannot record that it has expired', async () => {
    const { task, updateTask, tasks, clock, discord, writtenContents, requestsTo } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    discord.expireTokens();
    tasks.shouldFail = (_, next) => next.route.token === undefined && next.state === 'running';
    clock.advance(seconds(5));
    await updateTask(task.id, { state: 'running', progress: 20 });
    await until(() => tasks.failures === 1);
    clock.advance(seconds(60));
    await updateTask(task.id, { state: 'running', progress: 30 });
    await tasks.waitForEdits(task.id, 2);
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(writtenContents()).toEqual(['running 10', 'running 20', 'running 30', 'ready 30']);
    expect(requestsTo('PATCH', /^\/webhooks/).map(({ status }) => status)).toEqual([200, 401]);
  });
});
