import { expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { languages } from '../../src/lib/languages.ts';
import { type Say, sayIn } from '../../src/locales/index.ts';
import { hasEnded, modelRequests } from './asks/fixture.ts';
import { startBot } from './bot.ts';
import { replyTo, startMentionBot, toBot } from './mentions/fixture.ts';
import { createFastClockFixture, labels, says, startFastClockBot } from './quick.ts';
import { changeRules, LOG_CHANNEL, setLogChannel } from './reports.ts';
import { changeSettings } from './settings/fixture.ts';
import { bytesOf } from './tasks/fixture.ts';

const [english, german, japanese, spanish] = [sayIn('en'), sayIn('de'), sayIn('ja'), sayIn('es-ES')];

/** Chooses languages in Discord. */
function speak({ world }: EmbeddedDiscord, { member, server = 'en-US' }: { member: string; server?: string }): void {
  world.user('member').locale = member;
  world.guild('atelier').locale = server;
}

/** Whether the message shows the end of a task, in this language. */
const isEndIn =
  (say: Say) =>
  (message: Message): boolean =>
    labels(message).includes(say('task.buttons.delete'));

it('What only a member sees is in the language of their Discord, and what all see in that of the server', {
  tags: ['breadth'],
}, async () => {
  const { discord } = await startFastClockBot();
  const member = discord.as('member');
  speak(discord, { member: 'de' });
  await (await member.slash('imagine', { prompt: 'a fox' })).message(isEndIn(english));
  const own = await (await member.slash('imagine', { prompt: 'an owl', private: true })).message(isEndIn(german));
  expect(own.ephemeral).toBe(true);
  const refused = await (await member.slash('imagine', { prompt: ' ' })).message();
  expect(text(refused)).toContain(german('refusals.optionPromptEmpty'));
  speak(discord, { member: 'ja', server: 'de' });
  const shown = await (await member.slash('imagine', { prompt: 'a crow' })).message(isEndIn(german));
  expect(shown.ephemeral).toBe(false);
  const refusedHere = await (await member.slash('imagine', { prompt: ' ' })).message();
  expect(text(refusedHere)).toContain(japanese('refusals.optionPromptEmpty'));
});

it('What only a member sees is in each language that the bot speaks, that of Latin America in Spanish, and in English for all other locales', async () => {
  const { discord } = await startFastClockBot();
  const spoken = languages.map((language) => [language === 'en' ? 'en-US' : language, language] as const);
  const others = [
    ['es-419', 'es-ES'],
    ['en-GB', 'en'],
    ['zh-TW', 'en'],
    ['it', 'en'],
  ] as const;
  for (const [locale, language] of [...spoken, ...others]) {
    speak(discord, { member: locale, server: 'ko' });
    const refused = await (await discord.as('member').slash('imagine', { prompt: ' ' })).message();
    expect([locale, text(refused)]).toEqual([locale, sayIn(language)('refusals.optionPromptEmpty')]);
  }
});

it('The help for an operator, which is the longest page, is complete in each language', async () => {
  const { discord } = await startFastClockBot();
  for (const language of languages) {
    discord.world.user('owner').locale = language;
    const page = text(await (await discord.as('owner').slash('help')).message());
    expect(page.endsWith(sayIn(language)('help.mentions.server')), language).toBe(true);
  }
});

it('In a group, a direct message and a server without the bot, what all see is in the language of the member who has installed it', async () => {
  const { discord } = await startFastClockBot({ settings: { DISCORD_USER_INSTALL: 'on' }, gateway: { speed: 20 } });
  discord.world.user('installer').locale = 'ja';
  discord.world.guild('uninvited').locale = 'de';
  for (const channel of ['friends', 'dm', 'lobby']) {
    const exchange = await discord.as('installer').in(channel).slash('imagine', { prompt: 'a fox' });
    expect((await exchange.message(isEndIn(japanese))).ephemeral).toBe(false);
  }
});

it('The log channel and the alerts there are in the language of the server, or in that of the settings of the channel', {
  tags: ['breadth'],
}, async () => {
  const { discord } = await startFastClockBot({ gateway: { speed: 20 } });
  const admin = discord.as('admin');
  discord.world.guild('atelier').locale = 'de';
  await (await admin.slash('budget alerts', { channel: 'no-threads' })).message();
  await (await admin.slash('budget set', { limits: '1 task a day' })).message();
  await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(isEndIn(german));
  const shown = (): string => discord.messages('no-threads').map(text).join();
  await expect.poll(shown).toContain(german('budget.alert.title'));
  await changeSettings(discord.as('owner').in('no-threads'), 'channel edit', 'Change replies', { language: 'ja' });
  await changeRules({ discord }, 'Change words', { words: 'casino' });
  await expect
    .poll(shown)
    .toContain(japanese('rules.log.changed', { who: `<@${discord.world.user('admin').id}>`, count: 1 }));
});

it('The first message in a new log or alerts channel is in the language of its server or channel, not in that of the admin', async () => {
  const fixture = await startFastClockBot();
  const { discord } = fixture;
  const shown = (): string[] => discord.messages(LOG_CHANNEL).map(text);
  discord.world.guild('atelier').locale = 'de';
  await (await discord.as('admin').slash('budget alerts', { channel: LOG_CHANNEL })).message();
  expect(shown()).toEqual([german('budget.alert.here')]);
  await changeSettings(discord.as('owner').in(LOG_CHANNEL), 'channel edit', 'Change replies', { language: 'ja' });
  await setLogChannel(fixture);
  expect(shown()).toContain(japanese('rules.log.here'));
});

it('A setting of a member wins for what only they read, and one of the server for what all read; the page is in the new language at once', {
  tags: ['breadth'],
}, async () => {
  const { discord } = await startFastClockBot({ settings: { DISCORD_USER_INSTALL: 'on' } });
  const [member, owner] = [discord.as('member'), discord.as('owner')];
  speak(discord, { member: 'es-419', server: 'fr' });
  const page = await (await member.slash('settings')).message();
  expect(text(page)).toContain(spanish('settings.titles.member'));
  const form = await (await member.click(page, spanish('settings.buttons.replies'))).modal();
  const changed = await (await member.fill(form, { language: 'ja' })).message();
  expect(text(changed)).toContain(japanese('settings.titles.member'));
  expect(text(changed)).toContain(`${japanese('settings.fields.language')}：日本語`);
  await changeSettings(owner, 'server defaults', 'Change replies', { language: 'de' });
  await (await member.slash('imagine', { prompt: 'a fox' })).message(isEndIn(german));
  await (await member.slash('imagine', { prompt: 'an owl', private: true })).message(isEndIn(japanese));
  await (await member.in('dm').slash('imagine', { prompt: 'a crow' })).message(isEndIn(japanese));
});

it('/setup asks for the language of the server, and says where it comes from', { tags: ['breadth'] }, async () => {
  const { discord } = await startFastClockBot();
  const admin = discord.as('admin');
  const overview = await (await admin.click(await (await admin.slash('setup')).message(), 'All steps')).message();
  expect(text(overview)).toContain('English, as in Discord');
  const chosen = await (await admin.choose(overview, english('setup.language.choose'), ['de'])).message();
  expect(text(chosen)).toContain('**Language:** Deutsch.');
  await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(isEndIn(german));
});

it('A task keeps its language across a restart and in later edits, whatever its server speaks by then', async () => {
  const fixture = await createFastClockFixture();
  const { discord, gateway } = fixture;
  const first = await startBot(fixture);
  speak(discord, { member: 'en-US', server: 'de' });
  gateway.faults.add({ do: 'stick' });
  const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
  await exchange.message(({ content }) => content.includes('%'));
  await first.stop();
  speak(discord, { member: 'en-US' });
  await startBot(fixture);
  gateway.jobs.finish(gateway.jobs.list()[0]?.id ?? '');
  const shown = await exchange.message(isEndIn(german));
  // What a press shows is in the language of those who read it.
  discord.world.user('other').locale = 'ja';
  const refused = await (await discord.as('other').click(shown, german('task.buttons.delete'))).followUp();
  expect([refused.ephemeral, text(refused)]).toEqual([true, japanese('refusals.notYoursToDelete')]);
});

it('A mention is answered in the language that its author had last, or else in that of the server, and the model is told a language other than English', async () => {
  const { discord, gateway } = await startMentionBot();
  const member = discord.as('member');
  speak(discord, { member: 'ja', server: 'de' });
  const hint = () => modelRequests(gateway).at(-1)?.instructions;
  const unknown = await replyTo(discord, 'studio', await member.say(toBot(discord, 'snow?')));
  expect(labels(unknown)).toContain(german('ask.buttons.continue'));
  expect(hint()).toBeUndefined();
  await (await member.slash('settings')).message();
  const known = await replyTo(discord, 'studio', await member.say(toBot(discord, 'rain?')));
  expect(labels(known)).toContain(japanese('ask.buttons.continue'));
  expect(hint()).toBe('The language of the member is Japanese.');
  const locales = [
    ['es-419', 'Latin American Spanish'],
    ['zh-TW', 'Chinese (Taiwan)'],
    ['it', 'Italian'],
    ['en-GB', undefined],
  ];
  for (const [locale = '', name] of locales) {
    speak(discord, { member: locale });
    await (await member.slash('ask', { prompt: 'hail?', new: true })).message(hasEnded);
    expect([locale, hint()]).toEqual([locale, name && `The language of the member is ${name}.`]);
  }
});

it('Notices to the operator are English, or in the language that the operator has set', async () => {
  const { discord } = await startFastClockBot({ settings: { OPERATOR_LANGUAGE: 'de' } });
  speak(discord, { member: 'ja', server: 'ja' });
  const notices = () => discord.messages(discord.openDirectMessage('owner').id).map(text);
  await expect.poll(notices).toEqual([german('notices.started.same', { version: '1.2.3' })]);
});

it('Why a request failed is said in the language of its message, and an export explains itself in that of its reader', async () => {
  const { discord, gateway } = await startFastClockBot();
  const member = discord.as('member');
  speak(discord, { member: 'ja', server: 'de' });
  gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'accepted-then-reset' });
  const lost = await (await member.slash('imagine', { prompt: 'a fox' })).message(says(german('task.unconfirmed')));
  expect(lost.content).toContain(german('task.reason', { reason: german('reasons.dropped') }));
  const list = await (await member.slash('tasks')).message();
  const file = await (await member.click(list, japanese('ownData.buttons.export'))).message();
  const { about, tasks } = JSON.parse((await bytesOf(file)).toString());
  expect(about.ledger).toBe(japanese('ownData.explained.ledger'));
  expect(tasks[0].failure.reason).toEqual({ name: 'dropped', variables: {} });
});
