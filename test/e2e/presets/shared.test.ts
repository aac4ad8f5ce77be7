import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { itVariants } from '../../support/variants.ts';
import { startBot } from '../bot.ts';
import { applyRules } from '../mentions/fixture.ts';
import {
  createFastClockFixture,
  type FastClockFixture,
  messagesWith,
  says,
  startFastClockBot,
  submitCount,
} from '../quick.ts';
import { buttonsOf, decide, LOG_CHANNEL, onlyReport, setLogChannel, waitForReport } from '../reports.ts';
import { bytesOf } from '../tasks/fixture.ts';
import { erase, openTaskList } from '../tasks/pages.ts';
import { poster, presetReply, suggestionsOf } from './fixture.ts';

const other = { who: 'other' };

async function shareAs(fixture: FastClockFixture, who = 'member', values: Record<string, string> = poster) {
  await presetReply(fixture, 'save', values, { who });
  return presetReply(fixture, 'share', { preset: values.name ?? '' }, { who });
}

async function reportPreset(fixture: FastClockFixture): Promise<string> {
  const actor = fixture.discord.as('other');
  const page = await presetReply(fixture, 'list', { preset: 'Poster' }, other);
  const form = await (await actor.click(page, 'Report')).modal();
  return text(await (await actor.fill(form, { reason: 'hate', words: 'Look' })).message());
}

describe('Shared presets', () => {
  it('A report shows moderators the preset, also after a restart, and Remove deletes it', async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
    const first = await startBot(fixture);
    await setLogChannel(fixture);
    await shareAs(fixture, 'member', { ...poster, template: '{prompt} **bold** @everyone' });
    expect(await reportPreset(fixture)).toContain('Reported. The moderators');
    const report = await onlyReport(fixture);
    const owner = fixture.discord.world.user('member').id;
    expect(text(report)).toContain(`**Report** about <@${owner}>’s preset (`);
    expect(text(report)).toContain('\n**Poster**\nTemplate: {prompt} \\*\\*bold\\*\\* @everyone');
    expect(report.mentions).toEqual([]);
    expect(buttonsOf(report)).toEqual(['Remove', 'Block member', 'Dismiss']);
    await first.stop();
    await startBot(fixture);
    await decide(fixture, report, 'Remove');
    await waitForReport(fixture, 'Preset removed by');
    expect(await suggestionsOf(fixture, other)).toEqual([]);
    expect(await suggestionsOf(fixture)).toEqual(['Poster · yours']);
  });

  it('A deletion by a moderator is in the log channel, and gone with the data of either member', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    await setLogChannel(fixture);
    await shareAs(fixture);
    await presetReply(fixture, 'delete', { preset: 'Poster' }, { who: 'admin' });
    const { member, admin } = {
      member: fixture.discord.world.user('member').id,
      admin: fixture.discord.world.user('admin').id,
    };
    const entries = () => messagesWith(fixture.discord, LOG_CHANNEL, 'deleted the shared preset');
    const [entry] = await fixture.discord.until(() => (entries().length === 1 ? entries() : undefined));
    expect(entry && text(entry)).toContain(`<@${admin}> deleted the shared preset \`Poster\` of <@${member}>`);
    expect(entry?.mentions).toEqual([]);
    await erase(fixture, 'admin');
    await fixture.discord.until(() => (entries().length === 0 ? true : undefined));
  });

  it('A member’s presets are in their export, and gone after an erasure; copies that others made stay', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord } = fixture;
    await shareAs(fixture);
    const page = await presetReply(fixture, 'list', { preset: 'Poster' }, other);
    await (await discord.as('other').click(page, 'Copy')).message(says('Yours'));
    const exported = await (await discord.as('member').click(await openTaskList(fixture), 'Export my data')).message();
    const { presets } = JSON.parse((await bytesOf(exported)).toString());
    const guildId = discord.world.guild('atelier').id;
    expect(presets).toMatchObject([{ name: 'Poster' }, { name: 'Poster', guildId }]);
    await erase(fixture);
    // The member reads the outcome before the last rows are erased.
    await expect.poll(() => suggestionsOf(fixture), { timeout: 30_000 }).toEqual([]);
    expect(await suggestionsOf(fixture, other)).toEqual(['Poster · yours']);
  });

  it('The rules judge a preset when it is saved, changed and shared, and what is ordered with it', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    await presetReply(fixture, 'save', poster);
    await applyRules(fixture.discord, { words: [{ text: 'poster' }, { text: 'casino' }] });
    const refusals = [
      await presetReply(fixture, 'save', { ...poster, name: 'Casino', template: 'a fox' }),
      await presetReply(fixture, 'save', { ...poster, name: 'New' }),
      await presetReply(fixture, 'save', { ...poster, name: 'New', template: 'x', options: 'negative:casino' }),
      await presetReply(fixture, 'edit', { preset: 'Poster', template: 'a casino' }),
      await presetReply(fixture, 'share', { preset: 'Poster' }),
    ];
    for (const refused of refusals) expect(text(refused)).toContain('The rules here do not allow this text');
    const order = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox', preset: 'Poster' });
    expect(text(await order.ephemeral())).toMatch(/blocked|not allow/);
    expect(await suggestionsOf(fixture)).toEqual(['Poster · yours']);
  });

  itVariants([
    [{ name: '**x**' }, 'The name can have up to 40 letters'],
    [{ name: '<@123456789012345678>' }, 'The name can have'],
    [{ name: 'a\u202eb' }, 'The name can have'],
    [{ template: '\u202e\u0007' }, 'The template needs text'],
    [{ template: 'x --ar 0:5' }, '`--ar` must be a ratio'],
    [{ options: 'size:1' }, '`size` is not an option of this command.'],
    [{ options: 'chaos:500' }, 'The option `chaos` does not accept'],
    [{ options: 'aspect:5' }, 'The option `aspect` accepts only'],
  ])('A preset that cannot be right is refused before it is saved: %j', async (changes, words) => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    expect(text(await presetReply(fixture, 'save', { ...poster, ...changes }))).toContain(words);
    expect(await suggestionsOf(fixture)).toEqual([]);
    expect(fixture.discord.violations).toEqual([]);
  });

  it('The operator’s presets are suggested and used everywhere, and nobody can change them', async () => {
    const settings = { DISCORD_USER_INSTALL: 'on' };
    const fixture = await createFastClockFixture({ settings, gateway: { speed: 20 } });
    const preset = { name: 'House style', command: 'imagine' as const, template: '{prompt}, house', options: {} };
    await startBot({ ...fixture, config: { ...fixture.config, presets: [preset] } });
    for (const channel of ['studio', 'dm'])
      expect(await suggestionsOf(fixture, { channel })).toEqual(['House style · the bot’s']);
    expect(text(await presetReply(fixture, 'list', {}))).toMatch(/The bot’s[\s\S]*House style/);
    for (const command of ['edit', 'delete', 'share'])
      expect(
        text(await presetReply(fixture, command, { preset: 'House style', ...(command === 'edit' && { name: 'X' }) })),
      ).toContain('There is no such preset of yours');
    await (
      await fixture.discord.as('member').slash('preset use', { preset: 'bot:House style', prompt: 'a fox' })
    ).message(says('Finished in'));
    expect(submitCount(fixture.gateway)).toBe(1);
  });
});
