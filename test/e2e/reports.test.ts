import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { noLimits } from '../support/no-limits.ts';
import { hasEnded, models } from './asks/proof.ts';
import { startBot } from './bot.ts';
import { describeProfiles } from './profiles.ts';
import { createFastClockStage, type FastClockStage, says, startFastClockBot } from './quick.ts';
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
import { openTask, openTaskList, publicMessages, requestErasure } from './tasks/pages.ts';
import { orderGrid, shortSongs } from './tasks/proof.ts';
import { orderSongs } from './tasks/songs.ts';

const HOUR_MS = 3_600_000;

const isPosted = ({ discord }: FastClockStage, { id }: { id: string }, channel = 'studio'): boolean =>
  discord.messages(channel).some((one) => one.id === id);

async function exportFor({ discord }: FastClockStage, who: string): Promise<{ reports: object[] }> {
  const page = await (await discord.as(who).slash('tasks')).message();
  const exportMessage = await (await discord.as(who).click(page, 'Export my data')).message(
    (one) => one.attachments.length > 0,
  );
  return (await (await fetch(exportMessage.attachments[0]?.url ?? '')).json()) as { reports: object[] };
}

describeProfiles('Reports', (profile) => {
  async function botWithLogChannel(logDays = '') {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 }, settings: noLimits });
    await setLogChannel(stage, logDays);
    return stage;
  }

  it('A report shows the moderators everything they need, and the owner of the result is not notified', async () => {
    const stage = await botWithLogChannel();
    const { discord } = stage;
    const result = await orderGrid(stage, { prompt: 'a fox @everyone discord.gg/abcdef' });
    const studioMessages = () => publicMessages(stage).map(({ id, content }) => ({ id, content }));
    const messagesBefore = studioMessages();
    expect(await report(stage, result, { words: 'See **this**, @everyone' })).toContain('Reported. The moderators');
    const reportMessage = await onlyReport(stage);
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
    expect(reportMessage.attachments.map(({ filename }) => filename)).toEqual([expect.stringMatching(/^SPOILER_/)]);
    expect(reportMessage.attachments[0]?.size).toBeLessThan(256 * 2 ** 10);
    expect(studioMessages()).toEqual(messagesBefore);
    expect(stage.logged()).not.toContain('See **this**');
  });

  it('A member can report a result only once, even after a restart, and others can report it too', async () => {
    const stage = await botWithLogChannel();
    const result = await orderGrid(stage);
    await report(stage, result);
    await onlyReport(stage);
    expect(await reportRefusal(stage, result)).toContain('already reported');
    await stage.app.stop();
    await startBot(stage);
    expect(await reportRefusal(stage, result)).toContain('already reported');
    await report(stage, result, { who: 'owner' });
    expect(reportsIn(stage)).toHaveLength(2);
    expect(text(reportsIn(stage).at(-1) ?? result)).toContain('1 earlier report about this member');
  });

  it('Two report forms that are open at the same time create only one report', async () => {
    const stage = await botWithLogChannel();
    const other = stage.discord.as('other');
    const result = await orderGrid(stage);
    const forms = [await openReport(stage, result), await openReport(stage, result)];
    const submissions = await Promise.all(forms.map(async (one) => other.fill(await one.modal(), { reason: 'spam' })));
    const replies = await Promise.all(submissions.map(async (one) => text(await one.ephemeral())));
    expect(replies.filter((one) => one.includes('Reported.'))).toHaveLength(1);
    expect(replies.filter((one) => one.includes('already reported'))).toHaveLength(1);
    await onlyReport(stage);
  });

  it('Remove deletes a reported result everywhere in the server, waives its cost, and takes effect only once', async () => {
    const stage = await botWithLogChannel();
    const { discord } = stage;
    const result = await orderGrid(stage);
    const page = await openTask(stage, await openTaskList(stage));
    const copy = await (await discord.as('member').click(page, 'Show here')).message(says('Finished in'));
    await report(stage, copy);
    const reportMessage = await onlyReport(stage);
    await Promise.all([decide(stage, reportMessage, 'Remove'), decide(stage, reportMessage, 'Remove', 'owner')]);
    const decidedReport = await waitForReport(stage, 'Result removed by');
    expect(text(decidedReport).match(/Result removed by/g)).toHaveLength(1);
    await expect.poll(() => buttonsOf(reportsIn(stage)[0] ?? reportMessage)).toEqual(['Block member']);
    expect(isPosted(stage, result)).toBe(false);
    expect(isPosted(stage, copy)).toBe(false);
    expect(text(decidedReport)).toContain('Prompt: a fox in the snow');
    const pageAfter = await openTask(stage, await openTaskList(stage));
    expect(buttonsOf(pageAfter)).not.toContain('Show here');
    const usage = await (await discord.as('admin').slash('usage', { of: 'server' })).message();
    expect(text(usage)).toContain('The charge for 1 task was waived');
  });

  it('If two moderators press buttons of a report at the same time, the second is told that the report has already been handled', async () => {
    const stage = await botWithLogChannel();
    await report(stage, await orderGrid(stage));
    const reportMessage = await onlyReport(stage);
    const presses = await Promise.all([
      decide(stage, reportMessage, 'Dismiss'),
      decide(stage, reportMessage, 'Remove', 'owner'),
    ]);
    const decidedReport = await waitForReport(stage, 'Report dismissed by');
    expect(text(await (presses[1] ?? presses[0]).ephemeral())).toContain('already been handled');
    expect(text(decidedReport)).not.toContain('removed');
    expect(buttonsOf(decidedReport)).toEqual([]);
  });

  it('Block member blocks the member for the chosen time, and the log says until when', async () => {
    const stage = await botWithLogChannel();
    const { discord, clock } = stage;
    const result = await orderGrid(stage);
    await report(stage, result);
    const reportMessage = await onlyReport(stage);
    const forms = [
      await decide(stage, reportMessage, 'Block member'),
      await decide(stage, reportMessage, 'Block member'),
    ];
    const [firstBlock, secondBlock] = await Promise.all(
      forms.map(async (one) =>
        discord
          .as('admin')
          .in(LOG_CHANNEL)
          .fill(await one.modal(), { time: 'hour' }),
      ),
    );
    const blockReport = await waitForReport(stage, 'Member blocked by');
    expect(text(blockReport)).toMatch(/until <t:\d+:f>/);
    await expect.poll(() => buttonsOf(reportsIn(stage)[0] ?? reportMessage)).toEqual(['Remove', 'Dismiss']);
    const refused = await discord.as('member').slash('imagine', { prompt: 'an owl' });
    expect(text(await refused.ephemeral())).toContain('has blocked you');
    expect(isPosted(stage, result)).toBe(true);
    const history = await (await discord.as('admin').slash('budget history')).message();
    expect(text(history).match(/blocked <@/g)).toHaveLength(1);
    expect([...(firstBlock?.followUps() ?? []), ...(secondBlock?.followUps() ?? [])].map(text)).toEqual([
      'This report has already been handled.',
    ]);
    clock.advance(HOUR_MS + 60_000);
    await orderGrid(stage, { prompt: 'an owl' });
    await decide(stage, reportMessage, 'Dismiss');
    await waitForReport(stage, 'Report dismissed by');
  });

  it('After a reported result was removed, its owner can still be blocked until an admin unblocks them', async () => {
    const stage = await botWithLogChannel();
    await report(stage, await orderGrid(stage));
    const reportMessage = await onlyReport(stage);
    await decide(stage, reportMessage, 'Remove');
    await waitForReport(stage, 'Result removed by');
    await blockMember(stage, reportMessage, 'always');
    await waitForReport(stage, 'until an admin unblocks them');
    await (await stage.discord.as('admin').slash('budget unblock', { member: 'member' })).message();
    await orderGrid(stage, { prompt: 'an owl' });
  });

  it('Only moderators can decide on a report, and only admins can block, even with a form opened before they lost the permission', async () => {
    const stage = await botWithLogChannel();
    const { discord } = stage;
    await report(stage, await orderGrid(stage));
    const reportMessage = await onlyReport(stage);
    for (const who of ['other', 'member'])
      for (const button of ['Remove', 'Dismiss'])
        expect(await decisionRefusal(stage, reportMessage, button, who)).toContain(
          'Only members with the Manage Messages permission',
        );
    expect(await decisionRefusal(stage, reportMessage, 'Block member', 'other')).toContain(
      'Only members with the Manage Server permission',
    );
    const form = await (await decide(stage, reportMessage, 'Block member')).modal();
    const admins = discord.world.guild('atelier').roles.find(({ name }) => name === 'admins');
    if (admins) Object.assign(admins, { permissions: admins.permissions & ~Permission.ManageGuild });
    const lateBlock = await discord.as('admin').in(LOG_CHANNEL).fill(form, { time: 'day' });
    expect(text(await lateBlock.ephemeral())).toContain('Only members with the Manage Server permission');
    expect(await decisionRefusal(stage, reportMessage, 'Block member')).toContain(
      'Only members with the Manage Server permission',
    );
    await decide(stage, reportMessage, 'Dismiss');
    await waitForReport(stage, 'Report dismissed by');
    await orderGrid(stage, { prompt: 'an owl' });
  });

  it('A member is told what to do if there is no log channel, and where there are no moderators, Discord does not offer the menu', async () => {
    const stage = await startFastClockBot({
      gateway: { profile, speed: 20 },
      settings: { ...noLimits, DISCORD_USER_INSTALL: 'on' },
      registersCommands: { userInstall: true },
    });
    const { discord } = stage;
    const result = await orderGrid(stage);
    expect(await reportRefusal(stage, result)).toContain('no channel for reports. Tell a moderator');
    const memberMessage = await discord.as('member').say('hello');
    await setLogChannel(stage);
    expect(await reportRefusal(stage, memberMessage)).toContain('does not show a result of this bot');
    const lobby = discord.as('installer').in('lobby');
    const lobbyResult = await orderGrid(stage, {}, lobby);
    await expect(lobby.menu('Report', lobbyResult)).rejects.toThrow('Report');
  });

  it('Reports are posted in the alerts channel of /budget if no other channel is set', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 }, settings: noLimits });
    await (await stage.discord.as('admin').slash('budget alerts', { channel: LOG_CHANNEL })).message();
    await report(stage, await orderGrid(stage));
    await onlyReport(stage);
  });

  it('A report that cannot be posted is refused with a reason and not counted', async () => {
    const stage = await botWithLogChannel();
    const result = await orderGrid(stage);
    const form = await (await openReport(stage, result)).modal();
    stage.discord.restrict(LOG_CHANNEL, Permission.SendMessages);
    const submission = await stage.discord.as('other').fill(form, { reason: 'spam' });
    expect(text(await submission.ephemeral())).toContain('could not be posted in this server’s log channel');
    expect(reportsIn(stage)).toEqual([]);
    await changeRules(stage, 'Change log channel', { logChannel: ['studio'] });
    await report(stage, result);
    await expect
      .poll(() => stage.discord.messages('studio').filter((one) => text(one).startsWith('**Report**')))
      .toHaveLength(1);
  });

  it('A private result can only be reported by its owner', async () => {
    const stage = await botWithLogChannel();
    const { discord } = stage;
    const result = await orderGrid(stage, { prompt: 'my private wish', private: true });
    expect(await report(stage, result, { who: 'member' })).toContain('Reported.');
    expect(text(await onlyReport(stage))).toContain('Prompt: my private wish');
    const form = await (await openReport(stage, await orderGrid(stage, { prompt: 'a public owl' }))).modal();
    const [, , taskId = ''] = form.customId.split('.');
    const privateResult = await orderGrid(stage, { prompt: 'another private wish', private: true });
    const ownForm = await (await discord.as('member').menu('Report', privateResult)).modal();
    const forged = { ...form, customId: form.customId.replace(taskId, ownForm.customId.split('.')[2] ?? '') };
    const submission = await discord.as('other').fill(forged, { reason: 'spam' });
    expect(text(await submission.ephemeral())).toContain('does not show a result of this bot');
    expect(reportsIn(stage)).toHaveLength(1);
  });

  it('Every message of a long answer can be reported, and is removed with the answer', async () => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 }, settings: { ...noLimits, ...models } });
    await setLogChannel(stage);
    const { discord } = stage;
    const exchange = await discord.as('member').slash('ask', { prompt: 'tell me of the snow, 900 words' });
    const first = await exchange.message(hasEnded);
    const continuations = publicMessages(stage).filter(({ id }) => id !== first.id);
    expect(continuations.length).toBeGreaterThan(1);
    const last = continuations.at(-1) ?? first;
    await report(stage, last);
    await decide(stage, await onlyReport(stage), 'Remove');
    await waitForReport(stage, 'Result removed by');
    for (const one of [first, ...continuations]) expect(isPosted(stage, one)).toBe(false);
    expect(buttonsOf(await openTask(stage, await openTaskList(stage)))).not.toContain('Show me');
  });

  it('An album is removed with its songs, and none of them is shown again', async () => {
    const stage = await startFastClockBot({
      gateway: { profile, speed: 60, studio: shortSongs() },
      settings: noLimits,
    });
    await setLogChannel(stage);
    const { discord, gateway } = stage;
    const ids = await orderSongs(gateway, 'Light', 'Storm');
    const exchange = await discord.as('owner').slash('music follow', { ids: ids.join(' ') });
    const album = await exchange.message((one) => one.attachments.length === 8);
    await report(stage, album);
    await decide(stage, await onlyReport(stage), 'Remove');
    await waitForReport(stage, 'Result removed by');
    await expect.poll(() => isPosted(stage, album)).toBe(false);
    expect(buttonsOf(await openTask(stage, await openTaskList(stage, 'owner'), 'owner'))).not.toContain('Show me');
  });

  it('Removing a reported result that comes from another server deletes only the copy in this server', async () => {
    const stage = await botWithLogChannel();
    const { discord } = stage;
    const foreignResult = await orderGrid(stage, { prompt: 'a neon casino' }, discord.as('member').in('hall'));
    const page = await openTask(stage, await openTaskList(stage));
    const copy = await (await discord.as('member').click(page, 'Show here')).message(says('Finished in'));
    await changeRules(stage, 'Change words', { words: 'casino' });
    await report(stage, copy);
    const reportMessage = await onlyReport(stage);
    expect(text(reportMessage)).toContain('Prompt: a neon ▇▇▇');
    await decide(stage, reportMessage, 'Remove');
    await waitForReport(stage, 'Result removed by');
    expect(isPosted(stage, copy)).toBe(false);
    expect(isPosted(stage, foreignResult, 'hall')).toBe(true);
    expect(buttonsOf(await openTask(stage, await openTaskList(stage)))).toContain('Show here');
  });

  it('The number of reports per hour is limited for each member and server', async () => {
    const stage = await botWithLogChannel();
    const results = [];
    for (let index = 0; index < 6; index++) results.push(await orderGrid(stage, { prompt: `fox ${index}` }));
    for (const result of results.slice(0, 5)) await report(stage, result);
    const [last] = results.slice(5);
    if (!last) throw new Error('The report is missing.');
    expect(await reportRefusal(stage, last)).toContain('sent many reports in the last hour');
    await report(stage, last, { who: 'owner' });
    stage.clock.advance(HOUR_MS + 1_000);
    await report(stage, last);
  });

  it('Reports and removals that were interrupted by a stop are carried out once after the next start', async () => {
    const stage = await createFastClockStage({ gateway: { profile, speed: 20 }, settings: noLimits });
    const { discord } = stage;
    const first = await startBot(stage);
    await setLogChannel(stage);
    const result = await orderGrid(stage);
    const form = await (await openReport(stage, result)).modal();
    const logRoute = new RegExp(`channels/${discord.world.channel(LOG_CHANNEL).id}/messages`);
    // The message arrives, but every response is lost, however often discord.js retries.
    discord.faults.add({ on: { method: 'POST', route: logRoute }, do: { type: 'reset', done: true }, times: 5 });
    await discord.as('other').fill(form, { reason: 'spam' });
    const reportMessage = await onlyReport(stage);
    await first.stop();
    discord.faults.clear();
    const second = await startBot(stage);
    discord.faults.add({ on: { method: 'DELETE' }, do: { type: 'status', status: 503 }, times: 1_000 });
    await decide(stage, reportMessage, 'Remove');
    await expect.poll(() => stage.logged(), { timeout: 10_000 }).toContain('Could not delete a message by this route');
    expect(isPosted(stage, result)).toBe(true);
    await second.stop();
    discord.faults.clear();
    await startBot(stage);
    await waitForReport(stage, 'Result removed by');
    await expect.poll(() => isPosted(stage, result)).toBe(false);
    expect(reportsIn(stage)).toHaveLength(1);
  });

  it('A report that Discord does not accept yet is posted later, and if Discord then refuses it, the member who reported gets a direct message', async () => {
    const stage = await botWithLogChannel();
    const { discord, clock } = stage;
    const logRoute = new RegExp(`channels/${discord.world.channel(LOG_CHANNEL).id}/messages`);
    const failLogChannel = () =>
      discord.faults.add({ on: { route: logRoute }, do: { type: 'status', status: 503 }, times: 1_000 });
    const [first, second] = [await orderGrid(stage), await orderGrid(stage, { prompt: 'an owl' })];
    failLogChannel();
    expect(await report(stage, first)).toContain('Your report has been saved');
    discord.faults.clear();
    clock.advance(10 * 60_000);
    await onlyReport(stage);
    failLogChannel();
    expect(await report(stage, second)).toContain('Your report has been saved');
    discord.restrict(LOG_CHANNEL, Permission.SendMessages);
    discord.faults.clear();
    clock.advance(10 * 60_000);
    const directMessages = () => discord.messages(discord.openDirectMessage('other').id).map(text);
    await expect.poll(directMessages, { timeout: 10_000 }).toEqual([expect.stringContaining('could not be posted')]);
    expect(reportsIn(stage)).toHaveLength(1);
  });

  it('Erasing the data of a result’s owner deletes the report about the result', async () => {
    const stage = await botWithLogChannel();
    await report(stage, await orderGrid(stage));
    const reportMessage = await onlyReport(stage);
    await requestErasure(stage);
    await expect.poll(() => reportsIn(stage), { timeout: 10_000 }).toEqual([]);
    expect(isPosted(stage, reportMessage, LOG_CHANNEL)).toBe(false);
  });

  it('Erasing the data of the member who reported removes their name and text from the report, and erasing a moderator’s data removes their name', async () => {
    const stage = await botWithLogChannel();
    const result = await orderGrid(stage);
    await report(stage, result, { words: 'my own words' });
    const reportMessage = await onlyReport(stage);
    expect((await exportFor(stage, 'other')).reports).toMatchObject([{ reason: 'hate', words: 'my own words' }]);
    expect((await exportFor(stage, 'member')).reports).toEqual([]);
    await requestErasure(stage, 'other');
    const anonymisedReport = await waitForReport(stage, 'Reported by a deleted member');
    expect(text(anonymisedReport)).not.toContain('my own words');
    expect(text(anonymisedReport)).toContain('a fox in the snow');
    expect(await reportRefusal(stage, result)).toContain('already reported');
    await decide(stage, reportMessage, 'Dismiss');
    await waitForReport(stage, 'Report dismissed by');
    expect((await exportFor(stage, 'admin')).reports).toMatchObject([{ decided: [{ what: 'dismissed' }] }]);
    await requestErasure(stage, 'admin');
    await waitForReport(stage, 'Report dismissed by a deleted member on');
  });
});
