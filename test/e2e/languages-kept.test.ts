import { join } from 'node:path';
import { expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { kindSpecs } from '../../src/commands/index.ts';
import { sayIn } from '../../src/locales/index.ts';
import { fileOf } from '../../src/services/store/backend.ts';
import { backUpStore } from '../../src/services/store/copy/back-up.ts';
import { openBackup } from '../../src/services/store/copy/backup-file.ts';
import { restoreStore } from '../../src/services/store/copy/restore.ts';
import { examine } from '../../src/services/store/examination/examination.ts';
import { createTemporaryFolder, keysIn, sql } from '../services/store/store-fixture.ts';
import { hasEnded, models } from './asks/fixture.ts';
import { startBot } from './bot.ts';
import { replyTo, toBot } from './mentions/fixture.ts';
import { createFastClockFixture, type FastClockFixture, labels } from './quick.ts';
import { changeRules, LOG_CHANNEL, setLogChannel } from './reports.ts';
import { changeSettings } from './settings/fixture.ts';
import { bytesOf } from './tasks/fixture.ts';

const [german, french, japanese] = [sayIn('de'), sayIn('fr'), sayIn('ja')];

const createKeptFixture = () => createFastClockFixture({ settings: models, gateway: { speed: 20 } });

it('After a restart, a member is answered in the language of their newest task, and one who has no task and the log channel in that of the server', async () => {
  const fixture = await createKeptFixture();
  const { discord } = fixture;
  const first = await startBot(fixture);
  const [member, other] = [discord.as('member'), discord.as('other')];
  await changeRules(fixture, 'Change words', { words: 'casino' });
  await setLogChannel(fixture);
  discord.world.user('member').locale = 'ja';
  discord.world.guild('atelier').locale = 'de';
  await (await member.slash('imagine', { prompt: 'a fox' })).message((message) =>
    labels(message).includes(german('task.buttons.delete')),
  );
  await first.stop();
  await startBot(fixture);
  const refused = await replyTo(discord, 'studio', await other.say(toBot(discord, 'a casino?')), (reply) =>
    labels(reply).includes(german('ask.mention.showReason')),
  );
  expect(text(refused)).toBe(german('ask.mention.refused'));
  const logged = () => discord.messages(LOG_CHANNEL).map(text).join();
  await expect.poll(logged).toContain(german('rules.names.words'));
  const answer = await replyTo(discord, 'studio', await member.say(toBot(discord, 'snow?')));
  expect(labels(answer)).toContain(japanese('ask.buttons.continue'));
});

/** The languages in an export: of settings, of messages, of Discord, and what the model was told. */
async function exportedLanguages({ discord }: FastClockFixture): Promise<unknown[]> {
  const member = discord.as('member');
  const list = await (await member.slash('tasks')).message();
  const data = JSON.parse(
    (await bytesOf(await (await member.click(list, japanese('ownData.buttons.export'))).message())).toString(),
  );
  return [
    ...data.preferences.map((one: { set: object }) => one.set),
    ...data.tasks.map((task: { language: string; route: { locale: string }; request: { memberLanguage?: string } }) => [
      task.language,
      task.route.locale,
      task.request.memberLanguage,
    ]),
  ];
}

it('The languages of a member are in their export and in a backup, and gone after an erasure; a damaged one is left out, with nothing else', async () => {
  const fixture = await createKeptFixture();
  const { discord, config, clock, log } = fixture;
  const first = await startBot(fixture);
  const member = discord.as('member');
  discord.world.user('member').locale = 'fr';
  await changeSettings(member, 'settings', french('settings.buttons.replies'), { language: 'ja', private: 'on' });
  await (await member.slash('imagine', { prompt: 'a fox' })).message(hasEnded);
  await (await member.slash('ask', { prompt: 'snow?' })).message(hasEnded);
  const exported = [{ language: 'ja', isPrivate: true }, ['ja', 'fr', 'ja'], ['ja', 'fr', undefined]];
  expect(await exportedLanguages(fixture)).toEqual(exported);
  await first.stop();
  const file = join(createTemporaryFolder(), 'atelier.backup');
  await backUpStore(config.store, file, { log, clock, by: '1.2.3' });

  sql(fileOf(config.store), `UPDATE atelier SET value = replace(value, '"language":"ja"', '"language":7')`);
  const { findings } = await examine(config.store, { specs: kindSpecs, clock, log, repair: true });
  expect(findings).toEqual([]);
  const damaged = await startBot(fixture);
  expect(text(await (await member.slash('settings')).message())).toContain(french('settings.titles.member'));
  expect((await (await member.slash('imagine', { prompt: 'an owl' })).message()).ephemeral).toBe(true);
  await damaged.stop();

  const store = { url: `sqlite://${join(createTemporaryFolder(), 'restored.sqlite')}`, scheme: 'sqlite' } as const;
  const backup = await openBackup(file, undefined);
  await restoreStore(backup, store, { specs: kindSpecs, botVersion: '1.2.3', clock, log });
  backup.close();
  await startBot({ ...fixture, config: { ...config, store } });
  expect(await exportedLanguages(fixture)).toEqual(exported);
  let page = await (await member.slash('tasks')).message();
  for (const button of ['delete', 'confirm', 'confirmAgain'] as const) {
    const label = japanese(`ownData.buttons.${button}`);
    page = await (await member.click(page, label)).message((changed) => !labels(changed).includes(label));
  }
  await expect
    .poll(() => [keysIn(fileOf(store), 'preferences'), keysIn(fileOf(store), 'forgetting')])
    .toEqual([[], []]);
  const rows = JSON.stringify(sql(fileOf(store), 'SELECT value FROM atelier').map(({ value }) => value));
  expect(rows).not.toMatch(/anguage|locale/);
});
