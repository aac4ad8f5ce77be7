import { PermissionFlagsBits as Permission, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { markDismissed } from '../../../src/services/tasks/transitions.ts';
import { fixtureWithOrder, minutes, planWithFile, seconds } from './integration-fixture.ts';

const failedChange = { state: 'failed', failure: { cause: 'failed' } } as const;

describe('The delivery of a result', () => {
  it('A result is shown in the deferred reply with its files, and the task is settled once', async () => {
    const { task, exchange, updateTask, tasks, writes, read, channel } = await fixtureWithOrder({ plan: planWithFile });
    await updateTask(task.id, { state: 'ready' });
    const settledTask = await tasks.waitUntilSettled(task.id);
    const message = await exchange.message();
    expect(read()).toEqual([expect.stringContaining('ready')]);
    expect(message.attachments.map(({ filename, description }) => [filename, description])).toEqual([
      ['boat.png', 'a boat'],
    ]);
    expect(settledTask).toMatchObject({ state: 'delivered', message: { id: message.id, channelId: channel.id } });
    expect(settledTask.route.token).toBeUndefined();
    expect(writes()).toHaveLength(1);
  });

  it('A failure is shown like a result, and the task stays failed', async () => {
    const { task, updateTask, tasks, read } = await fixtureWithOrder({ order: { isPrivate: true } });
    await updateTask(task.id, failedChange);
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'failed' });
    expect(read()).toEqual([expect.stringContaining('failed')]);
  });

  it('The result of a button press is shown in the pressed message, regardless of its author', async () => {
    const { task, updateTask, tasks, clock, discord, press } = await fixtureWithOrder();
    clock.advance(minutes(15));
    await updateTask(task.id, { state: 'ready' });
    const { message } = await tasks.waitUntilSettled(task.id);
    clock.advance(minutes(60));
    const pressed = await press({ id: message?.id ?? '' }, 'U1', 'other');
    await updateTask(pressed.task.id, { state: 'running', progress: 5 });
    await tasks.waitForEdits(pressed.task.id, 1);
    await updateTask(pressed.task.id, { state: 'ready', progress: 100 });
    await tasks.waitUntilSettled(pressed.task.id);
    expect(discord.messages('studio').map(({ id, content }) => [id, content])).toEqual([
      [expect.any(String), ''],
      [message?.id, 'ready 100'],
    ]);
  });

  it('Shortly before the token expires, the bot token edits the channel message without a preceding request', async () => {
    const { task, updateTask, tasks, clock, discord, read, requestsTo } = await fixtureWithOrder({
      plan: planWithFile,
    });
    await updateTask(task.id, { state: 'running', progress: 10 });
    const { message } = await tasks.waitForEdits(task.id, 1);
    clock.advance(minutes(14));
    await updateTask(task.id, { state: 'ready' });
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered', message });
    expect(requestsTo('PATCH', /^\/webhooks/)).toHaveLength(1);
    expect(read()).toEqual([expect.stringContaining('ready')]);
    expect(discord.messages('studio')[0]?.attachments).toHaveLength(1);
    expect(discord.requests.filter(({ status }) => status >= 400)).toEqual([]);
  });

  it('The interaction token is used for a result until one minute before the token expires', async () => {
    const { task, updateTask, tasks, clock, requestsTo } = await fixtureWithOrder();
    clock.advance(minutes(14) - 1);
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(requestsTo('PATCH', /^\/webhooks/).map(({ status }) => status)).toEqual([200]);
  });

  it('If Discord expires the token early, the bot token is used and the token is dropped immediately', async () => {
    const { advanceOnceWaiting, task, updateTask, tasks, discord, writes } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    discord.expireTokens();
    discord.faults.add({ on: { method: 'PATCH', route: '/channels' }, do: { type: 'status', status: 502 }, times: 4 });
    await updateTask(task.id, { state: 'ready' });
    await advanceOnceWaiting(seconds(5));
    expect(tasks.get(task.id).route.token).toBeUndefined();
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ status }) => status)).toEqual([200, 401, 502, 502, 502, 502, 200]);
  });

  it('If no message is known, the result is a new message that pings no one', async () => {
    const { task, updateTask, tasks, clock, discord, writes, channel } = await fixtureWithOrder({ plan: planWithFile });
    clock.advance(minutes(20));
    await updateTask(task.id, { state: 'ready' });
    const settledTask = await tasks.waitUntilSettled(task.id);
    const [original, message] = discord.messages('studio');
    expect(settledTask).toMatchObject({ state: 'delivered', message: { id: message?.id, channelId: channel.id } });
    expect(settledTask.message?.id).not.toBe(original?.id);
    expect(settledTask.delivery.intention).toBeUndefined();
    expect(writes().map(({ body }) => body)).toMatchObject([
      { nonce: task.id, enforce_nonce: true, allowed_mentions: { parse: [] } },
    ]);
  });

  it('After the token has expired, a result goes to a direct message if only the member has installed the bot', async () => {
    const { directMessages, task, updateTask, tasks, clock, writes, read } = await fixtureWithOrder({
      order: { by: 'installer' },
    });
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    clock.advance(minutes(16));
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(directMessages('installer')).toEqual([expect.stringContaining('ready')]);
    expect(read('lobby')).toEqual([expect.stringContaining('running')]);
    expect(writes()).toHaveLength(2);
  });

  it('After the token has expired, a private result goes to a direct message and never to a channel', async () => {
    const { directMessages, task, updateTask, tasks, clock, discord, writes, read } = await fixtureWithOrder({
      order: { isPrivate: true },
    });
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    clock.advance(minutes(16));
    await updateTask(task.id, { state: 'ready' });
    const settledTask = await tasks.waitUntilSettled(task.id);
    const dm = discord.world.directMessage(task.requesterId)?.id;
    expect(settledTask.message?.channelId).toBe(dm);
    expect(directMessages('member')).toEqual([expect.stringContaining('ready')]);
    expect(read()).toEqual([expect.stringContaining('running')]);
    const laterWrites = writes().slice(1);
    expect(laterWrites.map(({ path }) => path)).toEqual([`/channels/${dm}/messages`]);
  });

  it('A private result stays private if Discord refuses its token', async () => {
    const { directMessages, task, updateTask, tasks, discord, read } = await fixtureWithOrder({
      order: { isPrivate: true },
    });
    discord.expireTokens();
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(directMessages('member')).toEqual([expect.stringContaining('ready')]);
    expect(read()).toHaveLength(1);
  });

  it('In a direct message with the bot, the message is edited with the bot token after the interaction token has expired', async () => {
    const { directMessages, task, updateTask, tasks, clock, writes } = await fixtureWithOrder({
      order: { in: 'dm', by: 'installer' },
    });
    expect(task.route).toMatchObject({ install: 'user', mayPost: true });
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    clock.advance(minutes(30));
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(directMessages('installer')).toEqual([expect.stringContaining('ready')]);
    expect(writes().map(({ method }) => method)).toEqual(['PATCH', 'PATCH']);
  });

  it.each([
    ['refuses direct messages', 'refused', 50007],
    ['shares no server with the bot', 'gone', 50278],
  ] as const)('A result stays ready after one request if the member %s', async (_, reason, code) => {
    const { task, updateTask, tasks, clock, discord, logText, writes } = await fixtureWithOrder({
      order: { isPrivate: true },
    });
    if (reason === 'refused') discord.world.user('member').directMessages = 'refused';
    else for (const guild of discord.world.guilds.values()) guild.members.delete(task.requesterId);
    clock.advance(minutes(15));
    await updateTask(task.id, { state: 'ready' });
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({
      state: 'ready',
      delivery: { undeliverable: 'no-way' },
    });
    expect(writes().map(({ status }) => status)).toEqual([403]);
    expect(logText()).toContain(`"code":${code}`);
  });

  it.each(['token', 'bot'])(
    'A result is not delivered to a deleted message, with the token type "%s"',
    async (tokenType) => {
      const { task, updateTask, tasks, clock, rest, discord, writes } = await fixtureWithOrder();
      await updateTask(task.id, { state: 'running', progress: 10 });
      const { message } = await tasks.waitForEdits(task.id, 1);
      await rest.delete(Routes.channelMessage(message?.channelId ?? '', message?.id ?? ''));
      if (tokenType === 'bot') clock.advance(minutes(15));
      await updateTask(task.id, { state: 'ready' });
      expect(await tasks.waitUntilSettled(task.id)).toMatchObject({
        state: 'ready',
        delivery: { undeliverable: 'deleted' },
      });
      expect(discord.messages('studio')).toEqual([]);
      expect(writes().map(({ status }) => status)).toEqual([200, 404]);
    },
  );

  it('If the bot no longer sees the channel, each route is tried once and the result goes to a direct message', async () => {
    const { directMessages, deny, task, updateTask, tasks, clock, logText, writes } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    deny(Permission.ViewChannel);
    clock.advance(minutes(15));
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(directMessages('member')).toEqual([expect.stringContaining('ready')]);
    expect(writes().map(({ status }) => status)).toEqual([200, 403, 403, 200]);
    expect(logText()).toContain('50001');
  });

  it('Closed routes are not tried again when the last route fails temporarily', async () => {
    const { advanceOnceWaiting, deny, task, updateTask, tasks, clock, discord, writes } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    deny(Permission.ViewChannel);
    clock.advance(minutes(15));
    discord.faults.add({ on: { route: '/users/@me/channels' }, do: { type: 'status', status: 500 }, times: 8 });
    await updateTask(task.id, { state: 'ready' });
    await advanceOnceWaiting(seconds(5));
    await advanceOnceWaiting(seconds(10));
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ status }) => status)).toEqual([200, 403, 403, 200]);
  });

  it('If the channel no longer exists, the result goes to a direct message', async () => {
    const { directMessages, task, updateTask, tasks, clock, discord, channel } = await fixtureWithOrder();
    clock.advance(minutes(15));
    discord.world.channels.delete(channel.id);
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(directMessages('member')).toEqual([expect.stringContaining('ready')]);
  });

  it('If the bot is not allowed to post in a channel, it does not try to, but still edits the message there', async () => {
    const { task, updateTask, tasks, clock, discord, writes } = await fixtureWithOrder({ order: { in: 'read-only' } });
    expect(task.route.mayPost).toBe(false);
    await updateTask(task.id, { state: 'running', progress: 10 });
    await tasks.waitForEdits(task.id, 1);
    clock.advance(minutes(15));
    await updateTask(task.id, { state: 'running', progress: 20 });
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ method, path }) => `${method} ${path.split('/')[1]}`)).toEqual([
      'PATCH webhooks',
      'PATCH channels',
    ]);
    expect(discord.messages('read-only')).toHaveLength(1);
  });

  it('A result is sent once, regardless of the number and source of its announcements', async () => {
    const { task, updateTask, tasks, clock, delivery, open: openDelivery, writes } = await fixtureWithOrder();
    await Promise.all([updateTask(task.id, { state: 'ready' }), updateTask(task.id, { state: 'ready' })]);
    const readyTask = tasks.get(task.id);
    delivery.show(readyTask);
    await tasks.waitUntilSettled(task.id);
    delivery.show(readyTask);
    const secondDelivery = openDelivery();
    secondDelivery.show(readyTask);
    await secondDelivery.finish();
    clock.advance(minutes(60));
    await delivery.finish();
    expect(writes()).toHaveLength(1);
  });

  it('The result of a deleted task is ignored', async () => {
    const { task, tasks, delivery, logText, writes } = await fixtureWithOrder();
    tasks.remove(task.id);
    delivery.show({ ...task, state: 'ready' });
    await delivery.finish();
    expect(logText()).toBe('');
    expect(writes()).toEqual([]);
  });

  it('A result is not delivered if its task was settled in the meantime', async () => {
    const { task, tasks, delivery, clock, writes } = await fixtureWithOrder();
    const unconfirmedTask = await tasks.change(task.id, (one) => ({ ...one, state: 'unconfirmed' }));
    const settledTask = await tasks.change(task.id, (one) => markDismissed(one, clock.now()));
    const changesBefore = tasks.attemptedChanges;
    delivery.show(settledTask);
    expect(tasks.attemptedChanges).toBe(changesBefore);
    delivery.show(unconfirmedTask);
    await delivery.finish();
    expect(writes()).toEqual([]);
  });
});
