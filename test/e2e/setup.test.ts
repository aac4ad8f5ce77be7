import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../sandbox/discord/exchange.ts';
import { startBot } from './bot.ts';
import { createFastClockFixture, type FastClockFixture, labels, says, startFastClockBot } from './quick.ts';

const HINT = 'The bot has not been set up on this server yet.';

async function openSetup({ discord }: FastClockFixture, channel = 'studio', who = 'admin'): Promise<Message> {
  return (await discord.as(who).in(channel).slash('setup')).message();
}

const press = async ({ discord }: FastClockFixture, page: Message, button: string, who = 'admin'): Promise<Message> =>
  (await discord.as(who).click(page, button)).message();

/** Presses Next until the page of a step is shown. */
async function goTo(fixture: FastClockFixture, number: number): Promise<Message> {
  let page = await openSetup(fixture);
  for (const step of [1, 2, 3, 4, 5])
    if (step < number && text(page).includes(`step ${step} of 5`)) page = await press(fixture, page, 'Next');
  expect(text(page)).toContain(`step ${number} of 5`);
  return page;
}

describe('/setup', () => {
  it('The five steps show the permissions, who can use the bot, the budget, the rules and what is stored, privately', async () => {
    const fixture = await startFastClockBot();
    const permissions = await openSetup(fixture, 'no-threads');
    expect(permissions.ephemeral).toBe(true);
    expect(text(permissions)).toMatch(
      /step 1 of 5: Permissions[\s\S]*❌ Create Public Threads: `\/talk start`[\s\S]*Grant the missing permissions/,
    );
    expect(text(permissions)).not.toContain('Send Messages:');
    expect(labels(permissions)).toEqual(['Add the bot with these permissions', 'Next', 'Refresh', 'All steps']);

    const access = await press(fixture, permissions, 'Next');
    expect(text(access)).toMatch(
      /step 2 of 5: Who can use it[\s\S]*Server Settings → Integrations[\s\S]*answers messages that mention it[\s\S]*Everyone can use every task type and model/,
    );
    const budget = await press(fixture, access, 'Next');
    expect(text(budget)).toMatch(
      /step 3 of 5: Budget[\s\S]*Limits for the server: [\s\S]*Limits for each member: [\s\S]*Alerts are off\.[\s\S]*<\/budget set:\d+>/,
    );
    const rules = await press(fixture, budget, 'Next');
    expect(text(rules)).toMatch(
      /step 4 of 5: Rules and log channel[\s\S]*0 blocked words[\s\S]*There is no log channel/,
    );
    const privacy = await press(fixture, rules, 'Next');
    expect(text(privacy)).toMatch(
      /step 5 of 5: Privacy[\s\S]*400 days[\s\S]*\*\*Messages\*\* that mention the bot[\s\S]*<\/tasks:\d+>[\s\S]*The operator\*\* runs the database/,
    );
    expect(labels(privacy)).toEqual(['Finish', 'Back', 'Refresh', 'All steps']);
    expect(text(await press(fixture, privacy, 'Back'))).toContain('step 4 of 5');
  });

  it('The privacy step says which messages in threads are read, only if the bot reads messages without a mention', async () => {
    const withoutContent = await startFastClockBot();
    expect(text(await goTo(withoutContent, 5))).not.toContain('**In threads**');
    const fixture = await startFastClockBot({
      settings: { DISCORD_MESSAGE_CONTENT: 'on' },
      discord: { privilegedIntents: ['message-content'] },
    });
    expect(text(await goTo(fixture, 5))).toContain('**In threads**, the bot also reads other messages of members who');
  });

  it('With moderation on, the privacy step says that a service receives what is checked, and who sees held results', async () => {
    const fixture = await createFastClockFixture();
    const { discord, gateway, config } = fixture;
    const moderation = { ...config.moderation, baseUrl: gateway.url, apiKey: config.gateway.apiKey };
    await startBot({ ...fixture, config: { ...config, moderation } });
    const privacy = await goTo(fixture, 5);
    expect(text(privacy)).not.toMatch(/moderation service|are held/);
    const admin = discord.as('admin');
    const rules = await (await admin.slash('server rules')).message();
    const change = async (button: string, values: object, shown: string): Promise<string> => {
      const form = await (await admin.click(rules, button)).modal();
      await (await admin.fill(form, values as never)).message(says(shown));
      return text(await press(fixture, privacy, 'Refresh'));
    };
    const checked = await change('Change moderation', { results: 'refuse' }, ': Refuse');
    expect(checked).toContain('moderation service** receives the text, images and results that are checked');
    expect(await change('Change log channel', { logChannel: ['studio'] }, 'posted in')).not.toContain('are held');
    expect(await change('Change moderation', { results: 'hold' }, ': Hold')).toMatch(
      /are held\*\*, also of private tasks, .* in <#\d+>/,
    );
  });

  it('Steps 4 and 5 warn about a log channel that everyone on the server can see, or in which the bot cannot post', async () => {
    const fixture = await startFastClockBot();
    const { discord } = fixture;
    const step = await goTo(fixture, 4);
    const form = await (await discord.as('admin').click(step, 'Change log channel')).modal();
    const rules = await (await discord.as('admin').fill(form, { logChannel: ['no-threads'] })).message(
      says('posted in'),
    );
    const warning = /Everyone on this server can see <#\d+>/;
    expect(text(rules)).toMatch(warning);
    expect(text(await press(fixture, step, 'Refresh'))).toMatch(warning);
    const privacy = await press(fixture, step, 'Next');
    expect(text(privacy)).toMatch(warning);
    const { id, channels } = discord.world.guild('atelier');
    const { AttachFiles, ViewChannel } = PermissionFlagsBits;
    channels
      .find(({ name }) => name === 'no-threads')
      ?.overwrites.push(
        { id, kind: 'role', allow: 0n, deny: ViewChannel },
        { id: discord.world.bot.id, kind: 'member', allow: ViewChannel, deny: AttachFiles },
      );
    for (const button of ['Refresh', 'Back']) {
      const shown = text(await press(fixture, privacy, button));
      expect(shown).not.toMatch(warning);
      expect(shown).toContain('the log channel: Attach Files');
    }
  });

  it('The set-up continues with the first step that is not done, also after a restart and for another admin, and ends with an overview', async () => {
    const fixture = await createFastClockFixture();
    const first = await startBot(fixture);
    // Nothing is missing in this channel, so the first step is done.
    const access = await openSetup(fixture);
    expect(text(access)).toContain('step 2 of 5');
    expect(text(await press(fixture, access, 'Next'))).toContain('step 3 of 5');
    await first.stop();
    await startBot(fixture);
    const budget = await openSetup(fixture, 'studio', 'owner');
    expect(text(budget)).toContain('step 3 of 5');
    // A change that was made elsewhere counts as well.
    await (await fixture.discord.as('admin').slash('budget set', { limits: '$5 a day' })).message();
    const rules = await openSetup(fixture);
    expect(text(rules)).toContain('step 4 of 5');
    const overview = await press(fixture, rules, 'All steps');
    expect(text(overview)).toMatch(
      /✅ 1\. Permissions\n✅ 2\. Who can use it\n✅ 3\. Budget\n▫️ 4\. Rules and log channel\n▫️ 5\. Privacy/,
    );
    expect(text(overview)).toMatch(/<\/setup:\d+> continues with the first step that is not done/);
    const rulesAgain = await press(fixture, overview, 'Rules and log channel');
    const privacy = await press(fixture, await press(fixture, rulesAgain, 'Next'), 'Refresh');
    expect(text(await press(fixture, privacy, 'Finish'))).toContain('All steps are done.');
    expect(text(await openSetup(fixture))).toContain('All steps are done.');
    // A permission that is missing elsewhere opens its step again.
    expect(text(await openSetup(fixture, 'no-voice-messages'))).toContain('step 1 of 5');
  });

  it('Permissions that are missing in the channels that the settings name are found, until they are granted there', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot();
    const { discord } = fixture;
    const admin = discord.as('admin');
    const form = await (await admin.click(await goTo(fixture, 4), 'Change log channel')).modal();
    await (await admin.fill(form, { logChannel: ['studio'] })).message(says('posted in'));
    await (await admin.slash('budget alerts', { channel: 'no-threads' })).message();
    const { channels } = discord.world.guild('atelier');
    const [studio] = channels.filter(({ name }) => name === 'studio');
    const bot = discord.world.bot.id;
    studio?.overwrites.push({ id: bot, kind: 'member', allow: 0n, deny: PermissionFlagsBits.AttachFiles });
    const page = await openSetup(fixture, 'no-private-threads');
    expect(text(page)).toContain(`❌ <#${studio?.id}>, the log channel: Attach Files`);
    expect(text(page)).toMatch(/✅ <#\d+>, the alerts channel of/);
    expect(text(await openSetup(fixture, 'no-threads'))).toContain('step 1 of 5');
    // Leaving the step does not grant anything.
    const overview = await press(
      fixture,
      await press(fixture, await openSetup(fixture, 'studio'), 'Next'),
      'All steps',
    );
    expect(text(overview)).toContain('▫️ 1. Permissions');
    studio?.overwrites.pop();
    const refreshed = text(await press(fixture, page, 'Refresh'));
    expect(refreshed).toContain(`✅ <#${studio?.id}>, the log channel`);
    const timesOf = [text(page), refreshed].map((one) => Number(/As of <t:(\d+):T>/.exec(one)?.[1]));
    expect(timesOf[1]).toBeGreaterThanOrEqual(timesOf[0] ?? Number.NaN);
    channels.splice(
      channels.findIndex(({ name }) => name === 'studio'),
      1,
    );
    // Discord does not list it, as it does not list threads, but still knows it.
    expect(text(await press(fixture, page, 'Refresh'))).toContain(
      `❔ <#${studio?.id}>, the log channel: could not be checked`,
    );
    const logForm = await (await admin.click(await goTo(fixture, 4), 'Change log channel')).modal();
    await (await admin.fill(logForm, { logChannel: ['no-threads'] })).message(says('posted in'));
    discord.world.removeChannel(discord.world.channel('no-threads'));
    const gone = text(await press(fixture, page, 'Refresh'));
    for (const use of ['the log channel', 'the alerts channel of `/budget`'])
      expect(gone).toMatch(new RegExp(`❌ <#\\d+>, ${use}: no longer exists, or the bot cannot see it\\.`));
  });

  it('The forms and pages that a step opens are those of /server and /budget, in new private messages, and the step shows what they changed', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot();
    const { discord } = fixture;
    const admin = discord.as('admin');
    const access = await goTo(fixture, 2);
    const form = await (await admin.click(access, 'Add a rule for task types and models')).modal();
    const preview = await (
      await admin.fill(form, { effect: 'deny', subjects: ['/video'], channels: ['no-threads'] })
    ).message();
    expect(preview.ephemeral).toBe(true);
    expect(preview.id).not.toBe(access.id);
    await (await admin.click(preview, 'Apply changes')).message(says('Rules of this server'));
    expect(text(await press(fixture, access, 'Refresh'))).toMatch(/- deny \/video in <#\d+>/);

    const budget = await press(fixture, access, 'Next');
    const budgetPage = await (await admin.click(budget, 'Show budget')).message();
    expect(text(budgetPage)).toContain('**Budget for this server**');
    expect(budgetPage.ephemeral).toBe(true);

    const rules = await press(fixture, budget, 'Next');
    const words = await (await admin.click(rules, 'Change words')).modal();
    const refused = await (await admin.fill(words, { longestPrompt: 'many' })).message();
    expect(text(refused)).toContain('must be a number from 1 to 100,000');
    const again = await (await admin.click(refused, 'Correct it')).modal();
    const rulesPage = await (await admin.fill(again, { words: 'casino', longestPrompt: '40' })).message();
    expect(text(rulesPage)).toContain('1 blocked word or phrase');
    expect(text(await press(fixture, rules, 'Refresh'))).toContain('Prompts of at most 40 characters');
  });

  it('Only members with Manage Server can set the bot up, even with a page that was opened before they lost the permission', async () => {
    const fixture = await startFastClockBot();
    const { discord } = fixture;
    const page = await openSetup(fixture);
    discord.world.guild('atelier').members.get(discord.world.user('admin').id)?.roles.splice(0);
    for (const button of ['Next', 'Back', 'Refresh', 'All steps']) {
      const refused = await (await discord.as('admin').click(page, button)).followUp();
      expect(text(refused)).toContain('Only members with the Manage Server permission can set the bot up');
    }
    const form = await discord.as('admin').click(page, 'Change buttons and privacy');
    expect(text(await form.message())).toContain('Only members with the Manage Server permission');
    expect(text(await openSetup(fixture, 'hall', 'admin'))).toContain('of 5');
    await expect(openSetup(fixture, 'studio', 'member')).rejects.toThrow();
  });
});

describe('The hint at /setup', () => {
  const hintsIn = (discord: FastClockFixture['discord'], ...channels: string[]): Message[] =>
    channels.flatMap((channel) => discord.messages(channel).filter(says(HINT)));

  it('The first reply to someone with Manage Server is followed by one private hint in each server, also across a restart', async () => {
    const fixture = await createFastClockFixture();
    const first = await startBot(fixture);
    const { discord } = fixture;
    await (await discord.as('member').slash('about')).message();
    const about = await discord.as('admin').slash('about');
    expect(text(await about.message())).toContain('Version');
    const hint = await about.followUp();
    expect(hint.ephemeral).toBe(true);
    expect(text(hint)).toMatch(new RegExp(`${HINT} </setup:\\d+>`));
    await (await discord.as('owner').slash('about')).message();
    await (await discord.as('owner').in('hall').slash('about')).followUp(says(HINT));
    await first.stop();
    const second = await startBot(fixture);
    for (const channel of ['studio', 'hall']) await (await discord.as('admin').in(channel).slash('about')).message();
    await second.stop();
    expect(hintsIn(discord, 'studio')).toHaveLength(1);
    expect(hintsIn(discord, 'hall')).toHaveLength(1);
  });

  it('The hint waits until a task has taken the place of the spinner', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord } = fixture;
    const order: Exchange = await discord.as('admin').slash('imagine', { prompt: 'a fox' });
    const hint = await order.followUp(says(HINT));
    expect(hint.ephemeral).toBe(true);
    const result = await order.message(says('Finished in'));
    expect(result.ephemeral).toBe(false);
    expect(result.id).not.toBe(hint.id);
  });

  it('There is no hint after /setup, or where a budget has been changed', async () => {
    const fixture = await createFastClockFixture();
    const app = await startBot(fixture);
    const { discord } = fixture;
    await openSetup(fixture);
    await (await discord.as('admin').slash('about')).message();
    await (await discord.as('admin').in('hall').slash('budget pause', { paused: true })).message();
    await (await discord.as('admin').in('hall').slash('about')).message();
    await app.stop();
    expect(hintsIn(discord, 'studio', 'hall')).toEqual([]);
  });
});
