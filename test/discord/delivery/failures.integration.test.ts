import { describe, expect, it } from 'vitest';
import { customId } from '../../../src/discord/custom-ids.ts';
import { fixtureWithOrder, image, minutes, planOf, planWithFile, seconds, until } from './integration-fixture.ts';

describe('The delivery of a result during failures', () => {
  it('The delivery waits for Discord without a time limit, backs off and does not change the route', async () => {
    const { advanceOnceWaiting, timerCount, task, updateTask, tasks, clock, discord, logText, writes, preparedCount } =
      await fixtureWithOrder();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 503 }, times: 4 * 5 });
    await updateTask(task.id, { state: 'ready' });
    const start = clock.now();
    for (const wait of [5, 10, 20, 40]) {
      await advanceOnceWaiting(seconds(wait) - 1);
      expect(timerCount()).toBe(1);
      clock.advance(1);
    }
    await advanceOnceWaiting(seconds(80));
    await tasks.waitUntilSettled(task.id);
    expect(clock.now() - start).toBe(seconds(155));
    expect(new Set(writes().map(({ path }) => path.split('/')[1]))).toEqual(new Set(['webhooks']));
    expect(writes().filter(({ status }) => status === 200)).toHaveLength(1);
    expect(logText().match(/was delayed and will be retried/g)).toHaveLength(1);
    expect(preparedCount()).toBe(6);
  });

  it('The delivery waits at most five minutes between two attempts, and continues on time when Discord is available again', async () => {
    const { advanceOnceWaiting, task, updateTask, tasks, discord, writes, read } = await fixtureWithOrder();
    await updateTask(task.id, { state: 'running' });
    await tasks.waitForEdits(task.id, 1);
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 500 }, times: 4 * 10 });
    await updateTask(task.id, { state: 'ready' });
    for (let tries = 0; tries < 10; tries++) await advanceOnceWaiting(minutes(5));
    await tasks.waitUntilSettled(task.id);
    expect(writes().at(-1)).toMatchObject({ route: '/channels/:channel/messages/:message', status: 200 });
    expect(read()).toEqual([expect.stringContaining('ready')]);
  });

  it('The delivery retries after a broken connection', async () => {
    const { advanceOnceWaiting, task, updateTask, tasks, discord, read } = await fixtureWithOrder();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'reset' } });
    await updateTask(task.id, { state: 'ready' });
    await advanceOnceWaiting(seconds(5));
    await tasks.waitUntilSettled(task.id);
    expect(read()).toEqual([expect.stringContaining('ready')]);
  });

  it('A result is posted with links instead of its files if Discord refuses their size, with all text and buttons', async () => {
    const { task, updateTask, tasks, discord, logText, writes } = await fixtureWithOrder({
      limits: { uploadBytes: 3 },
      plan: planWithFile,
      fallback: { content: 'ready, at https://files.example/1', controls: [{ type: 'button', id: 'x', label: 'U1' }] },
    });
    await updateTask(task.id, { state: 'ready' });
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
    const [message] = discord.messages('studio');
    expect(message).toMatchObject({ content: 'ready, at https://files.example/1', attachments: [] });
    expect(message?.components).toHaveLength(1);
    expect(writes().map(({ status }) => status)).toEqual([413, 200]);
    expect(logText()).toContain('larger than Discord allows');
  });

  it('A result is posted without its files if a proxy in front of Discord refuses their size', async () => {
    const { task, updateTask, tasks, discord, writes } = await fixtureWithOrder({ plan: planWithFile });
    discord.faults.add({
      on: { method: 'PATCH' },
      do: { type: 'status', status: 413, body: '<html>too large</html>' },
    });
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(discord.messages('studio')).toMatchObject([{ content: 'ready', attachments: [] }]);
    expect(writes().map(({ status }) => status)).toEqual([413, 200]);
  });

  it('A result is posted as text only if Discord refuses the rest, and the log has a reference and the error', async () => {
    const { task, updateTask, tasks, discord, logText, writes } = await fixtureWithOrder({
      expects: 'refusals',
      plan: (one) => ({
        content: 'here it is',
        files: [image],
        controls: [
          { type: 'button', id: customId('act', 1, one.id), label: 'U1' },
          { type: 'button', id: customId('act', 1, one.id), label: 'U2' },
        ],
      }),
    });
    await updateTask(task.id, { state: 'ready' });
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
    expect(discord.messages('studio')).toMatchObject([{ content: 'here it is', components: [], attachments: [] }]);
    expect(writes().map(({ status }) => status)).toEqual([400, 200]);
    expect(logText()).toMatch(/"fields":\["components[^\]]*".*"reference":"[0-9a-f]{8}"/);
    expect(logText()).not.toContain('here it is');
  });

  it('A result is posted as a new message if Discord refuses even its text as an edit', async () => {
    const { task, updateTask, tasks, discord, writes, read } = await fixtureWithOrder({ expects: 'refusals' });
    const malformedBody = {
      code: 50035,
      message: 'Invalid Form Body',
      errors: { content: { _errors: [{ code: 'X' }] } },
    };
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 400, body: malformedBody }, times: 2 });
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ status }) => status)).toEqual([400, 400, 200]);
    expect(read().at(-1)).toContain('ready');
  });

  it('The delivery waits if the refusal is from a proxy in front of Discord, which cannot judge messages', async () => {
    const { advanceOnceWaiting, task, updateTask, tasks, discord, writes } = await fixtureWithOrder();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 403, body: '<html>no</html>' } });
    await updateTask(task.id, { state: 'ready' });
    await advanceOnceWaiting(seconds(5));
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
    expect(writes().map(({ status }) => status)).toEqual([403, 200]);
  });

  it('The delivery waits while Discord rejects the bot token, because no other route would work', async () => {
    const { advanceOnceWaiting, timerCount, task, updateTask, tasks, clock, rest, discord, writes, read } =
      await fixtureWithOrder();
    await updateTask(task.id, { state: 'running' });
    await tasks.waitForEdits(task.id, 1);
    clock.advance(minutes(15));
    discord.faults.add({ on: { method: 'PATCH', route: '/channels' }, do: { type: 'status', status: 401 } });
    await updateTask(task.id, { state: 'ready' });
    await advanceOnceWaiting(seconds(5));
    // discord.js has dropped the bot token in the meantime.
    await advanceOnceWaiting(seconds(10));
    await until(() => timerCount() > 0);
    rest.setToken(discord.token);
    await advanceOnceWaiting(seconds(20));
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ status }) => status)).toEqual([200, 401, 200]);
    expect(read()).toEqual([expect.stringContaining('ready')]);
  });

  it('The delivery waits as long as Discord requests', async () => {
    const { task, updateTask, tasks, discord, writes } = await fixtureWithOrder({ expects: 'waits' });
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: '429', retryAfter: 0.1 } });
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(writes().map(({ status }) => status)).toEqual([429, 200]);
  });

  it('A result that cannot be prepared is logged with a reference and prepared again after 30 seconds', async () => {
    let failuresLeft = 2;
    const { advanceOnceWaiting, task, updateTask, tasks, clock, logText, writes } = await fixtureWithOrder({
      plan: (one) => {
        if (failuresLeft-- > 0) throw new TypeError('a bug in a view');
        return planOf(one);
      },
    });
    const start = clock.now();
    await updateTask(task.id, { state: 'ready' });
    await advanceOnceWaiting(seconds(30));
    await advanceOnceWaiting(seconds(60));
    await tasks.waitUntilSettled(task.id);
    expect(clock.now() - start).toBe(seconds(90));
    expect(logText().match(/"reference":"[0-9a-f]{8}"[^\n]*a bug in a view/g)).toHaveLength(2);
    expect(writes()).toHaveLength(1);
  });

  it('A result is sent only once even if the store cannot record it', async () => {
    const { advanceOnceWaiting, task, updateTask, tasks, clock, writes } = await fixtureWithOrder();
    tasks.shouldFail = (_, next) => next.state === 'delivered' && tasks.failures < 3;
    await updateTask(task.id, { state: 'ready' });
    const shownAt = clock.now();
    await advanceOnceWaiting(seconds(5));
    await advanceOnceWaiting(seconds(10));
    await advanceOnceWaiting(seconds(20));
    const settledTask = await tasks.waitUntilSettled(task.id);
    expect(tasks.failures).toBe(3);
    expect(settledTask.times.settled).toBe(shownAt);
    expect(writes()).toHaveLength(1);
  });

  it('A new message is not posted before its intention is stored', async () => {
    const { advanceOnceWaiting, task, updateTask, tasks, clock, writes } = await fixtureWithOrder();
    clock.advance(minutes(15));
    tasks.shouldFail = (_, next) => next.delivery.intention !== undefined && tasks.failures < 1;
    await updateTask(task.id, { state: 'ready' });
    await until(() => tasks.failures === 1);
    expect(writes()).toEqual([]);
    await advanceOnceWaiting(seconds(5));
    await tasks.waitUntilSettled(task.id);
    expect(writes()).toHaveLength(1);
  });

  it('The delivery continues even if the store cannot record that the token has expired', async () => {
    const { task, updateTask, tasks, discord, logText, writes } = await fixtureWithOrder();
    tasks.shouldFail = (previous, next) =>
      previous.route.token !== undefined && next.route.token === undefined && next.state === 'ready';
    discord.expireTokens();
    await updateTask(task.id, { state: 'ready' });
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
    expect(writes().map(({ status }) => status)).toEqual([401, 200]);
    expect(logText()).toContain('could not be stored');
  });

  it('No failure writes the token or the bytes of a file to the log', async () => {
    const { advanceOnceWaiting, task, interaction, updateTask, tasks, discord, logText } = await fixtureWithOrder({
      plan: planWithFile,
    });
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 500 }, times: 4 });
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 404, code: 10015 } });
    await updateTask(task.id, { state: 'running' });
    await until(() => logText().includes('Progress was not shown'));
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(advanceOnceWaiting).toBeDefined();
    expect(logText()).toContain('10015');
    expect(logText()).not.toContain(interaction.token);
    expect(logText()).not.toContain('requestBody');
  });
});
