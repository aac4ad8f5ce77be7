import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { kindSpecs } from '../../src/commands/index.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { backUpStore } from '../../src/services/store/copy/back-up.ts';
import { openBackup } from '../../src/services/store/copy/backup-file.ts';
import { restoreStore } from '../../src/services/store/copy/restore.ts';
import { createTemporaryFolder } from '../services/store/store-fixture.ts';
import { noLimits } from '../support/no-limits.ts';
import { startBot } from './bot.ts';
import { createFastClockFixture, type FastClockFixture, labels, says, spoilersOf, submitCount } from './quick.ts';
import { decide, onlyReport, report, reportRefusal, waitForReport } from './reports.ts';
import { bytesOf } from './tasks/fixture.ts';
import { openDetails, openTask, openTaskList, requestErasure } from './tasks/pages.ts';

const LOG_CHANNEL = 'no-threads';

async function changeRules(
  { discord }: FastClockFixture,
  button: string,
  values: Record<string, unknown>,
): Promise<Message> {
  const admin = discord.as('admin').in('studio');
  const rulesPage = await (await admin.slash('server rules')).message();
  const formExchange = await admin.click(rulesPage, button);
  return (await admin.fill(await formExchange.modal(), values as never)).message();
}

const createImage = (colour: string): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 64, channels: 3, background: colour } })
    .png()
    .toBuffer();

describe('Moderation of images', () => {
  async function moderatedBot(
    values: Record<string, unknown>,
    categories: Record<string, unknown> = {},
    settings: Record<string, string> = {},
  ) {
    const baseFixture = await createFastClockFixture({
      gateway: { speed: 20 },
      settings: { ...noLimits, ...settings },
    });
    const { gateway, config } = baseFixture;
    const moderation = { ...config.moderation, baseUrl: gateway.url, apiKey: config.gateway.apiKey };
    const fixture = { ...baseFixture, config: { ...config, moderation } };
    const app = await startBot(fixture);
    await changeRules(fixture, 'Change log channel', { logChannel: [LOG_CHANNEL] });
    await changeRules(fixture, 'Change moderation', values);
    if (Object.keys(categories).length > 0) await changeRules(fixture, 'Change categories', categories);
    return { ...fixture, app };
  }
  async function confirmingBot(values: Record<string, unknown>) {
    const path = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(path, JSON.stringify({ imagine: '1.25' }));
    const fixture = await moderatedBot(values, {}, { PRICES: path });
    await (await fixture.discord.as('admin').slash('budget set', { confirm_above: '1' })).message();
    return fixture;
  }
  const order = async ({ discord }: FastClockFixture, prompt: string, channel = 'studio') =>
    discord.as('member').in(channel).slash('imagine', { prompt });
  const logMessages = ({ discord }: FastClockFixture) => discord.messages(LOG_CHANNEL);
  const questions = (fixture: FastClockFixture) =>
    logMessages(fixture).filter((one) => labels(one).includes('Publish'));
  /** Waits for the question to the moderators and returns it. */
  async function waitForQuestion(fixture: FastClockFixture): Promise<Message> {
    await expect.poll(() => questions(fixture).length).toBe(1);
    const [found] = questions(fixture);
    if (!found) throw new Error('The question is missing.');
    return found;
  }
  const usageText = async (fixture: FastClockFixture, who: 'server' | 'me') => {
    const admin = fixture.discord.as(who === 'me' ? 'member' : 'admin');
    return text(await (await admin.slash('usage', who === 'me' ? {} : { of: 'server' })).message());
  };

  it('The question about a held private result has no link, says that only its member will see it, and its member is told that moderators see the prompt', async () => {
    const fixture = await moderatedBot({ results: 'hold' });
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'shows:violence', private: true });
    const question = () => logMessages(fixture).find((one) => labels(one).includes('Release'));
    const moderatorQuestion = await fixture.discord.until(question, 'the question');
    expect(text(moderatorQuestion)).toMatch(/^Requested privately by <@\d+>: only they will see it\.$/m);
    await exchange.message(says('waiting for moderators of this server, who can see it and its prompt'));
    const decision = await fixture.discord.as('admin').in(LOG_CHANNEL).click(moderatorQuestion, 'Release');
    expect(text(await decision.message())).toMatch(/^<@\d+> released <@\d+>’s private result\.$/);
    await exchange.message(says('Finished in'));
  });

  it('A held result is shown to no one until a moderator allows it', async () => {
    const fixture = await moderatedBot({ results: 'hold' });
    const { discord } = fixture;
    const exchange = await order(fixture, 'shows:violence');
    const placeholder = await exchange.message(says('is waiting for a moderator'));
    expect(placeholder.attachments).toEqual([]);
    const moderatorQuestion = await waitForQuestion(fixture);
    expect(text(moderatorQuestion)).toContain('flagged it: `violence`');
    expect(text(moderatorQuestion)).toMatch(/: https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+$/m);
    expect(text(moderatorQuestion)).toMatch(/Requested by <@\d+>: .*\nPrompt: shows:violence\n/);
    expect(spoilersOf(moderatorQuestion)[0]).toBe(true);
    const taskPage = await openTask(fixture, await openTaskList(fixture));
    expect(taskPage.attachments).toEqual([]);
    const details = async () => text(await openDetails(fixture, await openTask(fixture, await openTaskList(fixture))));
    const exported = async () => {
      const exchange = await discord.as('member').click(await openTaskList(fixture), 'Export my data');
      return (await bytesOf(await exchange.message(says('contains all data')))).toString();
    };
    expect(await details()).not.toContain('Original: ');
    expect(await exported()).not.toContain('"media"');
    const outsider = await discord.as('other').in(LOG_CHANNEL).click(moderatorQuestion, 'Publish');
    expect(text(await outsider.followUp())).toContain('Only members with the Manage Messages permission');
    const decision = await (await discord.as('admin').in(LOG_CHANNEL).click(moderatorQuestion, 'Publish')).message();
    expect(decision.attachments).toEqual([]);
    const result = await exchange.message(says('Finished in'));
    expect(text(decision)).toMatch(
      new RegExp(
        `approved <@\\d+>’s result\\. It appears where it was requested, if that is still possible\\. https://\\S+/${result.id}$`,
      ),
    );
    expect(result.attachments).toHaveLength(1);
    expect(labels(result)).toContain('U1');
    await expect.poll(details).toContain('Original: ');
    expect(await exported()).toContain('"media"');
    await report(fixture, result);
    await decide(fixture, await onlyReport(fixture), 'Remove');
    await waitForReport(fixture, 'Result removed by');
    expect(discord.messages('studio').some(({ id }) => id === result.id)).toBe(false);
    expect(logMessages(fixture).filter(says('approved <@'))).toHaveLength(1);
  });

  it('A held result survives a restart, and moderators are asked about it once', async () => {
    const fixture = await moderatedBot({ results: 'hold' });
    const exchange = await order(fixture, 'shows:violence');
    const moderatorQuestion = await waitForQuestion(fixture);
    await fixture.app.stop();
    await startBot(fixture);
    // It waits for a moderator, so the start has not resumed it.
    const operatorNotices = () => fixture.discord.messages(fixture.discord.openDirectMessage('owner').id).map(text);
    await expect.poll(operatorNotices).toEqual([expect.stringContaining('The bot has recorded 2 starts')]);
    expect(operatorNotices()[0]).not.toContain('resumed');
    const next = await order(fixture, 'a quiet lake');
    await next.message(says('Finished in'));
    expect(questions(fixture)).toHaveLength(1);
    await (await fixture.discord.as('admin').in(LOG_CHANNEL).click(moderatorQuestion, 'Publish')).message();
    expect((await exchange.message(says('Finished in'))).attachments).toHaveLength(1);
  });

  it('A question about a held result that was deleted is asked again, once, at the next start, and in a new log channel once that is set', async () => {
    const fixture = await moderatedBot({ results: 'hold' });
    const { discord } = fixture;
    const exchange = await order(fixture, 'shows:violence');
    const first = await waitForQuestion(fixture);
    await discord.as('owner').in(LOG_CHANNEL).remove(first);
    await fixture.app.stop();
    let app = await startBot(fixture);
    const second = await waitForQuestion(fixture);
    expect([second.id === first.id, text(second), second.attachments.length]).toEqual([false, text(first), 1]);
    await app.stop();
    app = await startBot(fixture);
    await (await order(fixture, 'a quiet lake')).message(says('Finished in'));
    expect(questions(fixture)).toHaveLength(1);
    // Without a log channel, the result waits.
    discord.world.removeChannel(discord.world.channel(LOG_CHANNEL));
    await app.stop();
    await startBot(fixture);
    await (await order(fixture, 'a calm sea')).message(says('Finished in'));
    await changeRules(fixture, 'Change log channel', { logChannel: ['no-private-threads'] });
    const isThird = (one: Message) => labels(one).includes('Publish');
    const third = await discord.until(() => discord.messages('no-private-threads').find(isThird), 'the third question');
    await (await discord.as('admin').in('no-private-threads').click(third, 'Publish')).message();
    await exchange.message(says('Finished in'));
    expect(discord.messages('no-private-threads').filter((one) => text(one).includes('Prompt: '))).toHaveLength(0);
  });

  for (const [since, speedOfBackup] of [
    ['was being made', 0.001],
    ['was held', 20],
  ] as const)
    it(`Moderators are asked again about a held result that they published after a backup of the time when it ${since}, once the backup is restored`, async () => {
      const fixture = await moderatedBot({ results: 'hold' });
      const { discord, gateway, config, clock, log } = fixture;
      const decide = async (question: Message, label: string) =>
        (await discord.as('admin').in(LOG_CHANNEL).click(question, label)).message();
      gateway.setSpeed(speedOfBackup);
      const exchange = await order(fixture, 'shows:violence');
      await exchange.message(says('shows:violence'));
      if (speedOfBackup === 20) await waitForQuestion(fixture);
      const file = join(createTemporaryFolder(), 'atelier.backup');
      await backUpStore(config.store, file, { log, clock, by: '1.2.3' });
      gateway.setSpeed(20);
      const question = await waitForQuestion(fixture);
      await decide(question, 'Publish');
      const result = await exchange.message(says('Finished in'));
      await fixture.app.stop();
      const store = { url: `sqlite://${join(createTemporaryFolder(), 'restored.sqlite')}`, scheme: 'sqlite' } as const;
      const backup = await openBackup(file, undefined);
      await restoreStore(backup, store, { specs: kindSpecs, botVersion: '1.2.3', clock, log });
      backup.close();
      await startBot({ ...fixture, config: { ...config, store } });
      const secondQuestion = await waitForQuestion(fixture);
      expect(secondQuestion.id).not.toBe(question.id);
      await decide(secondQuestion, 'Delete');
      const shown = () => discord.messages('studio').filter(({ id }) => id === result.id);
      await expect.poll(() => shown().map(text)).toEqual([expect.stringContaining('The result was withheld')]);
      expect(shown()[0]?.attachments).toEqual([]);
    });

  it('A result about which no moderator decides within 7 days is deleted, and its question no longer shows it', async () => {
    const fixture = await moderatedBot({ results: 'hold' });
    const exchange = await order(fixture, 'shows:violence');
    const { id } = await waitForQuestion(fixture);
    fixture.clock.advance(7 * DAY_MS + 60_000);
    const closed = await fixture.discord.until(() =>
      fixture.discord.messages(LOG_CHANNEL).find((one) => one.id === id && text(one).includes('No moderator decided')),
    );
    expect([closed.attachments, labels(closed)]).toEqual([[], []]);
    expect(text(closed)).not.toContain('violence');
    await exchange.message(says('No moderator decided about it within 7 days'));
  });

  it('A deleted result costs its owner nothing, but still counts towards the server’s limits', async () => {
    const fixture = await moderatedBot({ results: 'hold' });
    const exchange = await order(fixture, 'shows:violence');
    const moderatorQuestion = await waitForQuestion(fixture);
    const expectState = async (state: string) => {
      const list = await openTaskList(fixture);
      expect(JSON.stringify(list.components)).toContain(`Imagine · ${state}`);
      expect(text(await openTask(fixture, list))).toContain(state);
    };
    await expectState('Waiting for a moderator');
    expect(text(await (await fixture.discord.as('member').slash('about')).message())).toContain('in progress: 0');
    await (await fixture.discord.as('admin').in(LOG_CHANNEL).click(moderatorQuestion, 'Delete')).message();
    await expectState('Result withheld');
    const withheld = await exchange.message(says('The result was withheld'));
    expect(text(withheld)).toContain('A moderator of this server decided not to show it.');
    expect(withheld.attachments).toEqual([]);
    expect(labels(withheld)).toEqual(['Delete']);
    expect(await reportRefusal(fixture, withheld)).toContain('does not show a result');
    expect(await usageText(fixture, 'server')).toContain('The charge for 1 task was waived');
    expect(await usageText(fixture, 'me')).not.toContain('waived');
  });

  it('A refused result is deleted immediately, and the log names the category', async () => {
    const fixture = await moderatedBot({ results: 'refuse' });
    const exchange = await order(fixture, 'shows:violence');
    const withheld = await exchange.message(says('The result was withheld'));
    expect(withheld.attachments).toEqual([]);
    expect(text(withheld)).toContain('do not allow the generated result. Change the prompt');
    await expect
      .poll(() => logMessages(fixture).map(text).join())
      .toContain('Rule: moderation. Matched: ||`violence`||');
    expect((await (await order(fixture, 'a quiet lake')).message(says('Finished in'))).attachments).toHaveLength(1);
    expect(logMessages(fixture).map(text).join()).toMatch(
      /A result of <@\d+> in <#\d+> was withheld\. Rule: moderation/,
    );
  });

  it('The covers of songs are left out where results are checked', { tags: ['breadth'] }, async () => {
    const { discord } = await moderatedBot({ results: 'refuse' });
    const song = async (channel: string) => {
      const exchange = await discord.as('member').in(channel).slash('music make', { about: 'a lighthouse' });
      const names = (await exchange.message(says('Finished in'))).attachments.map(({ filename }) => filename);
      return names.filter((name) => name.includes('cover')).length;
    };
    expect(await Promise.all([song('studio'), song('hall')])).toEqual([0, 2]);
  });

  it('A result can be hidden behind a spoiler, and no preview of it is shown beforehand', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await moderatedBot({ results: 'spoiler' });
    const exchange = await order(fixture, 'shows:violence');
    expect(spoilersOf(await exchange.message(says('Finished in')))).toEqual([true]);
    const previews = fixture.gateway.requests.filter(({ path }) => path.includes('preview-'));
    expect(previews).toEqual([]);
  });

  it('Age-restricted content can be limited to age-restricted channels', { tags: ['breadth'] }, async () => {
    const fixture = await moderatedBot({ prompts: 'refuse', results: 'hold' }, { ageRestricted: 'channels' });
    const refused = await (await order(fixture, 'flag:sexual')).message((one) => one.ephemeral);
    expect(text(refused)).toContain('allowed only in age-restricted channels. Submit it in one.');
    const withheld = await (await order(fixture, 'shows:sexual')).message(says('The result was withheld'));
    expect(text(withheld)).toContain('allowed only in age-restricted channels. Submit the request in one.');
    const ageRestricted = await order(fixture, 'shows:sexual', 'age-restricted');
    expect((await ageRestricted.message(says('Finished in'))).attachments).toHaveLength(1);
    expect(questions(fixture)).toEqual([]);
  });

  it('A result is shown again only where the rules of that place allow it', { tags: ['breadth'] }, async () => {
    const fixture = await moderatedBot({ results: 'hold' }, { ageRestricted: 'channels' });
    const { discord } = fixture;
    const showAgain = async (channel: string) => {
      const page = await openTask(fixture, await openTaskList(fixture, 'member', {}, channel));
      return discord.as('member').in(channel).click(page, 'Show here');
    };
    await (await order(fixture, 'shows:sexual', 'age-restricted')).message(says('Finished in'));
    const lessRestricted = await (await showAgain('studio')).message((one) => one.ephemeral);
    expect(text(lessRestricted)).toContain('only in age-restricted channels. Show it in one.');
    await (await showAgain('age-restricted')).message(says('Finished in'));
    await (await order(fixture, 'shows:violence', 'hall')).message(says('Finished in'));
    const otherServer = await (await showAgain('studio')).message((one) => one.ephemeral);
    expect(text(otherServer)).toContain('The rules here do not allow this result.');
    await changeRules(fixture, 'Change moderation', { results: 'spoiler' });
    const copy = await (await showAgain('studio')).message(says('Finished in'));
    expect(spoilersOf(copy)).toEqual([true]);
    expect(questions(fixture)).toEqual([]);
  });

  it('While the moderation service is unavailable, results are held, shown or withheld, depending on the server’s rules', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await moderatedBot({ results: 'hold', whenAway: 'refuse' });
    fixture.gateway.faults.add({ on: { path: /moderations/ }, do: { type: 'status', status: 500 }, times: 3 });
    await order(fixture, 'a quiet lake');
    expect(text(await waitForQuestion(fixture))).toContain('could not check it');
    await changeRules(fixture, 'Change moderation', { results: 'hold', whenAway: 'allow' });
    fixture.gateway.faults.add({ on: { path: /moderations/ }, do: { type: 'status', status: 500 }, times: 3 });
    await (await order(fixture, 'a quiet lake')).message(says('Finished in'));
    await changeRules(fixture, 'Change moderation', { results: 'refuse', whenAway: 'refuse' });
    fixture.gateway.faults.add({ on: { path: /moderations/ }, do: { type: 'status', status: 500 }, times: 3 });
    await (await order(fixture, 'a quiet lake')).message(says('The moderation service could not check the result.'));
  });

  it('Results can be held only if there is a log channel; if it is removed later, flagged results are deleted instead', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await moderatedBot({ results: 'hold' });
    const owner = fixture.discord.as('admin').in('studio');
    const logForm = await owner.click(await (await owner.slash('server rules')).message(), 'Change log channel');
    const emptied = await owner.fill(await logForm.modal(), { logChannel: [] });
    expect(text(await emptied.followUp())).toContain('Choose a log channel first');
    await (await owner.slash('budget alerts', { channel: LOG_CHANNEL })).message();
    await changeRules(fixture, 'Change log channel', { logChannel: [] });
    await (await owner.slash('budget alerts', { off: true })).message();
    const exchange = await order(fixture, 'shows:violence');
    expect(text(await exchange.message(says('The result was withheld')))).toContain(
      'but there is no channel where the bot can ask one. Ask an admin to check the log channel',
    );
    const admin = fixture.discord.as('admin').in('studio');
    const rulesPage = await (await admin.slash('server rules')).message();
    expect(text(rulesPage)).toContain('Results that should be held are deleted immediately');
    const formExchange = await admin.click(rulesPage, 'Change moderation');
    const refused = await admin.fill(await formExchange.modal(), { results: 'hold' });
    expect(text(await refused.followUp())).toContain('Choose a log channel first');
    const bytes = Buffer.from(JSON.stringify({ moderation: { results: 'hold' } }));
    const imported = await admin.slash('server import', { file: { name: 'rules.json', bytes } });
    expect(text(await imported.message())).toContain('Choose a log channel first');
  });

  it('Images that members attach are moderated before anything is submitted', async () => {
    const fixture = await moderatedBot({ references: 'refuse' });
    const describeImage = async (colour: string) => {
      const file = { name: 'given.png', bytes: await createImage(colour), contentType: 'image/png' };
      return fixture.discord.as('member').in('studio').slash('describe', { image: file });
    };
    const refused = await (await describeImage('#ff0000')).message((one) => one.ephemeral);
    expect(text(refused)).toContain('The moderation service flagged');
    expect(submitCount(fixture.gateway)).toBe(0);
    await (await describeImage('#3355aa')).message(says('1️⃣'));
  });

  it('A flagged image prompt can be allowed while its result is held for a moderator', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await moderatedBot({ prompts: 'hold' });
    const { discord } = fixture;
    const exchange = await order(fixture, 'flag:violence');
    await exchange.message(says('is waiting for a moderator'));
    const moderatorQuestion = await waitForQuestion(fixture);
    expect(text(moderatorQuestion)).toContain('flagged it: `violence`');
    await discord.as('admin').in(LOG_CHANNEL).click(moderatorQuestion, 'Publish');
    expect((await exchange.message(says('Finished in'))).attachments).toHaveLength(1);
    const unflagged = await order(fixture, 'a quiet lake');
    expect((await unflagged.message(says('Finished in'))).attachments).toHaveLength(1);
    const askExchange = await discord.as('member').slash('ask', { prompt: 'flag:violence' });
    expect(text(await askExchange.message((one) => one.ephemeral))).toContain('flagged your request');
  });

  it('A public question about a flagged prompt and its task show the prompt only once a moderator has published the result', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await confirmingBot({ prompts: 'hold' });
    const { discord } = fixture;
    const question = await (await order(fixture, 'flag:violence')).message(says('This server asks'));
    expect(text(question)).not.toContain('flag:violence');
    const exchange = await discord.as('member').click(question, 'Run');
    expect(text(await exchange.message(says('is waiting for a moderator')))).not.toContain('flag:violence');
    await discord
      .as('admin')
      .in(LOG_CHANNEL)
      .click(await waitForQuestion(fixture), 'Publish');
    expect(text(await exchange.message(says('Finished in')))).toContain('flag:violence');
    const innocent = await (await order(fixture, 'a quiet lake')).message(says('This server asks'));
    expect(text(innocent)).toContain('**a quiet lake**');
  });

  it('A public question disappears if its prompt is refused when it is confirmed, and only its member learns why', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await confirmingBot({ prompts: 'off' });
    const { discord, gateway } = fixture;
    const question = await (await order(fixture, 'flag:violence')).message(says('This server asks'));
    await changeRules(fixture, 'Change moderation', { prompts: 'refuse' });
    const notice = await (await discord.as('member').click(question, 'Run')).followUp();
    expect(text(notice)).toBe(
      '-# Your request: **flag:violence**\nThe moderation service flagged your request, so it was not submitted. Change it and try again.',
    );
    expect(notice.ephemeral).toBe(true);
    await expect.poll(() => discord.messages('studio').some(({ id }) => id === question.id)).toBe(false);
    expect(submitCount(gateway)).toBe(0);
  });

  it('A flagged attached image can be allowed while the result is held for a moderator', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await moderatedBot({ references: 'hold' });
    const file = { name: 'given.png', bytes: await createImage('#ff0000'), contentType: 'image/png' };
    const exchange = await fixture.discord
      .as('member')
      .in('studio')
      .slash('imagine', { prompt: 'a lake', image: file });
    await exchange.message(says('is waiting for a moderator'));
    expect(text(await waitForQuestion(fixture))).toContain('flagged it:');
  });

  it('Erasure of the member’s data does not wait for a decision about a held result, and deletes the question to the moderators', async () => {
    const fixture = await moderatedBot({ results: 'hold' });
    await order(fixture, 'shows:violence');
    await waitForQuestion(fixture);
    const page = await (await requestErasure(fixture)).message(says('has been deleted'));
    expect(text(page)).toContain('(tasks: 1, messages: 2)');
    expect(text(page)).not.toContain('still running');
    expect(questions(fixture)).toEqual([]);
    expect(text(await openTaskList(fixture))).toContain('No tasks found');
  });
});
