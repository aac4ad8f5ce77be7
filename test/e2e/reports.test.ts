import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { profiles } from '../contract/both.ts';
import { noLimits } from '../support/no-limits.ts';
import { hasEnded, models } from './asks/proof.ts';
import { startBot } from './bot.ts';
import { type QuickStage, quickBot, quickStage, says } from './quick.ts';
import {
  block,
  buttonsOf,
  changeRules,
  decide,
  LOG,
  onlyReport,
  openReport,
  refusedDecision,
  refusedReport,
  report,
  reportSaying,
  reportsIn,
  setLogChannel,
} from './reports.ts';
import { list, openTask, publicMessages, requestErasure } from './tasks/pages.ts';
import { grid, shortSongs } from './tasks/proof.ts';
import { orderSongs } from './tasks/songs.ts';

const HOUR_MS = 3_600_000;

const exists = ({ discord }: QuickStage, { id }: { id: string }, channel = 'studio'): boolean =>
  discord.messages(channel).some((one) => one.id === id);

async function exported({ discord }: QuickStage, who: string): Promise<{ reports: object[] }> {
  const page = await (await discord.as(who).slash('tasks')).message();
  const sent = await (await discord.as(who).click(page, 'Export my data')).message((one) => one.attachments.length > 0);
  return (await (await fetch(sent.attachments[0]?.url ?? '')).json()) as { reports: object[] };
}

describe.each(profiles)('Reports with the %s gateway profile', (profile) => {
  async function reportedBot(logDays = '') {
    const stage = await quickBot({ gateway: { profile, speed: 20 }, settings: noLimits });
    await setLogChannel(stage, logDays);
    return stage;
  }

  it('A report reaches the moderators with what they need, and the owner of the result is not notified', async () => {
    const stage = await reportedBot();
    const { discord } = stage;
    const result = await grid(stage, { prompt: 'a fox @everyone discord.gg/abcdef' });
    const inStudio = () => publicMessages(stage).map(({ id, content }) => ({ id, content }));
    const before = inStudio();
    expect(await report(stage, result, { words: 'See **this**, @everyone' })).toContain('Reported. The moderators');
    const shown = await onlyReport(stage);
    const { member, other } = { member: discord.world.user('member').id, other: discord.world.user('other').id };
    expect(text(shown)).toContain(`about a result by <@${member}>: https://discord.com/channels/`);
    expect(text(shown)).toContain(`/${result.id} `);
    expect(text(shown)).toContain('Reason: Hate or harassment');
    expect(text(shown)).toContain('> See \\*\\*this\\*\\*, @everyone');
    expect(text(shown)).toMatch(/Prompt: a fox @everyone /);
    expect(text(shown)).not.toContain('discord.gg/abcdef');
    expect(text(shown)).toContain(`Reported by <@${other}>`);
    expect(text(shown)).toContain('No earlier reports');
    expect(shown.mentions).toEqual([]);
    expect(shown.mention_everyone).toBe(false);
    expect(buttonsOf(shown)).toEqual(['Remove', 'Block member', 'Dismiss']);
    expect(inStudio()).toEqual(before);
    expect(stage.logged()).not.toContain('See **this**');
  });

  it('A member can report a result only once, even after a restart, and others can report it too', async () => {
    const stage = await reportedBot();
    const result = await grid(stage);
    await report(stage, result);
    await onlyReport(stage);
    expect(await refusedReport(stage, result)).toContain('already reported');
    await stage.app.stop();
    await startBot(stage);
    expect(await refusedReport(stage, result)).toContain('already reported');
    await report(stage, result, { who: 'owner' });
    expect(reportsIn(stage)).toHaveLength(2);
    expect(text(reportsIn(stage).at(-1) ?? result)).toContain('1 earlier report about this member');
  });

  it('Two forms that are open at the same time create only one report', async () => {
    const stage = await reportedBot();
    const other = stage.discord.as('other');
    const result = await grid(stage);
    const forms = [await openReport(stage, result), await openReport(stage, result)];
    const sent = await Promise.all(forms.map(async (one) => other.fill(await one.modal(), { reason: 'spam' })));
    const replies = await Promise.all(sent.map(async (one) => text(await one.ephemeral())));
    expect(replies.filter((one) => one.includes('Reported.'))).toHaveLength(1);
    expect(replies.filter((one) => one.includes('already reported'))).toHaveLength(1);
    await onlyReport(stage);
  });

  it('Remove deletes the result everywhere in the server, costs its owner nothing, and can be decided only once', async () => {
    const stage = await reportedBot();
    const { discord } = stage;
    const result = await grid(stage);
    const page = await openTask(stage, await list(stage));
    const copy = await (await discord.as('member').click(page, 'Show here')).message(says('Finished in'));
    await report(stage, copy);
    const shown = await onlyReport(stage);
    await Promise.all([decide(stage, shown, 'Remove'), decide(stage, shown, 'Remove', 'owner')]);
    const decided = await reportSaying(stage, 'removed the result');
    expect(text(decided).match(/removed the result/g)).toHaveLength(1);
    await expect.poll(() => buttonsOf(reportsIn(stage)[0] ?? shown)).toEqual(['Block member']);
    expect(exists(stage, result)).toBe(false);
    expect(exists(stage, copy)).toBe(false);
    expect(text(decided)).toContain('Prompt: a fox in the snow');
    const after = await openTask(stage, await list(stage));
    expect(buttonsOf(after)).not.toContain('Show here');
    const used = await (await discord.as('admin').slash('usage', { of: 'server' })).message();
    expect(text(used)).toContain('The charge for 1 task was waived');
  });

  it('Of two moderators who press at the same time, the second is told that the report has been decided', async () => {
    const stage = await reportedBot();
    await report(stage, await grid(stage));
    const shown = await onlyReport(stage);
    const presses = await Promise.all([decide(stage, shown, 'Dismiss'), decide(stage, shown, 'Remove', 'owner')]);
    const decided = await reportSaying(stage, 'dismissed this report');
    expect(text(await (presses[1] ?? presses[0]).ephemeral())).toContain('already been handled');
    expect(text(decided)).not.toContain('removed');
    expect(buttonsOf(decided)).toEqual([]);
  });

  it('Block member blocks the member for the chosen time, and the log says until when', async () => {
    const stage = await reportedBot();
    const { discord, clock } = stage;
    const result = await grid(stage);
    await report(stage, result);
    const shown = await onlyReport(stage);
    const forms = [await decide(stage, shown, 'Block member'), await decide(stage, shown, 'Block member')];
    const [filled, again] = await Promise.all(
      forms.map(async (one) =>
        discord
          .as('admin')
          .in(LOG)
          .fill(await one.modal(), { time: 'hour' }),
      ),
    );
    const blocked = await reportSaying(stage, 'blocked the member');
    expect(text(blocked)).toMatch(/until <t:\d+:f>/);
    await expect.poll(() => buttonsOf(reportsIn(stage)[0] ?? shown)).toEqual(['Remove', 'Dismiss']);
    const refused = await discord.as('member').slash('imagine', { prompt: 'an owl' });
    expect(text(await refused.ephemeral())).toContain('has blocked you');
    expect(exists(stage, result)).toBe(true);
    const history = await (await discord.as('admin').slash('budget history')).message();
    expect(text(history).match(/blocked <@/g)).toHaveLength(1);
    expect([...(filled?.followUps() ?? []), ...(again?.followUps() ?? [])].map(text)).toEqual([
      'This report has already been handled.',
    ]);
    clock.advance(HOUR_MS + 60_000);
    await grid(stage, { prompt: 'an owl' });
    await decide(stage, shown, 'Dismiss');
    await reportSaying(stage, 'dismissed this report');
  });

  it('A member may be blocked until an admin unblocks them, after the result was removed', async () => {
    const stage = await reportedBot();
    await report(stage, await grid(stage));
    const shown = await onlyReport(stage);
    await decide(stage, shown, 'Remove');
    await reportSaying(stage, 'removed the result');
    await block(stage, shown, 'always');
    await reportSaying(stage, 'until an admin unblocks them');
    await (await stage.discord.as('admin').slash('budget unblock', { member: 'member' })).message();
    await grid(stage, { prompt: 'an owl' });
  });

  it('Only moderators decide, and only admins block, even with a form that was opened before', async () => {
    const stage = await reportedBot();
    const { discord } = stage;
    await report(stage, await grid(stage));
    const shown = await onlyReport(stage);
    for (const who of ['other', 'member'])
      for (const button of ['Remove', 'Dismiss'])
        expect(await refusedDecision(stage, shown, button, who)).toContain(
          'Only members with the Manage Messages permission',
        );
    expect(await refusedDecision(stage, shown, 'Block member', 'other')).toContain(
      'Only members with the Manage Server permission',
    );
    const form = await (await decide(stage, shown, 'Block member')).modal();
    const admins = discord.world.guild('atelier').roles.find(({ name }) => name === 'admins');
    if (admins) Object.assign(admins, { permissions: admins.permissions & ~Permission.ManageGuild });
    const late = await discord.as('admin').in(LOG).fill(form, { time: 'day' });
    expect(text(await late.ephemeral())).toContain('Only members with the Manage Server permission');
    expect(await refusedDecision(stage, shown, 'Block member')).toContain(
      'Only members with the Manage Server permission',
    );
    await decide(stage, shown, 'Dismiss');
    await reportSaying(stage, 'dismissed this report');
    await grid(stage, { prompt: 'an owl' });
  });

  it('If there is no log channel and there are no moderators, a member is told what to do instead', async () => {
    const stage = await quickBot({
      gateway: { profile, speed: 20 },
      settings: { ...noLimits, DISCORD_USER_INSTALL: 'on' },
      deployed: { userInstall: true },
    });
    const { discord } = stage;
    const result = await grid(stage);
    expect(await refusedReport(stage, result)).toContain('no channel for reports. Tell a moderator');
    const posted = await discord.as('member').say('hello');
    await setLogChannel(stage);
    expect(await refusedReport(stage, posted)).toContain('does not show a result of this bot');
    const lobby = discord.as('installer').in('lobby');
    const elsewhere = await grid(stage, {}, lobby);
    expect(await refusedReport(stage, elsewhere, 'installer', 'lobby')).toContain('no moderators here');
  });

  it('Reports are posted in the alerts channel of /budget if no other channel is set', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 }, settings: noLimits });
    await (await stage.discord.as('admin').slash('budget alerts', { channel: LOG })).message();
    await report(stage, await grid(stage));
    await onlyReport(stage);
  });

  it('A report that cannot be posted is refused with a reason and not counted', async () => {
    const stage = await reportedBot();
    const result = await grid(stage);
    const form = await (await openReport(stage, result)).modal();
    stage.discord.restrict(LOG, Permission.SendMessages);
    const sent = await stage.discord.as('other').fill(form, { reason: 'spam' });
    expect(text(await sent.ephemeral())).toContain('could not be posted in this server’s log channel');
    expect(reportsIn(stage)).toEqual([]);
    await changeRules(stage, 'Change log channel', { logChannel: ['studio'] });
    await report(stage, result);
    await expect
      .poll(() => stage.discord.messages('studio').filter((one) => text(one).startsWith('**Report**')))
      .toHaveLength(1);
  });

  it('A private result can only be reported by its owner', async () => {
    const stage = await reportedBot();
    const { discord } = stage;
    const result = await grid(stage, { prompt: 'my private wish', private: true });
    expect(await report(stage, result, { who: 'member' })).toContain('Reported.');
    expect(text(await onlyReport(stage))).toContain('Prompt: my private wish');
    const form = await (await openReport(stage, await grid(stage, { prompt: 'a public owl' }))).modal();
    const [, , taskId = ''] = form.customId.split('.');
    const secret = await grid(stage, { prompt: 'another private wish', private: true });
    const own = await (await discord.as('member').menu('Report', secret)).modal();
    const forged = { ...form, customId: form.customId.replace(taskId, own.customId.split('.')[2] ?? '') };
    const sent = await discord.as('other').fill(forged, { reason: 'spam' });
    expect(text(await sent.ephemeral())).toContain('does not show a result of this bot');
    expect(reportsIn(stage)).toHaveLength(1);
  });

  it('Every message of a long answer can be reported, and is removed with the answer', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 }, settings: { ...noLimits, ...models } });
    await setLogChannel(stage);
    const { discord } = stage;
    const asked = await discord.as('member').slash('ask', { prompt: 'tell me of the snow, 900 words' });
    const first = await asked.message(hasEnded);
    const further = publicMessages(stage).filter(({ id }) => id !== first.id);
    expect(further.length).toBeGreaterThan(1);
    const last = further.at(-1) ?? first;
    await report(stage, last);
    await decide(stage, await onlyReport(stage), 'Remove');
    await reportSaying(stage, 'removed the result');
    for (const one of [first, ...further]) expect(exists(stage, one)).toBe(false);
    expect(buttonsOf(await openTask(stage, await list(stage)))).not.toContain('Show me');
  });

  it('An album is removed with its songs, and none of them is shown again', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 60, studio: shortSongs() }, settings: noLimits });
    await setLogChannel(stage);
    const { discord, gateway } = stage;
    const ids = await orderSongs(gateway, 'Light', 'Storm');
    const followed = await discord.as('owner').slash('music follow', { ids: ids.join(' ') });
    const album = await followed.message((one) => one.attachments.length === 8);
    await report(stage, album);
    await decide(stage, await onlyReport(stage), 'Remove');
    await reportSaying(stage, 'removed the result');
    await expect.poll(() => exists(stage, album)).toBe(false);
    expect(buttonsOf(await openTask(stage, await list(stage, 'owner'), 'owner'))).not.toContain('Show me');
  });

  it('A result from another server is only removed from this one', async () => {
    const stage = await reportedBot();
    const { discord } = stage;
    const foreignResult = await grid(stage, { prompt: 'a neon casino' }, discord.as('member').in('hall'));
    const page = await openTask(stage, await list(stage));
    const copy = await (await discord.as('member').click(page, 'Show here')).message(says('Finished in'));
    await changeRules(stage, 'Change words', { words: 'casino' });
    await report(stage, copy);
    const shown = await onlyReport(stage);
    expect(text(shown)).toContain('Prompt: a neon ▇▇▇');
    await decide(stage, shown, 'Remove');
    await reportSaying(stage, 'removed the result');
    expect(exists(stage, copy)).toBe(false);
    expect(exists(stage, foreignResult, 'hall')).toBe(true);
    expect(buttonsOf(await openTask(stage, await list(stage)))).toContain('Show here');
  });

  it('The number of reports per hour is limited for each member and server', async () => {
    const stage = await reportedBot();
    const results = [];
    for (let at = 0; at < 6; at++) results.push(await grid(stage, { prompt: `fox ${at}` }));
    for (const result of results.slice(0, 5)) await report(stage, result);
    const [last] = results.slice(5);
    if (!last) throw new Error('The report is missing.');
    expect(await refusedReport(stage, last)).toContain('sent many reports in the last hour');
    await report(stage, last, { who: 'owner' });
    stage.clock.advance(HOUR_MS + 1_000);
    await report(stage, last);
  });

  it('Actions that a stop interrupted are carried out once after the next start', async () => {
    const stage = await quickStage({ gateway: { profile, speed: 20 }, settings: noLimits });
    const { discord } = stage;
    const first = await startBot(stage);
    await setLogChannel(stage);
    const result = await grid(stage);
    const form = await (await openReport(stage, result)).modal();
    const inLog = new RegExp(`channels/${discord.world.channel(LOG).id}/messages`);
    // The message arrives, and every response is lost, however often discord.js retries.
    discord.faults.add({ on: { method: 'POST', route: inLog }, do: { type: 'reset', done: true }, times: 5 });
    await discord.as('other').fill(form, { reason: 'spam' });
    const shown = await onlyReport(stage);
    await first.stop();
    discord.faults.clear();
    const second = await startBot(stage);
    discord.faults.add({ on: { method: 'DELETE' }, do: { type: 'status', status: 503 }, times: 1_000 });
    await decide(stage, shown, 'Remove');
    await expect.poll(() => stage.logged(), { timeout: 10_000 }).toContain('Could not delete a message this way');
    expect(exists(stage, result)).toBe(true);
    await second.stop();
    discord.faults.clear();
    await startBot(stage);
    await reportSaying(stage, 'removed the result');
    await expect.poll(() => exists(stage, result)).toBe(false);
    expect(reportsIn(stage)).toHaveLength(1);
  });

  it('A report that Discord does not accept yet is posted later, and if Discord then refuses it, the member who reported gets a direct message', async () => {
    const stage = await reportedBot();
    const { discord, clock } = stage;
    const inLog = new RegExp(`channels/${discord.world.channel(LOG).id}/messages`);
    const away = () => discord.faults.add({ on: { route: inLog }, do: { type: 'status', status: 503 }, times: 1_000 });
    const [first, second] = [await grid(stage), await grid(stage, { prompt: 'an owl' })];
    away();
    expect(await report(stage, first)).toContain('Your report has been saved');
    discord.faults.clear();
    clock.advance(10 * 60_000);
    await onlyReport(stage);
    away();
    expect(await report(stage, second)).toContain('Your report has been saved');
    discord.restrict(LOG, Permission.SendMessages);
    discord.faults.clear();
    clock.advance(10 * 60_000);
    const direct = () => discord.messages(discord.openDirectMessage('other').id).map(text);
    await expect.poll(direct, { timeout: 10_000 }).toEqual([expect.stringContaining('could not be posted')]);
    expect(reportsIn(stage)).toHaveLength(1);
  });

  it('Erasure of the owner’s data deletes the report', async () => {
    const stage = await reportedBot();
    await report(stage, await grid(stage));
    const shown = await onlyReport(stage);
    await requestErasure(stage);
    await expect.poll(() => reportsIn(stage), { timeout: 10_000 }).toEqual([]);
    expect(exists(stage, shown, LOG)).toBe(false);
  });

  it('Erasing the data of the member who reported removes their name and text from the report, and erasing a moderator’s data removes their name', async () => {
    const stage = await reportedBot();
    const result = await grid(stage);
    await report(stage, result, { words: 'my own words' });
    const shown = await onlyReport(stage);
    expect((await exported(stage, 'other')).reports).toMatchObject([{ reason: 'hate', words: 'my own words' }]);
    expect((await exported(stage, 'member')).reports).toEqual([]);
    await requestErasure(stage, 'other');
    const without = await reportSaying(stage, 'Reported by deleted member');
    expect(text(without)).not.toContain('my own words');
    expect(text(without)).toContain('a fox in the snow');
    expect(await refusedReport(stage, result)).toContain('already reported');
    await decide(stage, shown, 'Dismiss');
    await reportSaying(stage, 'dismissed this report');
    expect((await exported(stage, 'admin')).reports).toMatchObject([{ decided: [{ what: 'dismissed' }] }]);
    await requestErasure(stage, 'admin');
    await reportSaying(stage, 'deleted member dismissed this report');
  });
});
