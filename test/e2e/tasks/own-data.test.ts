import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { fileOf } from '../../../src/services/store/backend.ts';
import { startBot } from '../bot.ts';
import { describeProfiles } from '../profiles.ts';
import { type FastClockStage, says, startFastClockBot, submitCount } from '../quick.ts';
import { openTask, openTaskList, publicMessages, requestErasure, waitForMessage } from './pages.ts';
import { bytesOf, errorsIn, jobs, orderGrid } from './proof.ts';

/** Erases a member's data and waits until the reply says that this is done. */
const erase = async (stage: FastClockStage, who = 'member'): Promise<Message> =>
  (await requestErasure(stage, who)).message(says('Your data has been deleted'));

const usageText = async ({ discord }: FastClockStage, who: string): Promise<string> =>
  text(await (await discord.as(who).slash('usage', { by: 'model' })).message());

const MINUTE_MS = 60_000;

/** The contents of a namespace of the bot's store, read directly from its file. */
function readNamespace({ config }: FastClockStage, namespace: string): Record<string, unknown>[] {
  const database = new DatabaseSync(fileOf(config.store), { readOnly: true });
  const rows = database.prepare('SELECT value FROM atelier WHERE namespace = ?').all(namespace);
  database.close();
  return rows.map(({ value }) => JSON.parse(String(value)).value);
}

describeProfiles('A member’s own data', (profile) => {
  it('An export is a file with all of a member’s data except tokens and keys', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 } });
    await orderGrid(stage, { prompt: 'a fox in the snow', private: true });
    await orderGrid(stage, { prompt: 'an owl of another member' }, stage.discord.as('other'));
    const exportMessage = await (
      await stage.discord.as('member').click(await openTaskList(stage), 'Export my data')
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

  it('A second export at the same time and an export during an erasure are refused ephemerally', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const { discord, clock } = stage;
    const member = discord.as('member');
    await orderGrid(stage);
    clock.advance(20 * MINUTE_MS);
    const lists = [await openTaskList(stage), await openTaskList(stage), await openTaskList(stage)];
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
    await (await requestErasure(stage)).message(says('Your data is being deleted'));
    const refused = await (await member.click(await openTaskList(stage), 'Export my data')).message();
    expect(text(refused)).toContain('being deleted');
    expect([refused.ephemeral, refused.attachments]).toEqual([true, []]);
    discord.faults.clear();
  });

  it('An erasure deletes the data and messages of one member and of no one else', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const ownResult = await orderGrid(stage);
    const otherResult = await orderGrid(stage, { prompt: 'an owl' }, stage.discord.as('other'));
    const confirmation = await erase(stage);
    expect(text(confirmation)).toContain('Your data has been deleted (tasks: 1, messages: 1)');
    expect(stage.discord.messages('studio').map(({ id }) => id)).not.toContain(ownResult.id);
    expect(stage.discord.messages('studio').map(({ id }) => id)).toContain(otherResult.id);
    expect(text(await openTaskList(stage))).toContain('No tasks found');
    expect(await usageText(stage, 'member')).not.toContain('imagine');
  });

  it('An erasure deletes a running job once it ends, without showing it', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 } });
    stage.gateway.faults.add({ do: 'stick' });
    const exchange = await stage.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    expect(text(await erase(stage))).toContain('1 task is still running');
    const countBefore = stage.discord.messages('studio').length;
    stage.gateway.jobs.finish(jobs(stage.gateway).at(-1)?.id ?? '');
    await expect.poll(async () => text(await openTaskList(stage)), { timeout: 20_000 }).toContain('No tasks found');
    expect(stage.discord.messages('studio').filter(({ ephemeral }) => !ephemeral).length).toBeLessThanOrEqual(
      countBefore,
    );
    expect(submitCount(stage.gateway)).toBe(1);
  });

  it('An erasure also deletes owner pings and results that were shown elsewhere', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 1 } });
    const member = stage.discord.as('member');
    await orderGrid(stage);
    await waitForMessage(stage, 'studio', 'your task has finished');
    await expect.poll(async () => text(await openTaskList(stage))).toContain('🟢');
    const page = await openTask(stage, await openTaskList(stage));
    await (await member.click(page, 'Show here')).message(says('Finished in'));
    const hallList = await openTaskList(stage, 'member', {}, 'hall');
    await (await member.click(await openTask(stage, hallList), 'Show here')).message(says('Finished in'));
    expect([publicMessages(stage).length, publicMessages(stage, 'hall').length]).toEqual([3, 1]);
    expect(text(await erase(stage))).toContain('Your data has been deleted (tasks: 1, messages: 4)');
    expect([...publicMessages(stage), ...publicMessages(stage, 'hall')]).toEqual([]);
    expect(errorsIn(stage)).toEqual([]);
  });

  it('An erasure reports the messages that the bot could not delete', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const privateResult = await orderGrid(stage, { private: true });
    stage.clock.advance(20 * MINUTE_MS);
    const confirmation = await erase(stage);
    expect(text(confirmation)).toContain('could not delete 1 message');
    expect(text(confirmation)).toContain(`/${privateResult.channel_id}/${privateResult.id}>`);
  });

  it.each([
    ['is reported in the same place', false],
    ['is reported in a direct message after the token has expired', true],
  ])('A long erasure is confirmed immediately, and its end %s', async (_, hasExpired) => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const { discord, clock } = stage;
    await orderGrid(stage);
    clock.advance(20 * MINUTE_MS);
    discord.faults.add({ on: { method: 'DELETE' }, do: { type: 'status', status: 503 }, times: 30 });
    const exchange = await requestErasure(stage);
    const firstReply = await exchange.message(says('Your data is being deleted'));
    expect(firstReply.ephemeral).toBe(true);
    expect(publicMessages(stage)).toHaveLength(1);
    if (hasExpired) discord.expireTokens();
    discord.faults.clear();
    const reply = hasExpired
      ? await waitForMessage(stage, 'dm', 'Your data has been deleted')
      : await exchange.followUp(says('Your data has been deleted'));
    expect(text(reply)).toContain('Your data has been deleted (tasks: 1, messages: 1)');
    expect(publicMessages(stage)).toEqual([]);
  });

  it('An erasure continues after a restart and reports its completion', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 } });
    await orderGrid(stage);
    stage.clock.advance(20 * MINUTE_MS);
    stage.discord.faults.add({ on: { method: 'DELETE' }, do: { type: 'hang' }, times: 30 });
    await (await requestErasure(stage)).message(says('Your data is being deleted'));
    await stage.app.stop();
    stage.discord.faults.clear();
    await startBot(stage);
    expect(text(await waitForMessage(stage, 'dm', 'Your data has been deleted'))).toContain(
      'Your data has been deleted (tasks: 1, messages: 1)',
    );
    expect(text(await openTaskList(stage))).toContain('No tasks found');
  });

  it('An export contains no secrets, and the log contains none either', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const { discord, gateway, config, logged } = stage;
    gateway.faults.add({ do: 'stick' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    await orderGrid(stage, { prompt: 'an owl' });
    const exportMessage = await (
      await discord.as('member').click(await openTaskList(stage), 'Export my data')
    ).message();
    const json = (await bytesOf(exportMessage)).toString();
    const keys = readNamespace(stage, 'live')
      .concat(readNamespace(stage, 'finished'))
      .map((task) => String(task.idempotencyKey));
    const secrets = [exchange.token, config.discord.token, config.gateway.apiKey, ...keys];
    expect(keys).toHaveLength(2);
    expect(JSON.parse(json).tasks).toHaveLength(2);
    for (const secret of secrets) expect([json.includes(secret), logged().includes(secret)]).toEqual([false, false]);
    await erase(stage);
    const erasureRows = readNamespace(stage, 'forgetting');
    expect(erasureRows).toHaveLength(1);
    for (const { secret } of erasureRows) expect(logged()).not.toContain(secret);
  });
});
