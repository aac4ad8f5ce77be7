import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { fileOf } from '../../../src/services/store/backend.ts';
import { startBot } from '../bot.ts';
import { type FastClockFixture, says, startFastClockBot, submitCount } from '../quick.ts';
import { bytesOf, errorsIn, jobs, orderGrid } from './fixture.ts';
import { erase, openTask, openTaskList, publicMessages, requestErasure, waitForMessage } from './pages.ts';

const usageText = async ({ discord }: FastClockFixture, who: string): Promise<string> =>
  text(await (await discord.as(who).slash('usage', { by: 'model' })).message());

const MINUTE_MS = 60_000;

/** The contents of a namespace of the bot's store, read directly from its file. */
function readNamespace({ config }: FastClockFixture, namespace: string): Record<string, unknown>[] {
  const database = new DatabaseSync(fileOf(config.store), { readOnly: true });
  const rows = database.prepare('SELECT value FROM atelier WHERE namespace = ?').all(namespace);
  database.close();
  return rows.map(({ value }) => JSON.parse(String(value)).value);
}

describe('A member’s own data', () => {
  it('An export is a file with all of a member’s data except tokens and keys', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    await orderGrid(fixture, { prompt: 'a fox in the snow', private: true });
    await orderGrid(fixture, { prompt: 'an owl of another member' }, fixture.discord.as('other'));
    const exportMessage = await (
      await fixture.discord.as('member').click(await openTaskList(fixture), 'Export my data')
    ).message();
    expect(exportMessage.ephemeral).toBe(true);
    const json = (await bytesOf(exportMessage)).toString();
    const data = JSON.parse(json) as { tasks: { request: object; remoteId: string }[]; ledger: { kind: string }[] };
    expect(data.tasks).toHaveLength(1);
    expect(data.tasks[0]).toMatchObject({ kind: 'imagine', request: { typed: 'a fox in the snow' } });
    expect(data.ledger).toMatchObject([
      { kind: 'imagine', facts: [{ standing: 'reserved' }, { standing: 'settled' }] },
    ]);
    expect(json).not.toMatch(/"token"|idempotencyKey|owl/);
  });

  it('A second export at the same time and an export during an erasure are refused ephemerally', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord, clock } = fixture;
    const member = discord.as('member');
    await orderGrid(fixture);
    clock.advance(20 * MINUTE_MS);
    const lists = [await openTaskList(fixture), await openTaskList(fixture), await openTaskList(fixture)];
    const presses = await Promise.all(lists.map((one) => member.click(one, 'Export my data')));
    const replies = await Promise.all(presses.map((one) => one.message()));
    const files = replies.filter(({ attachments }) => attachments.length > 0);
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThan(3);
    for (const reply of replies) {
      expect(reply.ephemeral).toBe(true);
      if (!files.includes(reply)) expect(text(reply)).toContain('already in progress');
    }
    discord.faults.add({ on: { method: 'DELETE' }, do: { type: 'status', status: 503 }, times: 30 });
    await (await requestErasure(fixture)).message(says('Your data is being deleted'));
    const refused = await (await member.click(await openTaskList(fixture), 'Export my data')).message();
    expect(text(refused)).toContain('being deleted');
    expect([refused.ephemeral, refused.attachments]).toEqual([true, []]);
    discord.faults.clear();
  });

  it('A member can cancel both confirmations of an erasure, which do not count tasks if there are none', async () => {
    const fixture = await startFastClockBot();
    const member = fixture.discord.as('member');
    const isFirst = says('You have no tasks. This deletes your other data');
    const first = await (await member.click(await openTaskList(fixture), 'Delete my data')).message(isFirst);
    const list = await (await member.click(first, 'Cancel')).message(says('No tasks found'));
    const again = await (await member.click(list, 'Delete my data')).message(isFirst);
    const second = await (await member.click(again, 'Delete everything')).message(says('cannot be undone'));
    await (await member.click(second, 'Cancel')).message(says('No tasks found'));
  });

  it('A member learns before an erasure that the bot cannot delete results where only they have installed it', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: { DISCORD_USER_INSTALL: 'on' } });
    const installer = fixture.discord.as('installer');
    const question = async () => {
      const list = await openTaskList(fixture, 'installer');
      return text(await (await installer.click(list, 'Delete my data')).message(says('This deletes your')));
    };
    await orderGrid(fixture, { private: true }, installer);
    await orderGrid(fixture, {}, installer.in('dm'));
    expect(await question()).not.toContain('press **Delete** below them first');
    await orderGrid(fixture, {}, installer);
    expect(await question()).toContain('press **Delete** below them first');
  });

  it('An erasure deletes the data and messages of one member and of no one else', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const ownResult = await orderGrid(fixture);
    const otherResult = await orderGrid(fixture, { prompt: 'an owl' }, fixture.discord.as('other'));
    const confirmation = await erase(fixture);
    expect(text(confirmation)).toContain('Your data has been deleted (tasks: 1, messages: 1)');
    expect(fixture.discord.messages('studio').map(({ id }) => id)).not.toContain(ownResult.id);
    expect(fixture.discord.messages('studio').map(({ id }) => id)).toContain(otherResult.id);
    expect(text(await openTaskList(fixture))).toContain('No tasks found');
    expect(await usageText(fixture, 'member')).not.toContain('imagine');
  });

  it('An erasure deletes a running job once it ends, without showing it', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    fixture.gateway.faults.add({ do: 'stick' });
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    expect(text(await erase(fixture))).toContain('1 task is still running');
    const countBefore = fixture.discord.messages('studio').length;
    fixture.gateway.jobs.finish(jobs(fixture.gateway).at(-1)?.id ?? '');
    await expect.poll(async () => text(await openTaskList(fixture))).toContain('No tasks found');
    expect(fixture.discord.messages('studio').filter(({ ephemeral }) => !ephemeral).length).toBeLessThanOrEqual(
      countBefore,
    );
    expect(submitCount(fixture.gateway)).toBe(1);
  });

  it('An erasure also deletes owner pings and results that were shown elsewhere', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 1 } });
    const member = fixture.discord.as('member');
    await orderGrid(fixture);
    await waitForMessage(fixture, 'studio', 'your task has finished');
    await expect.poll(async () => text(await openTaskList(fixture))).toContain('🟢');
    const page = await openTask(fixture, await openTaskList(fixture));
    await (await member.click(page, 'Show here')).message(says('Finished in'));
    const hallList = await openTaskList(fixture, 'member', {}, 'hall');
    await (await member.click(await openTask(fixture, hallList), 'Show here')).message(says('Finished in'));
    expect([publicMessages(fixture).length, publicMessages(fixture, 'hall').length]).toEqual([3, 1]);
    expect(text(await erase(fixture))).toContain('Your data has been deleted (tasks: 1, messages: 4)');
    expect([...publicMessages(fixture), ...publicMessages(fixture, 'hall')]).toEqual([]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('An erasure reports the messages that the bot could not delete', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const privateResult = await orderGrid(fixture, { private: true });
    fixture.clock.advance(20 * MINUTE_MS);
    const confirmation = await erase(fixture);
    expect(text(confirmation)).toContain(
      'could not delete 1 message. Dismiss it if only you can see it; on a server, moderators can delete it:',
    );
    expect(text(confirmation)).toContain(`/${privateResult.channel_id}/${privateResult.id}>`);
  });

  it.each([
    ['is reported in the same place', false],
    ['is reported in a direct message after the token has expired', true],
  ])('A long erasure is confirmed immediately, and its end %s', { tags: ['breadth'] }, async (_, hasExpired) => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord, clock } = fixture;
    await orderGrid(fixture);
    clock.advance(20 * MINUTE_MS);
    discord.faults.add({ on: { method: 'DELETE' }, do: { type: 'status', status: 503 }, times: 30 });
    const exchange = await requestErasure(fixture);
    const firstReply = await exchange.message(says('Your data is being deleted'));
    expect(firstReply.ephemeral).toBe(true);
    expect(publicMessages(fixture)).toHaveLength(1);
    if (hasExpired) discord.expireTokens();
    discord.faults.clear();
    const reply = hasExpired
      ? await waitForMessage(fixture, 'dm', 'Your data has been deleted')
      : await exchange.followUp(says('Your data has been deleted'));
    expect(text(reply)).toContain('Your data has been deleted (tasks: 1, messages: 1)');
    expect(publicMessages(fixture)).toEqual([]);
  });

  it('An erasure continues after a restart and reports its completion', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    await orderGrid(fixture);
    fixture.clock.advance(20 * MINUTE_MS);
    fixture.discord.faults.add({ on: { method: 'DELETE' }, do: { type: 'hang' }, times: 30 });
    await (await requestErasure(fixture)).message(says('Your data is being deleted'));
    await fixture.app.stop();
    fixture.discord.faults.clear();
    await startBot(fixture);
    expect(text(await waitForMessage(fixture, 'dm', 'Your data has been deleted'))).toContain(
      'Your data has been deleted (tasks: 1, messages: 1)',
    );
    expect(text(await openTaskList(fixture))).toContain('No tasks found');
  });

  it('An export contains no secrets, and the log contains none either', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord, gateway, config, logged } = fixture;
    gateway.faults.add({ do: 'stick' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    await orderGrid(fixture, { prompt: 'an owl' });
    const exportMessage = await (
      await discord.as('member').click(await openTaskList(fixture), 'Export my data')
    ).message();
    const json = (await bytesOf(exportMessage)).toString();
    // A task that ends is in both namespaces for a moment.
    const keys = new Set(
      [...readNamespace(fixture, 'live'), ...readNamespace(fixture, 'finished')].map((task) =>
        String(task.idempotencyKey),
      ),
    );
    const secrets = [exchange.token, config.discord.token, config.gateway.apiKey, ...keys];
    expect(keys.size).toBe(2);
    expect(JSON.parse(json).tasks).toHaveLength(2);
    for (const secret of secrets) expect([json.includes(secret), logged().includes(secret)]).toEqual([false, false]);
    await erase(fixture);
    const erasureRows = readNamespace(fixture, 'forgetting');
    expect(erasureRows).toHaveLength(1);
    for (const { secret } of erasureRows) expect(logged()).not.toContain(secret);
  });
});
