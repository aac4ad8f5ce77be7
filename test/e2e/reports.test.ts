import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { noLimits } from '../support/no-limits.ts';
import { hasEnded, models } from './asks/fixture.ts';
import { startBot } from './bot.ts';
import { createFastClockFixture, type FastClockFixture, says, spoilersOf, startFastClockBot } from './quick.ts';
import {
  blockMember,
  buttonsOf,
  changeRules,
  decide,
  decisionRefusal,
  LOG_CHANNEL,
  onlyReport,
  openReport,
  report,
  reportRefusal,
  reportsIn,
  setLogChannel,
  waitForReport,
} from './reports.ts';
import { orderGrid, shortSongs } from './tasks/fixture.ts';
import { openTask, openTaskList, publicMessages, requestErasure } from './tasks/pages.ts';
import { orderSongs } from './tasks/songs.ts';

const HOUR_MS = 3_600_000;

const isPosted = ({ discord }: FastClockFixture, { id }: { id: string }, channel = 'studio'): boolean =>
  discord.messages(channel).some((one) => one.id === id);

async function exportFor({ discord }: FastClockFixture, who: string): Promise<{ reports: object[] }> {
  const page = await (await discord.as(who).slash('tasks')).message();
  const exportMessage = await (await discord.as(who).click(page, 'Export my data')).message(
    (one) => one.attachments.length > 0,
  );
  return (await (await fetch(exportMessage.attachments[0]?.url ?? '')).json()) as { reports: object[] };
}

describe('Reports', () => {
  async function botWithLogChannel(logDays = '') {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    await setLogChannel(fixture, logDays);
    return fixture;
  }

  it('A report shows the moderators everything they need, and the owner of the result is not notified', async () => {
    const fixture = await botWithLogChannel();
    const { discord } = fixture;
    const result = await orderGrid(fixture, { prompt: 'a fox @everyone discord.gg/abcdef' });
    const studioMessages = () => publicMessages(fixture).map(({ id, content }) => ({ id, content }));
    const messagesBefore = studioMessages();
    expect(await report(fixture, result, { words: 'See **this**, @everyone' })).toContain('Reported. The moderators');
    const reportMessage = await onlyReport(fixture);
    const { member, other } = { member: discord.world.user('member').id, other: discord.world.user('other').id };
    expect(text(reportMessage)).toContain(`about <@${member}>’s result: https://discord.com/channels/`);
    expect(text(reportMessage)).toContain(`/${result.id} `);
    expect(text(reportMessage)).toContain('Reason: Hate or harassment');
    expect(text(reportMessage)).toContain('> See \\*\\*this\\*\\*, @everyone');
    expect(text(reportMessage)).toMatch(/Prompt: a fox @everyone /);
    expect(text(reportMessage)).not.toContain('discord.gg/abcdef');
    expect(text(reportMessage)).toContain(`Reported by <@${other}>`);
    expect(text(reportMessage)).toContain('No earlier reports');
    expect(reportMessage.mentions).toEqual([]);
    expect(reportMessage.mention_everyone).toBe(false);
    expect(buttonsOf(reportMessage)).toEqual(['Remove', 'Block member', 'Dismiss']);
    expect(spoilersOf(reportMessage)).toEqual([true]);
    expect(reportMessage.attachments[0]?.size).toBeLessThan(256 * 2 ** 10);
    expect(studioMessages()).toEqual(messagesBefore);
    expect(fixture.logged()).not.toContain('See **this**');
  });

  it('A member can report a result only once, even after a restart, and others can report it too', async () => {
    const fixture = await botWithLogChannel();
    const result = await orderGrid(fixture);
    await report(fixture, result);
    await onlyReport(fixture);
    expect(await reportRefusal(fixture, result)).toContain('already reported');
    await fixture.app.stop();
    await startBot(fixture);
    expect(await reportRefusal(fixture, result)).toContain('already reported');
    await report(fixture, result, { who: 'owner' });
    expect(reportsIn(fixture)).toHaveLength(2);
    expect(text(reportsIn(fixture).at(-1) ?? result)).toMatch(
      /1 earlier report about this member, <t:\d+:R> \(when this message last changed: 0 removed, 0 dismissed, 0 blocked\)/,
    );
  });

  it('Two report forms that are open at the same time create only one report', { tags: ['breadth'] }, async () => {
    const fixture = await botWithLogChannel();
    const other = fixture.discord.as('other');
    const result = await orderGrid(fixture);
    // No token expires while a busy machine starts the process that reads images.
    fixture.clock.stop();
    const forms = [await openReport(fixture, result), await openReport(fixture, result)];
    const submissions = await Promise.all(forms.map(async (one) => other.fill(await one.modal(), { reason: 'spam' })));
    const messages = await Promise.all(submissions.map((one) => one.ephemeral()));
    const replies = messages.map(text);
    // There is nothing to correct in the second one.
    expect(messages.flatMap(buttonsOf)).toEqual([]);
    expect(replies.filter((one) => one.includes('Reported.'))).toHaveLength(1);
    expect(replies.filter((one) => one.includes('already reported'))).toHaveLength(1);
    await onlyReport(fixture);
  });

  it('Remove deletes a reported result everywhere in the server, waives its cost, and takes effect only once', async () => {
    const fixture = await botWithLogChannel();
    const { discord } = fixture;
    const result = await orderGrid(fixture);
    const page = await openTask(fixture, await openTaskList(fixture));
    const copy = await (await discord.as('member').click(page, 'Show here')).message(says('Finished in'));
    await report(fixture, copy);
    const reportMessage = await onlyReport(fixture);
    await Promise.all([decide(fixture, reportMessage, 'Remove'), decide(fixture, reportMessage, 'Remove', 'owner')]);
    const decidedReport = await waitForReport(fixture, 'Result removed by');
    expect(text(decidedReport).match(/Result removed by/g)).toHaveLength(1);
    await expect.poll(() => buttonsOf(reportsIn(fixture)[0] ?? reportMessage)).toEqual(['Block member']);
    expect(isPosted(fixture, result)).toBe(false);
    expect(isPosted(fixture, copy)).toBe(false);
    expect(text(decidedReport)).toContain('Prompt: a fox in the snow');
    const pageAfter = await openTask(fixture, await openTaskList(fixture));
    expect(buttonsOf(pageAfter)).not.toContain('Show here');
    const usage = await (await discord.as('admin').slash('usage', { of: 'server' })).message();
    expect(text(usage)).toContain('The charge for 1 task was waived');
  });

  it('Remove decides every report about the result, and the result counts as removed once', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWithLogChannel();
    const result = await orderGrid(fixture);
    await report(fixture, result);
    await report(fixture, result, { who: 'owner' });
    const [first, second] = reportsIn(fixture);
    if (!first || !second) throw new Error('A report is missing.');
    await decide(fixture, second, 'Remove');
    const buttons = () => reportsIn(fixture).map(buttonsOf);
    await expect.poll(buttons).toEqual([['Block member'], ['Block member']]);
    const decisions = reportsIn(fixture).map((one) => /Result removed by .*/.exec(text(one))?.[0]);
    expect(decisions[0]).toBe(decisions[1]);
    await report(fixture, await orderGrid(fixture, { prompt: 'an owl' }));
    expect(text(reportsIn(fixture).at(-1) ?? result)).toContain('1 removed, 0 dismissed');
  });

  it('If two moderators press buttons of a report at the same time, the second is told that the report has already been handled', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWithLogChannel();
    await report(fixture, await orderGrid(fixture));
    const reportMessage = await onlyReport(fixture);
    const presses = await Promise.all([
      decide(fixture, reportMessage, 'Dismiss'),
      decide(fixture, reportMessage, 'Remove', 'owner'),
    ]);
    const decidedReport = await waitForReport(fixture, 'Report dismissed by');
    expect(text(await (presses[1] ?? presses[0]).ephemeral())).toContain('already been handled');
    expect(text(decidedReport)).not.toContain('removed');
    expect(buttonsOf(decidedReport)).toEqual([]);
  });

  it('Block member blocks the member for the chosen time, and the log says until when', async () => {
    const fixture = await botWithLogChannel();
    const { discord, clock } = fixture;
    const result = await orderGrid(fixture);
    await report(fixture, result);
    const reportMessage = await onlyReport(fixture);
    const forms = [
      await decide(fixture, reportMessage, 'Block member'),
      await decide(fixture, reportMessage, 'Block member'),
    ];
    const [firstBlock, secondBlock] = await Promise.all(
      forms.map(async (one) =>
        discord
          .as('admin')
          .in(LOG_CHANNEL)
          .fill(await one.modal(), { time: 'hour' }),
      ),
    );
    const blockReport = await waitForReport(fixture, 'Member blocked by');
    expect(text(blockReport)).toMatch(/until <t:\d+:f>/);
    expect(blockReport.attachments).toHaveLength(1);
    await expect.poll(() => buttonsOf(reportsIn(fixture)[0] ?? reportMessage)).toEqual(['Remove', 'Dismiss']);
    const refused = await discord.as('member').slash('imagine', { prompt: 'an owl' });
    expect(text(await refused.ephemeral())).toContain('You are blocked from');
    expect(isPosted(fixture, result)).toBe(true);
    const history = await (await discord.as('admin').slash('budget history')).message();
    expect(text(history).match(/blocked <@/g)).toHaveLength(1);
    expect([...(firstBlock?.followUps() ?? []), ...(secondBlock?.followUps() ?? [])].map(text)).toEqual([
      'This report has already been handled.',
    ]);
    clock.advance(HOUR_MS + 60_000);
    await orderGrid(fixture, { prompt: 'an owl' });
    await decide(fixture, reportMessage, 'Dismiss');
    expect((await waitForReport(fixture, 'Report dismissed by')).attachments).toHaveLength(1);
  });

  it('A block that lasts longer than the chosen time stays, and the later report says how long', async () => {
    const fixture = await botWithLogChannel();
    const { discord, clock } = fixture;
    await report(fixture, await orderGrid(fixture));
    const block = async (message: Message, time: string) =>
      discord
        .as('admin')
        .in(LOG_CHANNEL)
        .fill(await (await decide(fixture, message, 'Block member')).modal(), { time });
    await report(fixture, await orderGrid(fixture, { prompt: 'an owl' }));
    await expect.poll(() => reportsIn(fixture)).toHaveLength(2);
    const [first, second] = reportsIn(fixture);
    if (!first || !second) throw new Error('There are no two reports.');
    await block(first, 'always');
    await waitForReport(fixture, 'until an admin unblocks them');
    await block(second, 'hour');
    await expect.poll(() => reportsIn(fixture).filter(says('until an admin unblocks them'))).toHaveLength(2);
    clock.advance(HOUR_MS + 60_000);
    const refused = await discord.as('member').slash('imagine', { prompt: 'an owl' });
    expect(text(await refused.ephemeral())).toContain('You are blocked from');
  });

  it('After a reported result was removed, its owner can still be blocked until an admin unblocks them', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWithLogChannel();
    await report(fixture, await orderGrid(fixture));
    const reportMessage = await onlyReport(fixture);
    await decide(fixture, reportMessage, 'Remove');
    expect((await waitForReport(fixture, 'Result removed by')).attachments).toEqual([]);
    await blockMember(fixture, reportMessage, 'always');
    await waitForReport(fixture, 'until an admin unblocks them');
    await (await fixture.discord.as('admin').slash('budget unblock', { member: 'member' })).message();
    await orderGrid(fixture, { prompt: 'an owl' });
  });

  it('Only moderators can decide on a report, and only admins can block, even with a form opened before they lost the permission', async () => {
    const fixture = await botWithLogChannel();
    const { discord } = fixture;
    await report(fixture, await orderGrid(fixture));
    const reportMessage = await onlyReport(fixture);
    for (const who of ['other', 'member'])
      for (const button of ['Remove', 'Dismiss'])
        expect(await decisionRefusal(fixture, reportMessage, button, who)).toContain(
          'Only members with the Manage Messages permission',
        );
    expect(await decisionRefusal(fixture, reportMessage, 'Block member', 'other')).toContain(
      'Only members with the Manage Server permission',
    );
    const form = await (await decide(fixture, reportMessage, 'Block member')).modal();
    const admins = discord.world.guild('atelier').roles.find(({ name }) => name === 'admins');
    if (admins) Object.assign(admins, { permissions: admins.permissions & ~Permission.ManageGuild });
    const lateBlock = await discord.as('admin').in(LOG_CHANNEL).fill(form, { time: 'day' });
    expect(text(await lateBlock.ephemeral())).toContain('Only members with the Manage Server permission');
    expect(await decisionRefusal(fixture, reportMessage, 'Block member')).toContain(
      'Only members with the Manage Server permission',
    );
    await decide(fixture, reportMessage, 'Dismiss');
    await waitForReport(fixture, 'Report dismissed by');
    await orderGrid(fixture, { prompt: 'an owl' });
  });

  it('A member is told what to do if there is no log channel, and where there are no moderators, Discord does not offer the menu', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { ...noLimits, DISCORD_USER_INSTALL: 'on' },
      registersCommands: { userInstall: true },
    });
    const { discord } = fixture;
    const result = await orderGrid(fixture);
    expect(await reportRefusal(fixture, result)).toContain('no channel for reports. Tell a moderator');
    const memberMessage = await discord.as('member').say('hello');
    await setLogChannel(fixture);
    expect(await reportRefusal(fixture, memberMessage)).toContain('does not show a result of this bot');
    const lobby = discord.as('installer').in('lobby');
    const lobbyResult = await orderGrid(fixture, {}, lobby);
    await expect(lobby.menu('Report', lobbyResult)).rejects.toThrow('Report');
  });

  it('Reports are posted in the alerts channel of /budget if no other channel is set', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    await (await fixture.discord.as('admin').slash('budget alerts', { channel: LOG_CHANNEL })).message();
    await report(fixture, await orderGrid(fixture));
    await onlyReport(fixture);
  });

  it('A report that cannot be posted is refused with a reason and not counted', { tags: ['breadth'] }, async () => {
    const fixture = await botWithLogChannel();
    const result = await orderGrid(fixture);
    const form = await (await openReport(fixture, result)).modal();
    fixture.discord.restrict(LOG_CHANNEL, Permission.SendMessages);
    const submission = await fixture.discord.as('other').fill(form, { reason: 'spam' });
    expect(text(await submission.ephemeral())).toContain('could not be posted in this server’s log channel');
    expect(reportsIn(fixture)).toEqual([]);
    await changeRules(fixture, 'Change log channel', { logChannel: ['studio'] });
    await report(fixture, result);
    await expect
      .poll(() => fixture.discord.messages('studio').filter((one) => text(one).startsWith('**Report**')))
      .toHaveLength(1);
  });

  it('A private result can only be reported by its owner, and its report has no link that no moderator could open', async () => {
    const fixture = await botWithLogChannel();
    const { discord } = fixture;
    const result = await orderGrid(fixture, { prompt: 'my private wish', private: true });
    expect(await report(fixture, result, { who: 'member' })).toContain('Reported.');
    const reported = text(await onlyReport(fixture));
    expect(reported).toContain('Prompt: my private wish');
    expect(reported).toMatch(/^\*\*Report\*\* about <@\d+>’s private result, which only they can open \(<t:\d+:R>\)\n/);
    expect(reported).not.toContain('https://');
    const form = await (await openReport(fixture, await orderGrid(fixture, { prompt: 'a public owl' }))).modal();
    const [, , taskId = ''] = form.customId.split('.');
    const privateResult = await orderGrid(fixture, { prompt: 'another private wish', private: true });
    const ownForm = await (await discord.as('member').menu('Report', privateResult)).modal();
    const forged = { ...form, customId: form.customId.replace(taskId, ownForm.customId.split('.')[2] ?? '') };
    const submission = await discord.as('other').fill(forged, { reason: 'spam' });
    expect(text(await submission.ephemeral())).toContain('does not show a result of this bot');
    expect(reportsIn(fixture)).toHaveLength(1);
  });

  it('Every message of a long answer can be reported, and is removed with the answer', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: { ...noLimits, ...models } });
    await setLogChannel(fixture);
    const { discord } = fixture;
    const exchange = await discord.as('member').slash('ask', { prompt: 'tell me of the snow, 900 words' });
    const first = await exchange.message(hasEnded);
    const continuations = publicMessages(fixture).filter(({ id }) => id !== first.id);
    expect(continuations.length).toBeGreaterThan(1);
    const last = continuations.at(-1) ?? first;
    await report(fixture, last);
    await decide(fixture, await onlyReport(fixture), 'Remove');
    await waitForReport(fixture, 'Result removed by');
    for (const one of [first, ...continuations]) expect(isPosted(fixture, one)).toBe(false);
    expect(buttonsOf(await openTask(fixture, await openTaskList(fixture)))).not.toContain('Show me');
  });

  it('An album is removed with its songs, and none of them is shown again', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 60, studio: shortSongs() },
      settings: noLimits,
    });
    await setLogChannel(fixture);
    const { discord, gateway } = fixture;
    const ids = await orderSongs(gateway, 'Light', 'Storm');
    const exchange = await discord.as('owner').slash('music follow', { ids: ids.join(' ') });
    const album = await exchange.message((one) => one.attachments.length === 8);
    await report(fixture, album);
    await decide(fixture, await onlyReport(fixture), 'Remove');
    await waitForReport(fixture, 'Result removed by');
    await expect.poll(() => isPosted(fixture, album)).toBe(false);
    expect(buttonsOf(await openTask(fixture, await openTaskList(fixture, 'owner'), 'owner'))).not.toContain('Show me');
  });

  it('Removing a reported result that comes from another server deletes only the copy in this server', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWithLogChannel();
    const { discord } = fixture;
    const foreignResult = await orderGrid(fixture, { prompt: 'a neon casino' }, discord.as('member').in('hall'));
    const page = await openTask(fixture, await openTaskList(fixture));
    const copy = await (await discord.as('member').click(page, 'Show here')).message(says('Finished in'));
    await changeRules(fixture, 'Change words', { words: 'casino' });
    await report(fixture, copy);
    const reportMessage = await onlyReport(fixture);
    expect(text(reportMessage)).toContain('Prompt: a neon ▇▇▇');
    await decide(fixture, reportMessage, 'Remove');
    await waitForReport(fixture, 'Result removed by');
    expect(isPosted(fixture, copy)).toBe(false);
    expect(isPosted(fixture, foreignResult, 'hall')).toBe(true);
    expect(buttonsOf(await openTask(fixture, await openTaskList(fixture)))).toContain('Show here');
  });

  it('A list of tasks cannot be reported, nor the page of a task of another server', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWithLogChannel();
    const hall = fixture.discord.as('member').in('hall');
    const prompts = Array.from({ length: 11 }, (_, index) => `secret ${index}`);
    fixture.gateway.faults.add({ do: 'fail', times: prompts.length });
    for (const prompt of prompts)
      await (await hall.slash('imagine', { prompt, private: true })).message(says('This task failed'));
    const list = await openTaskList(fixture);
    expect(buttonsOf(list)).toContain('Older');
    expect(await reportRefusal(fixture, list, 'member')).toContain('does not show a result of this bot');
    const page = await openTask(fixture, list);
    expect(await reportRefusal(fixture, page, 'member')).toContain('does not show a result of this bot');
    expect(reportsIn(fixture)).toEqual([]);
  });

  it('The number of reports per hour is limited for each member and server', { tags: ['breadth'] }, async () => {
    const fixture = await botWithLogChannel();
    const results = [];
    for (let index = 0; index < 6; index++) results.push(await orderGrid(fixture, { prompt: `fox ${index}` }));
    for (const result of results.slice(0, 5)) await report(fixture, result);
    const [last] = results.slice(5);
    if (!last) throw new Error('The report is missing.');
    expect(await reportRefusal(fixture, last)).toContain('sent many reports in the last hour');
    await report(fixture, last, { who: 'owner' });
    fixture.clock.advance(HOUR_MS + 1_000);
    await report(fixture, last);
  });

  it('Reports and removals that were interrupted by a stop are carried out once after the next start', async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 }, settings: noLimits });
    const { discord } = fixture;
    const first = await startBot(fixture);
    await setLogChannel(fixture);
    const result = await orderGrid(fixture);
    const form = await (await openReport(fixture, result)).modal();
    const logRoute = new RegExp(`channels/${discord.world.channel(LOG_CHANNEL).id}/messages`);
    // The message arrives, but every response is lost, however often discord.js retries.
    discord.faults.add({ on: { method: 'POST', route: logRoute }, do: { type: 'reset', done: true }, times: 5 });
    await discord.as('other').fill(form, { reason: 'spam' });
    const reportMessage = await onlyReport(fixture);
    await first.stop();
    discord.faults.clear();
    const second = await startBot(fixture);
    discord.faults.add({ on: { method: 'DELETE' }, do: { type: 'status', status: 503 }, times: 1_000 });
    await decide(fixture, reportMessage, 'Remove');
    await expect.poll(() => fixture.logged()).toContain('Could not delete a message by this route');
    expect(isPosted(fixture, result)).toBe(true);
    await second.stop();
    discord.faults.clear();
    await startBot(fixture);
    await waitForReport(fixture, 'Result removed by');
    await expect.poll(() => isPosted(fixture, result)).toBe(false);
    expect(reportsIn(fixture)).toHaveLength(1);
  });

  it('A report that Discord does not accept yet is posted later, and if Discord then refuses it, the member who reported gets a direct message', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWithLogChannel();
    const { discord, clock } = fixture;
    const logRoute = new RegExp(`channels/${discord.world.channel(LOG_CHANNEL).id}/messages`);
    const failLogChannel = () =>
      discord.faults.add({ on: { route: logRoute }, do: { type: 'status', status: 503 }, times: 1_000 });
    const [first, second] = [await orderGrid(fixture), await orderGrid(fixture, { prompt: 'an owl' })];
    failLogChannel();
    expect(await report(fixture, first)).toContain('Your report has been saved');
    discord.faults.clear();
    clock.advance(10 * 60_000);
    await onlyReport(fixture);
    failLogChannel();
    expect(await report(fixture, second)).toContain('Your report has been saved');
    discord.restrict(LOG_CHANNEL, Permission.SendMessages);
    discord.faults.clear();
    clock.advance(10 * 60_000);
    const directMessages = () => discord.messages(discord.openDirectMessage('other').id).map(text);
    await expect.poll(directMessages).toEqual([expect.stringContaining('could not be posted')]);
    expect(reportsIn(fixture)).toHaveLength(1);
  });

  it('Erasing the data of a result’s owner deletes the report about the result', async () => {
    const fixture = await botWithLogChannel();
    await report(fixture, await orderGrid(fixture));
    const reportMessage = await onlyReport(fixture);
    await requestErasure(fixture);
    await expect.poll(() => reportsIn(fixture)).toEqual([]);
    expect(isPosted(fixture, reportMessage, LOG_CHANNEL)).toBe(false);
  });

  it('Erasing the data of the member who reported removes their name and text from the report, and erasing a moderator’s data removes their name', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWithLogChannel();
    const result = await orderGrid(fixture);
    await report(fixture, result, { words: 'my own words' });
    const reportMessage = await onlyReport(fixture);
    expect((await exportFor(fixture, 'other')).reports).toMatchObject([{ reason: 'hate', words: 'my own words' }]);
    expect((await exportFor(fixture, 'member')).reports).toEqual([]);
    await requestErasure(fixture, 'other');
    const anonymisedReport = await waitForReport(fixture, 'Reported by Deleted Member');
    expect(text(anonymisedReport)).not.toContain('my own words');
    expect(text(anonymisedReport)).toContain('a fox in the snow');
    expect(await reportRefusal(fixture, result)).toContain('already reported');
    await decide(fixture, reportMessage, 'Dismiss');
    await waitForReport(fixture, 'Report dismissed by');
    expect((await exportFor(fixture, 'admin')).reports).toMatchObject([{ decided: [{ what: 'dismissed' }] }]);
    await requestErasure(fixture, 'admin');
    await waitForReport(fixture, 'Report dismissed by Deleted Member on');
  });
});
