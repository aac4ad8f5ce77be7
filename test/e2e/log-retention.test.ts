import { expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { noLimits } from '../support/no-limits.ts';
import { startBot } from './bot.ts';
import { describeProfiles } from './profiles.ts';
import { createFastClockStage, type FastClockStage, labels, startFastClockBot } from './quick.ts';
import {
  changeRules,
  decide,
  LOG_CHANNEL,
  onlyReport,
  report,
  reportsIn,
  setLogChannel,
  waitForReport,
} from './reports.ts';
import { requestErasure } from './tasks/pages.ts';
import { orderGrid } from './tasks/proof.ts';

const DAY_MS = 86_400_000;

const logMessages = ({ discord }: FastClockStage): string[] => discord.messages(LOG_CHANNEL).map((one) => text(one));

const submitRefusedRequest = async ({ discord }: FastClockStage, prompt: string, who = 'member') =>
  text(await (await discord.as(who).slash('imagine', { prompt })).ephemeral());

describeProfiles('The log retention period', (profile) => {
  const loggingBot = async (logDays: string) => {
    const stage = await startFastClockBot({ gateway: { profile, speed: 20 }, settings: noLimits });
    await setLogChannel(stage, logDays);
    return stage;
  };

  it('Log messages older than the retention period are deleted, even in a former log channel and after a restart', async () => {
    const stage = await loggingBot('2');
    const { discord, clock } = stage;
    await changeRules(stage, 'Change words', { words: 'casino' });
    await submitRefusedRequest(stage, 'a casino');
    await expect.poll(() => logMessages(stage).join()).toContain('A request from');
    const countBefore = logMessages(stage).length;
    expect(countBefore).toBeGreaterThanOrEqual(3);
    await changeRules(stage, 'Change log channel', { logChannel: ['no-private-threads'], logDays: '2' });
    await expect.poll(() => discord.messages('no-private-threads')).toHaveLength(2);
    clock.advance(DAY_MS);
    expect(logMessages(stage)).toHaveLength(countBefore);
    await stage.app.stop();
    clock.advance(DAY_MS + 60_000);
    expect(logMessages(stage)).toHaveLength(countBefore);
    await startBot(stage);
    await expect.poll(() => logMessages(stage)).toEqual([]);
    await expect.poll(() => discord.messages('no-private-threads')).toEqual([]);
  });

  it('Without a retention period, no log messages are deleted, and a message that no longer exists causes no error', async () => {
    const stage = await loggingBot('');
    const { discord, clock } = stage;
    await changeRules(stage, 'Change words', { words: 'casino' });
    await expect.poll(() => logMessages(stage)).toHaveLength(3);
    clock.advance(400 * DAY_MS);
    await changeRules(stage, 'Change links', { deniedDomains: 'evil.example' });
    await expect.poll(() => logMessages(stage)).toHaveLength(4);
    const [first] = discord.messages(LOG_CHANNEL);
    const { apiUrl, token, world } = discord;
    const url = `${apiUrl}/v10/channels/${world.channel(LOG_CHANNEL).id}/messages/${first?.id}`;
    await fetch(url, { method: 'DELETE', headers: { authorization: `Bot ${token}` } });
    await setLogChannel(stage, '365');
    clock.advance(11 * 60_000);
    await expect.poll(() => logMessages(stage).join()).not.toContain('blocked words');
    expect(logMessages(stage).join()).toContain('blocked sites');
  });

  it('A report is kept until a moderator has decided on it, and is counted in the member’s history even after that', async () => {
    const stage = await loggingBot('1');
    const { clock } = stage;
    await report(stage, await orderGrid(stage));
    const reportMessage = await onlyReport(stage);
    clock.advance(3 * DAY_MS);
    await expect.poll(() => logMessages(stage)).toHaveLength(1);
    await decide(stage, reportMessage, 'Dismiss');
    await waitForReport(stage, 'Report dismissed by');
    clock.advance(11 * 60_000);
    await expect.poll(() => reportsIn(stage)).toEqual([]);
    await report(stage, await orderGrid(stage, { prompt: 'an owl' }));
    expect(text(await onlyReport(stage))).toContain('1 earlier report about this member');
  });

  it('A held result is kept until a moderator has decided on it', async () => {
    const baseStage = await createFastClockStage({ gateway: { profile, speed: 20 }, settings: noLimits });
    const { gateway, config } = baseStage;
    const moderation = { ...config.moderation, baseUrl: gateway.url, apiKey: config.gateway.apiKey };
    const stage = { ...baseStage, config: { ...config, moderation } };
    await startBot(stage);
    await setLogChannel(stage, '1');
    await changeRules(stage, 'Change moderation', { results: 'hold' });
    await stage.discord.as('member').slash('imagine', { prompt: 'shows:violence' });
    const heldQuestions = () => stage.discord.messages(LOG_CHANNEL).filter((one) => labels(one).includes('Publish'));
    await expect.poll(heldQuestions, { timeout: 10_000 }).toHaveLength(1);
    stage.clock.advance(2 * DAY_MS);
    await expect.poll(() => logMessages(stage)).toHaveLength(1);
    const [question] = heldQuestions();
    if (!question) throw new Error('The question is missing.');
    await (await stage.discord.as('admin').in(LOG_CHANNEL).click(question, 'Delete')).message();
    stage.clock.advance(11 * 60_000);
    await expect.poll(() => logMessages(stage)).toEqual([]);
  });

  it('Erasing a member’s data deletes the log messages that name the member, and no others', async () => {
    const stage = await loggingBot('');
    await changeRules(stage, 'Change words', { words: 'casino' });
    await submitRefusedRequest(stage, 'a casino');
    await submitRefusedRequest(stage, 'a casino', 'other');
    const { member, other } = { member: stage.discord.world.user('member'), other: stage.discord.world.user('other') };
    await expect.poll(() => logMessages(stage).join()).toContain(`<@${other.id}>`);
    expect(logMessages(stage).join()).toContain(`<@${member.id}>`);
    await requestErasure(stage);
    await expect.poll(() => logMessages(stage).join(), { timeout: 10_000 }).not.toContain(`<@${member.id}>`);
    expect(logMessages(stage).join()).toContain(`<@${other.id}>`);
  });

  it('The log retention period is a number of days, which the rules page and the history show', async () => {
    const stage = await loggingBot('30');
    const { discord } = stage;
    const admin = discord.as('admin').in('studio');
    const rulesPage = await (await admin.slash('server rules')).message();
    expect(text(rulesPage)).toContain('The bot deletes its messages there after 30 days.');
    const formExchange = await admin.click(rulesPage, 'Change log channel');
    const rejected = await admin.fill(await formExchange.modal(), { logChannel: [LOG_CHANNEL], logDays: '366' });
    expect(text(await rejected.ephemeral())).toContain('from 1 to 365');
    const history = await (await admin.slash('server history')).message();
    expect(text(history)).toContain('days that log messages are kept: not set → 30');
  });
});
