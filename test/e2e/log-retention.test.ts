import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { noLimits } from '../support/no-limits.ts';
import { startBot } from './bot.ts';
import { createFastClockFixture, type FastClockFixture, labels, startFastClockBot } from './quick.ts';
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
import { orderGrid } from './tasks/fixture.ts';
import { requestErasure } from './tasks/pages.ts';

const DAY_MS = 86_400_000;

const logMessages = ({ discord }: FastClockFixture): string[] => discord.messages(LOG_CHANNEL).map((one) => text(one));

const submitRefusedRequest = async ({ discord }: FastClockFixture, prompt: string, who = 'member') =>
  text(await (await discord.as(who).slash('imagine', { prompt })).ephemeral());

describe('The log retention period', () => {
  const loggingBot = async (logDays: string) => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    await setLogChannel(fixture, logDays);
    return fixture;
  };

  it('Log messages older than the retention period are deleted, even in a former log channel and after a restart', async () => {
    const fixture = await loggingBot('2');
    const { discord, clock } = fixture;
    await changeRules(fixture, 'Change words', { words: 'casino' });
    await submitRefusedRequest(fixture, 'a casino');
    await expect.poll(() => logMessages(fixture).join()).toContain('A request from');
    const countBefore = logMessages(fixture).length;
    expect(countBefore).toBeGreaterThanOrEqual(3);
    await changeRules(fixture, 'Change log channel', { logChannel: ['no-private-threads'], logDays: '2' });
    await expect.poll(() => discord.messages('no-private-threads')).toHaveLength(2);
    clock.advance(DAY_MS);
    expect(logMessages(fixture)).toHaveLength(countBefore);
    await fixture.app.stop();
    clock.advance(DAY_MS + 60_000);
    expect(logMessages(fixture)).toHaveLength(countBefore);
    await startBot(fixture);
    await expect.poll(() => logMessages(fixture)).toEqual([]);
    await expect.poll(() => discord.messages('no-private-threads')).toEqual([]);
  });

  it('Budget alerts are deleted like other log messages if they are posted in the log channel, and kept elsewhere', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await loggingBot('2');
    const { discord, clock } = fixture;
    const admin = discord.as('admin').in('studio');
    await (await admin.slash('budget set', { limits: '1 task a day' })).message();
    await (await admin.slash('budget alerts', { channel: LOG_CHANNEL })).message();
    await orderGrid(fixture);
    await expect.poll(() => logMessages(fixture).join()).toContain('**Budget alert**');
    await (await admin.slash('budget alerts', { channel: 'no-private-threads' })).message();
    await expect.poll(() => discord.messages('no-private-threads')).toHaveLength(1);
    clock.advance(3 * DAY_MS);
    await expect.poll(() => logMessages(fixture)).toEqual([]);
    expect(discord.messages('no-private-threads')).toHaveLength(1);
  });

  it('Without a retention period, no log messages are deleted, and a message that no longer exists causes no error', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await loggingBot('');
    const { discord, clock } = fixture;
    await changeRules(fixture, 'Change words', { words: 'casino' });
    await expect.poll(() => logMessages(fixture)).toHaveLength(3);
    clock.advance(400 * DAY_MS);
    await changeRules(fixture, 'Change links', { deniedDomains: 'evil.example' });
    await expect.poll(() => logMessages(fixture)).toHaveLength(4);
    const [first] = discord.messages(LOG_CHANNEL);
    const { apiUrl, token, world } = discord;
    const url = `${apiUrl}/v10/channels/${world.channel(LOG_CHANNEL).id}/messages/${first?.id}`;
    await fetch(url, { method: 'DELETE', headers: { authorization: `Bot ${token}` } });
    await setLogChannel(fixture, '365');
    clock.advance(11 * 60_000);
    await expect.poll(() => logMessages(fixture).join()).not.toContain('blocked words');
    expect(logMessages(fixture).join()).toContain('blocked sites');
  });

  it('A report is kept until a moderator has decided on it, and is counted in the member’s history even after that', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await loggingBot('1');
    const { clock } = fixture;
    await report(fixture, await orderGrid(fixture));
    const reportMessage = await onlyReport(fixture);
    clock.advance(3 * DAY_MS);
    await expect.poll(() => logMessages(fixture)).toHaveLength(1);
    await decide(fixture, reportMessage, 'Dismiss');
    await waitForReport(fixture, 'Report dismissed by');
    clock.advance(11 * 60_000);
    await expect.poll(() => reportsIn(fixture)).toEqual([]);
    await report(fixture, await orderGrid(fixture, { prompt: 'an owl' }));
    expect(text(await onlyReport(fixture))).toContain('1 earlier report about this member');
  });

  it('A held result is kept until a moderator has decided on it', { tags: ['breadth'] }, async () => {
    const baseFixture = await createFastClockFixture({ gateway: { speed: 20 }, settings: noLimits });
    const { gateway, config } = baseFixture;
    const moderation = { ...config.moderation, baseUrl: gateway.url, apiKey: config.gateway.apiKey };
    const fixture = { ...baseFixture, config: { ...config, moderation } };
    await startBot(fixture);
    await setLogChannel(fixture, '1');
    await changeRules(fixture, 'Change moderation', { results: 'hold' });
    await fixture.discord.as('member').slash('imagine', { prompt: 'shows:violence' });
    const heldQuestions = () => fixture.discord.messages(LOG_CHANNEL).filter((one) => labels(one).includes('Publish'));
    await expect.poll(heldQuestions).toHaveLength(1);
    fixture.clock.advance(2 * DAY_MS);
    await expect.poll(() => logMessages(fixture)).toHaveLength(1);
    const [question] = heldQuestions();
    if (!question) throw new Error('The question is missing.');
    await (await fixture.discord.as('admin').in(LOG_CHANNEL).click(question, 'Delete')).message();
    fixture.clock.advance(11 * 60_000);
    await expect.poll(() => logMessages(fixture)).toEqual([]);
  });

  it('Erasing a member’s data deletes the log messages that name the member, and no others', async () => {
    const fixture = await loggingBot('');
    await changeRules(fixture, 'Change words', { words: 'casino' });
    await submitRefusedRequest(fixture, 'a casino');
    await submitRefusedRequest(fixture, 'a casino', 'other');
    const { member, other } = {
      member: fixture.discord.world.user('member'),
      other: fixture.discord.world.user('other'),
    };
    await expect.poll(() => logMessages(fixture).join()).toContain(`<@${other.id}>`);
    expect(logMessages(fixture).join()).toContain(`<@${member.id}>`);
    await requestErasure(fixture);
    await expect.poll(() => logMessages(fixture).join()).not.toContain(`<@${member.id}>`);
    expect(logMessages(fixture).join()).toContain(`<@${other.id}>`);
  });

  it('The log retention period is a number of days, which the rules page and the history show', async () => {
    const fixture = await loggingBot('30');
    const { discord } = fixture;
    const admin = discord.as('admin').in('studio');
    const rulesPage = await (await admin.slash('server rules')).message();
    expect(text(rulesPage)).toContain('The bot deletes its messages there after 30 days.');
    const formExchange = await admin.click(rulesPage, 'Change log channel');
    const rejected = await admin.fill(await formExchange.modal(), { logChannel: [LOG_CHANNEL], logDays: '366' });
    expect(text(await rejected.ephemeral())).toContain('from 1 to 365');
    const history = await (await admin.slash('server history')).message();
    expect(text(history)).toContain('days that log messages are kept: not set → 30');
    const unchanged = await changeRules(fixture, 'Change log channel', { logChannel: [LOG_CHANNEL], logDays: '30' });
    expect(text(unchanged)).toMatch(/^You submitted the form without a change\./);
  });
});
