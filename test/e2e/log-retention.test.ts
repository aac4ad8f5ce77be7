import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { profiles } from '../contract/both.ts';
import { noLimits } from '../support/no-limits.ts';
import { startBot } from './bot.ts';
import { labels, type QuickStage, quickBot, quickStage } from './quick.ts';
import { changeRules, decide, LOG, onlyReport, report, reportSaying, reportsIn, setLogChannel } from './reports.ts';
import { requestErasure } from './tasks/pages.ts';
import { grid } from './tasks/proof.ts';

const DAY_MS = 86_400_000;

const inLog = ({ discord }: QuickStage): string[] => discord.messages(LOG).map((one) => text(one));

const refused = async ({ discord }: QuickStage, prompt: string, who = 'member') =>
  text(await (await discord.as(who).slash('imagine', { prompt })).ephemeral());

describe.each(profiles)('The log retention period with the %s gateway profile', (profile) => {
  const loggingBot = async (logDays: string) => {
    const stage = await quickBot({ gateway: { profile, speed: 20 }, settings: noLimits });
    await setLogChannel(stage, logDays);
    return stage;
  };

  it('Messages older than the retention period are deleted, even in a former log channel and after a restart', async () => {
    const stage = await loggingBot('2');
    const { discord, clock } = stage;
    await changeRules(stage, 'Change words', { words: 'casino' });
    await refused(stage, 'a casino');
    await expect.poll(() => inLog(stage).join()).toContain('A request from');
    const before = inLog(stage).length;
    expect(before).toBeGreaterThanOrEqual(3);
    await changeRules(stage, 'Change log channel', { logChannel: ['no-private-threads'], logDays: '2' });
    await expect.poll(() => discord.messages('no-private-threads')).toHaveLength(2);
    clock.advance(DAY_MS);
    expect(inLog(stage)).toHaveLength(before);
    await stage.app.stop();
    clock.advance(DAY_MS + 60_000);
    expect(inLog(stage)).toHaveLength(before);
    await startBot(stage);
    await expect.poll(() => inLog(stage)).toEqual([]);
    await expect.poll(() => discord.messages('no-private-threads')).toEqual([]);
  });

  it('Without a retention period, nothing is deleted, and a message that no longer exists is not a problem', async () => {
    const stage = await loggingBot('');
    const { discord, clock } = stage;
    await changeRules(stage, 'Change words', { words: 'casino' });
    await expect.poll(() => inLog(stage)).toHaveLength(3);
    clock.advance(400 * DAY_MS);
    await changeRules(stage, 'Change links', { deniedDomains: 'evil.example' });
    await expect.poll(() => inLog(stage)).toHaveLength(4);
    const [first] = discord.messages(LOG);
    const { apiUrl, token, world } = discord;
    const url = `${apiUrl}/v10/channels/${world.channel(LOG).id}/messages/${first?.id}`;
    await fetch(url, { method: 'DELETE', headers: { authorization: `Bot ${token}` } });
    await setLogChannel(stage, '365');
    clock.advance(11 * 60_000);
    await expect.poll(() => inLog(stage).join()).not.toContain('blocked words');
    expect(inLog(stage).join()).toContain('blocked sites');
  });

  it('A report is kept until a moderator has decided, and its history is kept longer', async () => {
    const stage = await loggingBot('1');
    const { clock } = stage;
    await report(stage, await grid(stage));
    const shown = await onlyReport(stage);
    clock.advance(3 * DAY_MS);
    await expect.poll(() => inLog(stage)).toHaveLength(1);
    await decide(stage, shown, 'Dismiss');
    await reportSaying(stage, 'dismissed this report');
    clock.advance(11 * 60_000);
    await expect.poll(() => reportsIn(stage)).toEqual([]);
    await report(stage, await grid(stage, { prompt: 'an owl' }));
    expect(text(await onlyReport(stage))).toContain('1 earlier report about this member');
  });

  it('A held result is kept until a moderator has decided', async () => {
    const staged = await quickStage({ gateway: { profile, speed: 20 }, settings: noLimits });
    const { gateway, config } = staged;
    const moderation = { ...config.moderation, baseUrl: gateway.url, apiKey: config.gateway.apiKey };
    const stage = { ...staged, config: { ...config, moderation } };
    await startBot(stage);
    await setLogChannel(stage, '1');
    await changeRules(stage, 'Change moderation', { results: 'hold' });
    await stage.discord.as('member').slash('imagine', { prompt: 'shows:violence' });
    const held = () => stage.discord.messages(LOG).filter((one) => labels(one).includes('Show'));
    await expect.poll(held, { timeout: 10_000 }).toHaveLength(1);
    stage.clock.advance(2 * DAY_MS);
    await expect.poll(() => inLog(stage)).toHaveLength(1);
    const [question] = held();
    if (!question) throw new Error('The question is missing.');
    await (await stage.discord.as('admin').in(LOG).click(question, 'Delete')).message();
    stage.clock.advance(11 * 60_000);
    await expect.poll(() => inLog(stage)).toEqual([]);
  });

  it('Erasure deletes the log messages that name the member, and no others', async () => {
    const stage = await loggingBot('');
    await changeRules(stage, 'Change words', { words: 'casino' });
    await refused(stage, 'a casino');
    await refused(stage, 'a casino', 'other');
    const { member, other } = { member: stage.discord.world.user('member'), other: stage.discord.world.user('other') };
    await expect.poll(() => inLog(stage).join()).toContain(`<@${other.id}>`);
    expect(inLog(stage).join()).toContain(`<@${member.id}>`);
    await requestErasure(stage);
    await expect.poll(() => inLog(stage).join(), { timeout: 10_000 }).not.toContain(`<@${member.id}>`);
    expect(inLog(stage).join()).toContain(`<@${other.id}>`);
  });

  it('The retention period is a number of days, which the page and the history show', async () => {
    const stage = await loggingBot('30');
    const { discord } = stage;
    const admin = discord.as('admin').in('studio');
    const shown = await (await admin.slash('server rules')).message();
    expect(text(shown)).toContain('The bot deletes its messages there after 30 days.');
    const opened = await admin.click(shown, 'Change log channel');
    const wrong = await admin.fill(await opened.modal(), { logChannel: [LOG], logDays: '366' });
    expect(text(await wrong.ephemeral())).toContain('from 1 to 365');
    const history = await (await admin.slash('server history')).message();
    expect(text(history)).toContain('log retention period');
  });
});
