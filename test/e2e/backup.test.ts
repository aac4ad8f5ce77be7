import { execFile } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { kindSpecs } from '../../src/commands/index.ts';
import { readCustomId } from '../../src/discord/custom-ids.ts';
import { examine } from '../../src/services/store/index.ts';
import { folder, sql } from '../services/store/stage.ts';
import { noLimits } from '../support/no-limits.ts';
import { shipped } from '../support/shipped.ts';
import { startBot } from './bot.ts';
import { labels, quickBot, says } from './quick.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PASSPHRASE = 'four words unknown here';
const TASKS = 200;
/** A cheap order, but a normal job. Some have images, which their messages must not lose. */
const IMAGES = 20;
const AT_ONCE = 10;
/** 200 tasks on a machine that runs other tests too. */
const PATIENT = { timeout: 300_000 };

/** A shipped script as a separate process. */
function script(entry: string, args: string[], settings: Record<string, string>) {
  return new Promise<{ code: number; out: string; said: string }>((resolve) => {
    const env = { PATH: process.env.PATH ?? '', ...settings };
    const child = execFile(process.execPath, [...shipped(entry), ...args], { cwd: root, env }, (_error, out, said) => {
      resolve({ code: child.exitCode ?? -1, out, said });
    });
  });
}

/** The ids of the tasks that a message's buttons point at. */
const pointsAt = (message: Message): string[] => [
  ...new Set(
    JSON.stringify(message.components ?? [])
      .match(/"custom_id":"[^"]+"/g)
      ?.flatMap((found) => readCustomId(found.slice(13, -1))?.args[0] ?? []),
  ),
];

const live = (file: string): { state: string; id: string }[] =>
  sql(file, "SELECT value FROM atelier WHERE namespace = 'live'").map(({ value }) => JSON.parse(String(value)).value);
const countIn = (file: string, wanted: string): number => live(file).filter(({ state }) => state === wanted).length;

it('A backup made while 200 tasks run is restored, sends nothing by itself, and every task ends in one message', {
  timeout: 900_000,
}, async () => {
  const staged = await quickBot({
    gateway: { speed: 0.001 },
    settings: { ...noLimits, GATEWAY_JOBS_AT_ONCE: '60', DEFAULT_MEMBER_BUDGET: '1000 waiting' },
    waits: true,
  });
  const { discord, gateway, config, clock, log, app } = staged;
  // The gateway keeps only its last requests, and these are many.
  let submitted = 0;
  gateway.onHeard(({ path }) => {
    if (path.includes('/submit/')) submitted += 1;
  });
  const file = config.store.url.replace('sqlite://', '');
  const order = async (at: number): Promise<void> => {
    const kind = at % (TASKS / IMAGES) === 0 ? 'imagine' : 'shorten';
    const prompt = `fox number ${at} in the snow`;
    const exchange = await discord.as(at % 2 === 0 ? 'member' : 'other').slash(kind, { prompt });
    await exchange.message(says(`fox number ${at} `));
  };
  // A few at once, because Discord waits only a limited time for an acknowledgement.
  for (let at = 0; at < TASKS; at += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => order(at + i)));
  await expect.poll(() => live(file).length, PATIENT).toBe(TASKS);
  await expect.poll(() => countIn(file, 'waiting'), PATIENT).toBeGreaterThan(100);

  const backup = join(folder(), 'atelier.backup');
  const settings = { STORE_URL: config.store.url, BACKUP_PASSPHRASE: PASSPHRASE };
  const taken = await script('scripts/backup.ts', [backup], settings);
  expect(taken).toMatchObject({
    code: 0,
    out: expect.stringMatching(/rows, \d+ bytes, encrypted\.\nSHA-256 [0-9a-f]{64}\n/),
  });
  const digest = /SHA-256 (\w+)/.exec(taken.out)?.[1] ?? '';

  // The bot continues: tasks that are waiting in the backup are sent and delivered after it.
  gateway.setSpeed(30);
  const posted = (): readonly Message[] => discord.messages('studio');
  const done = (): Message[] => posted().filter(says('Finished in'));
  await expect.poll(() => done().length, PATIENT).toBeGreaterThan(75);
  await app.stop();
  const before = new Map(done().map((message) => [message.id, message]));
  const submittedBefore = submitted;

  const target = join(folder(), 'restored.sqlite');
  const restoreSettings = { ...settings, STORE_URL: `sqlite://${target}` };
  const wrong = await script('scripts/restore.ts', [backup], {
    ...restoreSettings,
    BACKUP_PASSPHRASE: 'some other words',
  });
  expect(wrong).toMatchObject({ code: 78, said: expect.stringContaining('The passphrase is wrong') });
  const dryRun = await script('scripts/restore.ts', [backup, '--dry-run'], restoreSettings);
  expect(dryRun).toMatchObject({ code: 0, out: expect.stringContaining(digest) });
  expect(dryRun.out).toMatch(new RegExp(`^  live +${TASKS}$`, 'm'));
  const restored = await script('scripts/restore.ts', [backup], restoreSettings);
  expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(`Tasks under way: ${TASKS}.`) });
  expect(restored.out).toContain('no problems found');
  const unknown = Number(/members to resolve: (\d+)/.exec(restored.out)?.[1]);
  expect(unknown).toBeGreaterThan(100);
  expect(await script('scripts/restore.ts', [backup], restoreSettings)).toMatchObject({
    code: 78,
    said: expect.stringContaining('is not empty. Set STORE_URL to a new store'),
  });
  truncateSync(backup, 1_000);
  expect(await script('scripts/restore.ts', [backup, '--dry-run'], restoreSettings)).toMatchObject({
    code: 1,
    said: expect.stringContaining('is incomplete or was changed'),
  });
  expect([taken, wrong, dryRun, restored].map(({ out, said }) => out + said).join()).not.toMatch(/words|fox/);

  const again = await startBot({
    ...staged,
    config: { ...config, store: { url: `sqlite://${target}`, scheme: 'sqlite' } },
  });
  await expect.poll(() => live(target).length, PATIENT).toBe(0);
  expect(submitted).toBe(submittedBefore);
  // Results that were shown are still shown, even if the restored store does not know their outcome.
  const now = new Map(posted().map((message) => [message.id, message]));
  for (const [id, message] of before) {
    expect(now.get(id)?.content).toContain('Finished in');
    expect(now.get(id)?.attachments.map(({ id: one }) => one)).toHaveLength(message.attachments.length);
  }
  // Each task has one message, which shows its end, and was announced at most once.
  const shown = posted().filter((message) => pointsAt(message).length > 0);
  const ids = shown.flatMap(pointsAt);
  expect([ids.length, new Set(ids).size]).toEqual([TASKS, TASKS]);
  const isOpen = says('couldn’t confirm whether the gateway accepted this');
  expect(shown.filter((message) => !says('Finished in')(message) && !isOpen(message))).toEqual([]);
  const pings = posted().flatMap(({ message_reference: to }) => to?.message_id ?? []);
  expect(new Set(pings).size).toBe(pings.length);

  const [first, second] = shown.filter(isOpen);
  if (!first || !second) throw new Error('No order with an unknown outcome is left to decide about.');
  expect(labels(first)).toEqual(['Try again (may be charged twice)', 'Dismiss']);
  const owner = async (message: Message): Promise<string> =>
    Number(/number (\d+)/.exec(message.content)?.[1]) % 2 === 0 ? 'member' : 'other';
  const repeated = await discord.as(await owner(first)).click(first, 'Try again (may be charged twice)');
  await repeated.message(says('Finished in'));
  await discord.as(await owner(second)).click(second, 'Dismiss');
  await discord.until(
    () =>
      discord.messages('studio').find(({ id, content }) => id === second.id && !content.includes('couldn’t confirm')),
    'dismissed',
  );
  expect(submitted).toBe(submittedBefore + 1);
  await again.stop();
  const { findings } = await examine(
    { url: `sqlite://${target}`, scheme: 'sqlite' },
    { specs: kindSpecs, clock, log, repair: false },
  );
  expect(findings).toEqual([]);
});
