import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { kindSpecs } from '../../src/commands/index.ts';
import { readCustomId } from '../../src/discord/custom-ids.ts';
import { examine } from '../../src/services/store/examination/examination.ts';
import { createTemporaryFolder, sql } from '../services/store/store-fixture.ts';
import { noLimits } from '../support/no-limits.ts';
import { shippedArgs } from '../support/shipped.ts';
import { startBot } from './bot.ts';
import { labels, says, startFastClockBot } from './quick.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PASSPHRASE = 'four words unknown here';
const TASK_COUNT = 24;
/** How many of the tasks are `/imagine` tasks, whose messages must keep their images. The others are cheap `/shorten` tasks. */
const IMAGE_COUNT = 4;
const BATCH_SIZE = 8;

/** Runs a shipped script as a separate process. */
function runScript(entry: string, args: string[], settings: Record<string, string>) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env.PATH ?? '', ...settings };
    const child = execFile(
      process.execPath,
      [...shippedArgs(entry), ...args],
      { cwd: root, env },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stdout, stderr });
      },
    );
  });
}

/** The ids of the tasks that a message's buttons point at. */
const taskIdsIn = (message: Message): string[] => [
  ...new Set(
    JSON.stringify(message.components ?? [])
      .match(/"custom_id":"[^"]+"/g)
      ?.flatMap((found) => readCustomId(found.slice(13, -1))?.args[0] ?? []),
  ),
];

const liveTasks = (file: string): { state: string; id: string }[] =>
  sql(file, "SELECT value FROM atelier WHERE namespace = 'live'").map(({ value }) => JSON.parse(String(value)).value);
const unconfirmedIds = (file: string): string[] =>
  sql(file, `SELECT value FROM atelier WHERE value LIKE '%"state":"unconfirmed"%'`).map(
    ({ value }) => JSON.parse(String(value)).value.id,
  );
const countInState = (file: string, expectedState: string): number =>
  liveTasks(file).filter(({ state }) => state === expectedState).length;

it('A restored backup that was made while 24 tasks were running submits nothing by itself, and every task ends in exactly one message', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startFastClockBot({
    gateway: { speed: 0.001 },
    settings: { ...noLimits, GATEWAY_JOBS_AT_ONCE: '8', DEFAULT_MEMBER_BUDGET: '1000 waiting' },
    allowsRateLimits: true,
  });
  const { discord, gateway, config, clock, log, app } = fixture;
  // Counted here, because the embedded gateway keeps only the latest requests, and this test sends more.
  let submitCount = 0;
  gateway.onRequest(({ path }) => {
    if (path.includes('/submit/')) submitCount += 1;
  });
  const file = config.store.url.replace('sqlite://', '');
  const submitTask = async (index: number): Promise<void> => {
    const kind = index % (TASK_COUNT / IMAGE_COUNT) === 0 ? 'imagine' : 'shorten';
    const prompt = `fox number ${index} in the snow`;
    const exchange = await discord.as(index % 2 === 0 ? 'member' : 'other').slash(kind, { prompt });
    await exchange.message(says(`fox number ${index} `));
  };
  // Only a few at a time, because Discord waits only a limited time for an acknowledgement.
  for (let index = 0; index < TASK_COUNT; index += BATCH_SIZE)
    await Promise.all(Array.from({ length: BATCH_SIZE }, (_, i) => submitTask(index + i)));
  await expect.poll(() => liveTasks(file).length).toBe(TASK_COUNT);
  await expect.poll(() => countInState(file, 'waiting')).toBeGreaterThan(TASK_COUNT / 2);

  const backup = join(createTemporaryFolder(), 'atelier.backup');
  const settings = { STORE_URL: config.store.url, BACKUP_PASSPHRASE: PASSPHRASE };
  const backupRun = await runScript('scripts/backup.ts', [backup], settings);
  expect(backupRun).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/rows, \d+ bytes, encrypted\.\nSHA-256 [0-9a-f]{64}\n/),
  });
  const digest = /SHA-256 (\w+)/.exec(backupRun.stdout)?.[1] ?? '';

  // The bot continues: tasks that were waiting when the backup was made are now sent and delivered.
  gateway.setSpeed(30);
  const studioMessages = (): readonly Message[] => discord.messages('studio');
  const finishedMessages = (): Message[] => studioMessages().filter(says('Finished in'));
  await expect.poll(() => finishedMessages().length).toBeGreaterThan(TASK_COUNT / 3);
  await app.stop();
  const messagesBeforeRestore = new Map(finishedMessages().map((message) => [message.id, message]));
  const submitCountBefore = submitCount;

  const target = join(createTemporaryFolder(), 'restored.sqlite');
  const restoreSettings = { ...settings, STORE_URL: `sqlite://${target}` };
  const wrongPassphrase = await runScript('scripts/restore.ts', [backup], {
    ...restoreSettings,
    BACKUP_PASSPHRASE: 'some other words',
  });
  expect(wrongPassphrase).toMatchObject({ code: 78, stderr: expect.stringContaining('The passphrase is wrong') });
  const dryRun = await runScript('scripts/restore.ts', [backup, '--dry-run'], restoreSettings);
  expect(dryRun).toMatchObject({ code: 0, stdout: expect.stringContaining(digest) });
  expect(dryRun.stdout).toMatch(new RegExp(`^  live +${TASK_COUNT}$`, 'm'));
  const restored = await runScript('scripts/restore.ts', [backup], restoreSettings);
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(`Tasks under way: ${TASK_COUNT}.`) });
  expect(restored.stdout).toContain('no problems found');
  const unknownOutcomeCount = Number(/members to resolve: (\d+)/.exec(restored.stdout)?.[1]);
  expect(unknownOutcomeCount).toBeGreaterThan(TASK_COUNT / 2);
  writeFileSync(backup, 'SQLite format 3\0');
  expect(await runScript('scripts/restore.ts', [backup, '--dry-run'], restoreSettings)).toMatchObject({
    code: 74,
    stderr: expect.stringContaining('is incomplete or was changed'),
  });
  expect(
    [backupRun, wrongPassphrase, dryRun, restored].map(({ stdout, stderr }) => stdout + stderr).join(),
  ).not.toMatch(/words|fox/);

  const restoredApp = await startBot({
    ...fixture,
    config: { ...config, store: { url: `sqlite://${target}`, scheme: 'sqlite' } },
  });
  await expect.poll(() => liveTasks(target).length).toBe(0);
  expect(submitCount).toBe(submitCountBefore);
  // Results that were shown are still shown, even if the restored store does not know their outcome.
  const messagesById = new Map(studioMessages().map((message) => [message.id, message]));
  for (const [id, message] of messagesBeforeRestore) {
    expect(messagesById.get(id)?.content).toContain('Finished in');
    expect(messagesById.get(id)?.attachments.map(({ id: one }) => one)).toHaveLength(message.attachments.length);
  }
  // Each task has exactly one message, which shows how the task ended, and its owner was pinged at most once.
  const taskMessages = studioMessages().filter((message) => taskIdsIn(message).length > 0);
  const ids = taskMessages.flatMap(taskIdsIn);
  expect([ids.length, new Set(ids).size]).toEqual([TASK_COUNT, TASK_COUNT]);
  const isUnconfirmed = says('couldn’t confirm whether the gateway accepted this');
  expect(taskMessages.filter((message) => !says('Finished in')(message) && !isUnconfirmed(message))).toEqual([]);
  const pings = studioMessages().flatMap(({ message_reference: reference }) => reference?.message_id ?? []);
  expect(new Set(pings).size).toBe(pings.length);

  const [first, second] = taskMessages.filter(isUnconfirmed);
  if (!first || !second) throw new Error('No order with an unknown outcome is left to decide about.');
  expect(labels(first)).toEqual(['Try again (may be charged twice)', 'Dismiss']);
  const owner = (message: Message): string =>
    Number(/number (\d+)/.exec(message.content)?.[1]) % 2 === 0 ? 'member' : 'other';
  // The button of a result that the restored store lacks must not make its owner pay for it twice.
  const unknownIds = unconfirmedIds(target);
  const shown = [...messagesBeforeRestore.values()].find((one) => taskIdsIn(one).some((id) => unknownIds.includes(id)));
  if (!shown) throw new Error('No result was shown between the backup and the restore.');
  const pressed = await discord.as(owner(shown)).click(shown, labels(shown)[0] ?? '');
  expect((await pressed.ephemeral()).content).toContain('newer than the backup that the bot was restored from');
  const repeated = await discord.as(owner(first)).click(first, 'Try again (may be charged twice)');
  await repeated.message(says('Finished in'));
  await discord.as(owner(second)).click(second, 'Dismiss');
  await discord.until(
    () =>
      discord.messages('studio').find(({ id, content }) => id === second.id && !content.includes('couldn’t confirm')),
    'dismissed',
  );
  expect(submitCount).toBe(submitCountBefore + 1);
  await restoredApp.stop();
  const { findings } = await examine(
    { url: `sqlite://${target}`, scheme: 'sqlite' },
    { specs: kindSpecs, clock, log, repair: false },
  );
  expect(findings).toEqual([]);
});
