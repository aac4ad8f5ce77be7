import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { kindSpecs } from '../../src/commands/index.ts';
import { backUpStore } from '../../src/services/store/copy/back-up.ts';
import { openBackup } from '../../src/services/store/copy/backup-file.ts';
import { restoreStore } from '../../src/services/store/copy/restore.ts';
import type { Finding } from '../../src/services/store/examination/checks.ts';
import { examine } from '../../src/services/store/examination/examination.ts';
import { createTemporaryFolder, keysIn, sql } from '../services/store/store-fixture.ts';
import { noLimits } from '../support/no-limits.ts';
import { startBot } from './bot.ts';
import { poster, presetReply, suggestionsOf } from './presets/fixture.ts';
import {
  createFastClockFixture,
  type FastClockFixture,
  labels,
  messagesWith,
  says,
  startFastClockBot,
} from './quick.ts';
import { changeRules, LOG_CHANNEL, setLogChannel } from './reports.ts';
import { errorsIn, jobs, orderGrid, orders } from './tasks/fixture.ts';

const fileOf = ({ config }: FastClockFixture): string => config.store.url.replace('sqlite://', '');

/** Runs the doctor on the store of a bot that has stopped. */
async function runDoctor({ config, clock, log }: FastClockFixture, repair: boolean): Promise<Finding[]> {
  return (await examine(config.store, { specs: kindSpecs, clock, log, repair })).findings;
}

/** Expects that the doctor finds exactly this, changes nothing on a dry run, and finds nothing after a repair. */
async function expectRepair(fixture: FastClockFixture, findings: Finding[]): Promise<void> {
  const rows = () => sql(fileOf(fixture), 'SELECT * FROM atelier ORDER BY namespace, key');
  const before = rows();
  expect(await runDoctor(fixture, false)).toEqual(findings);
  expect(rows()).toEqual(before);
  expect(await runDoctor(fixture, true)).toEqual(findings);
  expect(await runDoctor(fixture, true)).toEqual([]);
}

/** The texts that were set aside. */
const setAside = (fixture: FastClockFixture): string =>
  JSON.stringify(sql(fileOf(fixture), "SELECT value FROM atelier WHERE namespace = 'quarantine'"));

/** Stops the bot while the first job of a batch of three is stuck, and the others wait. Its member has a preset, which is shared too. */
async function stopDuringBatch(): Promise<FastClockFixture & { parent: Message }> {
  const settings = { ...noLimits, GATEWAY_JOBS_AT_ONCE: '1' };
  const fixture = await createFastClockFixture({ gateway: { speed: 20 }, settings });
  const app = await startBot(fixture);
  const { discord, gateway } = fixture;
  await presetReply(fixture, 'save', poster);
  await presetReply(fixture, 'share', { preset: 'Poster' });
  gateway.faults.add({ do: 'stick' });
  const member = discord.as('member');
  const question = await (await member.slash('imagine', { prompt: '{red, blue, green} fox' })).message(
    says('Deadline'),
  );
  const parent = await (await member.click(question, labels(question)[0] ?? '')).followUp(says('3. 🕓'));
  await expect.poll(() => keysIn(fileOf(fixture), 'live').length).toBe(4);
  await expect.poll(() => jobs(gateway).length).toBe(1);
  await app.stop();
  return { ...fixture, parent };
}

/** Leaves a batch as it is before its last order was submitted; `order` replaces that order. */
function takeOutLast(file: string, order?: object): void {
  const rows = sql(file, "SELECT key, value FROM atelier WHERE namespace = 'live'");
  for (const { key, value } of rows) {
    const row = JSON.parse(String(value));
    const last = row.value.request.children?.at(-1);
    if (last === undefined) continue;
    delete last.isSubmitted;
    if (order) last.order = order;
    sql(file, 'DELETE FROM atelier WHERE instr(key, ?)', last.id);
    sql(file, "UPDATE atelier SET value = ? WHERE namespace = 'live' AND key = ?", JSON.stringify(row), String(key));
  }
}

const waitForParent = ({ discord }: FastClockFixture, { id }: Message, matches: (message: Message) => boolean) =>
  discord.until(() => discord.messages('studio').find((one) => one.id === id && matches(one)));

const prompts = ({ gateway }: FastClockFixture): unknown[] =>
  orders(gateway).map(({ body }) => (body as { prompt: string }).prompt);

describe('Damaged rows', () => {
  it('The doctor sets a damaged preset aside, and its member uses the others and can save it again', async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
    const first = await startBot(fixture);
    for (const name of ['Poster', 'Print']) await presetReply(fixture, 'save', { ...poster, name });
    await first.stop();
    sql(
      fileOf(fixture),
      `UPDATE atelier SET value = replace(value, '"command":"imagine"', '"command":"paint"')
       WHERE namespace = 'presets' AND value LIKE '%"Poster"%'`,
    );
    await expectRepair(fixture, [{ kind: 'unreadable', count: 1 }]);
    expect(setAside(fixture)).toContain('{prompt}, poster --ar 2:3');
    expect(keysIn(fileOf(fixture), 'presets')).toHaveLength(1);
    await startBot(fixture);
    expect(await suggestionsOf(fixture)).toEqual(['Print · yours']);
    expect(text(await presetReply(fixture, 'save', poster))).toContain('Yours');
  });

  it('A bot on a store with a damaged preset leaves it out, and keeps its row', { tags: ['breadth'] }, async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
    const first = await startBot(fixture);
    for (const name of ['Poster', 'Print']) await presetReply(fixture, 'save', { ...poster, name });
    await first.stop();
    sql(fileOf(fixture), "UPDATE atelier SET value = '{' WHERE namespace = 'presets' AND value LIKE '%\"Poster\"%'");
    await startBot(fixture);
    expect(await suggestionsOf(fixture)).toEqual(['Print · yours']);
    expect(text(await presetReply(fixture, 'list', {}))).toContain('Print');
    expect(keysIn(fileOf(fixture), 'presets')).toHaveLength(2);
  });

  it('The doctor sets a damaged batch aside, its member is told, and what it had submitted ends without being submitted twice', async () => {
    const fixture = await stopDuringBatch();
    const { discord, gateway } = fixture;
    sql(
      fileOf(fixture),
      `UPDATE atelier SET value = replace(value, '"children":[', '"children":7,"were":[') WHERE namespace = 'live'`,
    );
    await expectRepair(fixture, [
      { kind: 'unreadable', count: 1 },
      { kind: 'summary-dangling', count: 2 },
    ]);
    expect(setAside(fixture)).toContain('{red, blue, green} fox');
    await startBot(fixture);
    gateway.jobs.finish(jobs(gateway)[0]?.id ?? '');
    await expect.poll(() => keysIn(fileOf(fixture), 'live')).toEqual([]);
    expect(prompts(fixture)).toEqual(['red fox', 'blue fox', 'green fox']);
    expect(keysIn(fileOf(fixture), 'finished')).toHaveLength(3);
    const notice = await discord.until(() => discord.messages('dm').find(says('cannot be read')));
    expect(text(notice)).toContain('One of your tasks cannot be read, so it is no longer updated;');
  });

  it('An order of a batch that cannot be read is refused, and the others are carried out', {
    tags: ['breadth'],
  }, async () => {
    const { parent, ...fixture } = await stopDuringBatch();
    takeOutLast(fileOf(fixture), { kind: 'painting', request: {} });
    expect(await runDoctor(fixture, false)).toEqual([]);
    await startBot(fixture);
    fixture.gateway.jobs.finish(jobs(fixture.gateway)[0]?.id ?? '');
    const ended = await waitForParent(fixture, parent, (message) => labels(message).includes('Delete'));
    expect(text(ended)).toContain('2 of 3 finished. Failed: 1.');
    expect(text(ended)).toContain(
      '3. 🔴 **Prompt 3** · Refused\n-# 1 task was refused. Press **Retry failed** to see why.',
    );
    expect(prompts(fixture)).toEqual(['red fox', 'blue fox']);
  });
});

describe('Damaged settings of a server', () => {
  const request = async ({ discord }: FastClockFixture): Promise<string> =>
    text(await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).ephemeral());

  const setupStep = async ({ discord }: FastClockFixture, name: string): Promise<string> => {
    const admin = discord.as('admin');
    const overview = await (await admin.click(await (await admin.slash('setup')).message(), 'All steps')).message();
    return text(await (await admin.click(overview, name)).message());
  };

  it('A server whose rules the doctor set aside refuses new requests until an admin saves them, and its admins are told once', async () => {
    const { app, ...fixture } = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const { discord, gateway } = fixture;
    await (await discord.as('admin').slash('budget alerts', { channel: LOG_CHANNEL })).message();
    await changeRules(fixture, 'Change words', { words: 'casino' });
    await app.stop();
    sql(
      fileOf(fixture),
      `UPDATE atelier SET value = replace(value, '"words":[', '"words":7,"were":[') WHERE namespace = 'rules'`,
    );
    await expectRepair(fixture, [{ kind: 'unreadable', count: 1 }]);
    expect(setAside(fixture)).toContain('casino');

    const first = await startBot(fixture);
    const told = () => messagesWith(discord, LOG_CHANNEL, 'The rules of this server could not be read');
    await expect.poll(told).toHaveLength(1);
    expect(await request(fixture)).toContain('The rules of this server cannot be read, so new requests are refused.');
    await first.stop();
    const second = await startBot(fixture);
    expect(await request(fixture)).toContain('The rules of this server cannot be read');
    expect(orders(gateway)).toEqual([]);
    const page = await (await discord.as('admin').slash('server rules')).message();
    expect(text(page)).toContain('The rules of this server could not be read and are now empty');
    for (const step of ['Who can use it', 'Rules and log channel'])
      expect(await setupStep(fixture, step)).toContain('could not be read');
    expect(text(await (await discord.as('member').slash('about')).message())).toContain('cannot be read');
    expect(text(await (await discord.as('admin').slash('server export')).message())).toContain('could not be read');
    const resumed = text(await (await discord.as('admin').slash('budget pause', { paused: false })).message());
    expect(resumed).toMatch(/^The server itself is not paused\. The rules of this server could not be read/);
    expect(text(await changeRules(fixture, 'Change words', {}))).not.toContain('could not be read');
    await orderGrid(fixture);
    await second.stop();
    expect(told()).toHaveLength(1);
  });

  it('A server whose limits cannot be read refuses new requests until an admin resumes them, and its admins are told in the log channel', async () => {
    const { app, ...fixture } = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const { discord, gateway } = fixture;
    await setLogChannel(fixture);
    await (await discord.as('admin').slash('budget set', { limits: '1 task a day' })).message();
    await app.stop();
    sql(fileOf(fixture), "UPDATE atelier SET value = '{' WHERE namespace = 'budgets'");

    await startBot(fixture);
    await discord.until(() => messagesWith(discord, LOG_CHANNEL, 'The limits of this server could not be read')[0]);
    expect(await request(fixture)).toContain('The limits of this server cannot be read, so new requests are refused.');
    expect(orders(gateway)).toEqual([]);
    const page = await (await discord.as('admin').slash('budget show')).message();
    expect(text(page)).toContain('The limits of this server could not be read, so new requests are refused.');
    expect(await setupStep(fixture, 'Budget')).toContain('The limits of this server could not be read');
    await (await discord.as('admin').click(page, 'Resume')).message(says('accepted again'));
    await orderGrid(fixture);
  });
});

describe('A backup', () => {
  it('A restored backup has the presets and a batch that was running, and submits nothing of it again', async () => {
    const { parent, ...fixture } = await stopDuringBatch();
    const { gateway, config, clock, log } = fixture;
    takeOutLast(fileOf(fixture));
    const file = join(createTemporaryFolder(), 'atelier.backup');
    await backUpStore(config.store, file, { log, clock, by: '1.2.3' });
    const app = await startBot(fixture);
    gateway.jobs.finish(jobs(gateway)[0]?.id ?? '');
    await waitForParent(fixture, parent, says('3 of 3 finished.'));
    await app.stop();

    const store = { url: `sqlite://${join(createTemporaryFolder(), 'restored.sqlite')}`, scheme: 'sqlite' } as const;
    const backup = await openBackup(file, undefined);
    const restored = await restoreStore(backup, store, { specs: kindSpecs, botVersion: '1.2.3', clock, log });
    backup.close();
    // The batch, the running task, and the one that waited, which may have been submitted since.
    expect(restored).toMatchObject({ live: 3, unconfirmed: 1, examination: { findings: [] } });
    const target = { ...fixture, config: { ...config, store } };
    await startBot(target);
    await expect.poll(() => keysIn(fileOf(target), 'live')).toEqual([]);
    expect(prompts(fixture)).toEqual(['red fox', 'blue fox', 'green fox']);
    expect(await suggestionsOf(fixture)).toEqual(['Poster · yours', 'Poster · this server']);
    // What was shown after the backup stays as it is.
    await waitForParent(fixture, parent, says('3 of 3 finished.'));
    expect(errorsIn(fixture)).toEqual([]);
  });
});
