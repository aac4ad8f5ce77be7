import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { noLimits } from '../support/no-limits.ts';
import { itVariants } from '../support/variants.ts';
import { startBot } from './bot.ts';
import {
  createFastClockFixture,
  type FastClockFixture,
  labels,
  says,
  startFastClockBot,
  submitCount,
} from './quick.ts';
import { erase } from './tasks/pages.ts';

const TRY_AGAIN = 'Try again (may be charged twice)';
const hasTryAgain = (message: Message): boolean => labels(message).includes(TRY_AGAIN);

const hasEnded = (message: Message): boolean => /Finished in|limit|paused|blocked/.test(text(message));

async function imagine(
  { discord }: FastClockFixture,
  who: string,
  prompt: string,
  channel = 'studio',
): Promise<string> {
  return text(await (await discord.as(who).in(channel).slash('imagine', { prompt })).message(hasEnded));
}

async function runBudget({ discord }: FastClockFixture, who: string, command: string, options = {}): Promise<string> {
  const message = await (await discord.as(who).slash(`budget ${command}`, options)).message();
  expect(message.ephemeral).toBe(true);
  return text(message);
}

describe('Budgets', () => {
  const stageWith = (settings: Record<string, string> = {}) =>
    createFastClockFixture({ gateway: { speed: 20 }, settings: { ...noLimits, ...settings } });
  const botWith = async (settings: Record<string, string> = {}) => {
    const fixture = await stageWith(settings);
    return { ...fixture, app: await startBot(fixture) };
  };

  it('An admin’s limit for each member applies immediately, and a limit set for a single member takes precedence', async () => {
    const fixture = await botWith();
    expect(await runBudget(fixture, 'admin', 'set', { limits: '1 task a day', for: 'members' })).toContain(
      '1 task a day',
    );
    expect(await imagine(fixture, 'member', 'a fox')).toContain('Finished');
    expect(await imagine(fixture, 'member', 'a hare')).toContain('exceed your limit on this server: `1 task a day`');
    const replaced = await runBudget(fixture, 'admin', 'set', { limits: '2 tasks a day', member: 'member' });
    expect(replaced).toMatch(/now: 2 tasks a day\nThese replace the limits for each member: 1 task a day$/);
    expect(await imagine(fixture, 'member', 'a hare')).toContain('Finished');
    expect(await imagine(fixture, 'member', 'an owl')).toContain('2 tasks a day');
    expect(submitCount(fixture.gateway)).toBe(2);
    const budgetText = await runBudget(fixture, 'admin', 'show');
    expect(budgetText).toContain('Limits for each member: 1 task a day');
    expect(budgetText).toMatch(/Members with their own limits:\n- <@\d+>: 2 tasks a day/);
    expect(await runBudget(fixture, 'admin', 'show', { member: 'member' })).toMatch(
      /2 tasks a day \(their own\)\n- Remaining: \*\*0\*\* of 2 tasks a day \(resets <t:\d+:R>\)/,
    );
    expect(await runBudget(fixture, 'admin', 'set', { limits: 'default', member: 'member' })).toMatch(
      /^<@\d+> has no limits of their own now\. .* the limits for each member: 1 task a day$/,
    );
  });

  it('A role’s limits apply to each member who has it, and the most generous role takes precedence', async () => {
    const fixture = await botWith({ DEFAULT_MEMBER_BUDGET: '1 task a day' });
    const { discord } = fixture;
    const atelier = discord.world.guild('atelier');
    const artists = { id: '900000000000000001', name: 'artists', permissions: 0n };
    atelier.roles.push(artists);
    atelier.members.get(discord.world.user('member').id)?.roles.push(artists.id);
    await runBudget(fixture, 'admin', 'set', { limits: '2 tasks a day', role: 'artists' });
    for (const prompt of ['a fox', 'a hare']) expect(await imagine(fixture, 'member', prompt)).toContain('Finished');
    expect(await imagine(fixture, 'member', 'an owl')).toContain('your limit on this server: `2 tasks a day`');
    expect(await imagine(fixture, 'other', 'an owl')).toContain('Finished');
    expect(await imagine(fixture, 'other', 'a toad')).toContain('your limit on this server: `1 task a day`');
    expect(await runBudget(fixture, 'admin', 'show', { member: 'member' })).toContain(
      '2 tasks a day (from their roles)',
    );
    await runBudget(fixture, 'admin', 'set', { limits: '3 tasks a day', role: '@everyone' });
    expect(await runBudget(fixture, 'admin', 'show')).toContain('Limits for each member: 3 tasks a day');
  });

  it('The limits of a deleted role are marked as such, and a button removes them, which the history shows', async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    const { roles } = discord.world.guild('atelier');
    const [artists, critics] = ['artists', 'critics'].map((name, index) => {
      return { id: `90000000000000000${index}`, name, permissions: 0n };
    }) as [(typeof roles)[number], (typeof roles)[number]];
    roles.push(artists, critics);
    for (const role of ['artists', 'critics'])
      await runBudget(fixture, 'admin', 'set', { limits: '2 tasks a day', role });
    const admin = discord.as('admin');
    const open = async (): Promise<Message> => (await admin.slash('budget show')).message();
    expect(labels(await open())).toEqual([]);
    roles.splice(roles.indexOf(artists), 1);
    const page = await open();
    expect(text(page)).toContain(`Deleted role \`${artists.id}\`: 2 tasks a day\n- <@&${critics.id}>: 2 tasks a day`);
    const removed = await (await admin.click(page, 'Remove limits of deleted roles')).message();
    expect(text(removed)).not.toContain('Deleted role');
    expect(text(removed)).toContain(`- <@&${critics.id}>: 2 tasks a day`);
    expect(labels(removed)).toEqual([]);
    expect(await runBudget(fixture, 'admin', 'history')).toContain(
      `changed the limits for <@&${artists.id}>: 2 tasks a day → not set`,
    );
  });

  it('A pause refuses new requests immediately, lets running ones finish, and survives a restart', async () => {
    const fixture = await stageWith();
    const first = await startBot(fixture);
    const running = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await running.message(says('fox'));
    const admin = fixture.discord.as('admin');
    const paused = await (await admin.slash('budget pause')).message(
      says('New requests on the server are now refused'),
    );
    expect(await imagine(fixture, 'member', 'a hare')).toContain('New requests are paused on this server, and queued');
    await running.message(says('Finished in'));
    await first.stop();
    await startBot(fixture);
    expect(await imagine(fixture, 'other', 'a hare')).toContain('paused');
    expect(await imagine(fixture, 'other', 'a hare', 'hall')).toContain('Finished');
    const resumed = await (await admin.click(paused, 'Resume')).message(says('New requests are accepted again'));
    expect(labels(resumed)).toEqual([]);
    expect(await imagine(fixture, 'other', 'a hare')).toContain('Finished');
  });

  it('The page of a budget says if the bot can no longer post in the alerts channel', async () => {
    const fixture = await botWith();
    const { world } = fixture.discord;
    await runBudget(fixture, 'admin', 'alerts', { channel: 'no-threads' });
    expect(await runBudget(fixture, 'admin', 'show')).not.toContain('❌');
    const channel = world.guild('atelier').channels.find(({ name }) => name === 'no-threads');
    channel?.overwrites.push({ id: world.bot.id, kind: 'member', allow: 0n, deny: PermissionFlagsBits.SendMessages });
    expect(await runBudget(fixture, 'admin', 'show')).toContain(
      `❌ <#${channel?.id}>, the alerts channel of \`/budget\`: Send Messages`,
    );
  });

  it('The pages of budget and rules, and the set-up, say that a deleted channel no longer exists, and how to choose another', async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    await runBudget(fixture, 'admin', 'alerts', { channel: 'no-threads' });
    const channel = discord.world.channel('no-threads');
    const gone = `❌ <#${channel.id}>, the alerts channel of \`/budget\`: no longer exists, or the bot cannot see it. `;
    discord.world.removeChannel(channel);
    const step = `${gone}Choose another channel with \`/budget alerts\`.`;
    expect(await runBudget(fixture, 'admin', 'show')).toContain(step);
    expect(await runBudget(fixture, 'admin', 'alerts')).toContain(step);
    const admin = discord.as('admin');
    // Without a log channel, the log is in the same channel.
    expect(text(await (await admin.slash('server rules')).message())).toContain(
      `❌ <#${channel.id}>, the log channel: no longer exists, or the bot cannot see it. Choose another channel in`,
    );
    const setup = await (await admin.slash('setup')).message();
    expect(text(setup)).toContain(step);
    // No permission is known to be missing.
    expect(text(setup)).not.toContain('Grant the missing permissions');
    expect(labels(setup)).not.toContain('Add the bot with these permissions');
  });

  itVariants([
    ['imagine', { prompt: 'a fox' }],
    ['image', { prompt: 'a fox', model: 'lumen-image-1' }],
  ])('During a pause, retrying an unconfirmed /%s task is refused too', async (command, options) => {
    const fixture = await botWith();
    const { discord, gateway } = fixture;
    gateway.faults.add({ on: { method: 'POST' }, do: 'accepted-then-reset' });
    const member = discord.as('member');
    const unconfirmed = await (await member.slash(command, options)).message(hasTryAgain);
    await runBudget(fixture, 'admin', 'pause');
    const refused = await (await member.click(unconfirmed, TRY_AGAIN)).ephemeral();
    expect(text(refused)).toContain('New requests are paused on this server');
    await runBudget(fixture, 'admin', 'pause', { paused: false });
    await (await member.click(unconfirmed, TRY_AGAIN)).message(says('Finished in'));
  });

  it('A block survives the erasure of the member’s data, no longer identifies the member afterwards, and ends', async () => {
    const fixture = await botWith();
    expect(await imagine(fixture, 'member', 'a fox')).toContain('Finished');
    expect(await runBudget(fixture, 'admin', 'block', { member: 'member', days: 7 })).toMatch(
      /^Until <t:\d+:f>, new requests from .* are refused/,
    );
    const member = fixture.discord.as('member');
    for (const reply of [
      await imagine(fixture, 'member', 'a hare'),
      text(await (await member.slash('about')).message()),
    ])
      expect(reply).toMatch(/You are blocked from making new requests on this server until <t:\d+:f>/);
    expect(await runBudget(fixture, 'admin', 'block', { member: 'atelier-bot' })).toContain('A bot makes no requests');
    await erase(fixture, 'member');
    await expect.poll(async () => runBudget(fixture, 'admin', 'show')).toMatch(/Blocked:\n- Deleted Member until/);
    expect(await imagine(fixture, 'member', 'a hare')).toContain('blocked');
    expect(await runBudget(fixture, 'admin', 'history')).not.toContain(member.user.id);
    await runBudget(fixture, 'admin', 'unblock', { member: 'member' });
    expect(await imagine(fixture, 'member', 'a hare')).toContain('Finished');
    expect(submitCount(fixture.gateway)).toBe(2);
    await runBudget(fixture, 'admin', 'set', { limits: '5 tasks a day, 3 waiting', for: 'server' });
    expect(await runBudget(fixture, 'admin', 'show')).toContain('- Remaining: **3** of 3 places in the queue');
    await runBudget(fixture, 'admin', 'set', { limits: '2 waiting', member: 'other' });
    await runBudget(fixture, 'admin', 'block', { member: 'other', days: 1 });
    expect(await runBudget(fixture, 'admin', 'show', { member: 'other' })).toContain('**2** of 2 places in the queue');
    expect(await runBudget(fixture, 'admin', 'show', { member: 'other' })).toContain('are refused until');
    fixture.clock.advance(86_400_000);
    expect(await runBudget(fixture, 'admin', 'show', { member: 'other' })).not.toContain('refused');
  });

  it('An export contains what admins decided about the member, and what the member decided as an admin', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    await runBudget(fixture, 'admin', 'set', { limits: '$5 a day', member: 'member' });
    await runBudget(fixture, 'admin', 'block', { member: 'other' });
    const exportFor = async (who: string) => {
      const actor = discord.as(who);
      const page = await (await actor.slash('tasks')).message();
      const { attachments } = await (await actor.click(page, 'Export my data')).message();
      return (await (await fetch(attachments[0]?.url ?? '')).json()) as { budgets: Record<string, unknown>[] };
    };
    await imagine(fixture, 'member', 'a fox');
    await imagine(fixture, 'admin', 'an owl');
    const guildId = discord.world.guild('atelier').id;
    const [memberExport, adminExport] = [await exportFor('member'), await exportFor('admin')];
    const limitChange = { what: 'member', after: '$5 a day' };
    expect(memberExport.budgets).toMatchObject([{ guildId, limits: { day: { amount: '5' } }, changes: [limitChange] }]);
    expect(adminExport.budgets).toMatchObject([{ guildId, changes: [limitChange, { what: 'block' }] }]);
    for (const name of ['other', 'admin'])
      expect(JSON.stringify(memberExport)).not.toContain(discord.world.user(name).id);
    for (const name of ['other', 'member'])
      expect(JSON.stringify(adminExport.budgets)).not.toContain(discord.world.user(name).id);
  });

  it('A budget grant raises the limits until they reset, and a budget reset sets the usage to zero', async () => {
    const fixture = await botWith();
    await runBudget(fixture, 'admin', 'set', { limits: '1 task a day, 1 task a week', for: 'members' });
    await imagine(fixture, 'member', 'a fox');
    expect(await imagine(fixture, 'member', 'a hare')).toContain('1 task a');
    const mention = `<@${fixture.discord.world.user('member').id}>`;
    expect(await runBudget(fixture, 'admin', 'grant', { member: 'member', more: '1 task' })).toContain(
      `Granted to ${mention}: 1 task more. Each of their limits on tasks is raised until it next resets.`,
    );
    expect(await runBudget(fixture, 'admin', 'show', { member: 'member' })).toMatch(
      /Remaining: \*\*1\*\* of 2 tasks a day \(resets <t:\d+:R>\), with 1 task granted until then/,
    );
    const [usage, about] = [
      await (await fixture.discord.as('member').slash('usage')).message(),
      await (await fixture.discord.as('member').slash('about')).message(),
    ];
    expect(text(usage)).toMatch(
      /remaining limits on this server:\n- .* of 2 tasks a day \(resets <t:\d+:R>\), with 1 task granted until then/,
    );
    expect(text(about)).toContain('Your limit on this server: 2 tasks a day (1 task of it granted)');
    expect(await imagine(fixture, 'member', 'a hare')).toContain('Finished');
    expect(await imagine(fixture, 'member', 'an owl')).toContain('`2 tasks a day`');
    expect(await runBudget(fixture, 'admin', 'reset', { member: 'member' })).toContain(`The usage of ${mention} has`);
    expect(await runBudget(fixture, 'admin', 'show', { member: 'member' })).toContain('**2** of 2 tasks a day');
    for (const prompt of ['an owl', 'a toad']) expect(await imagine(fixture, 'member', prompt)).toContain('Finished');
    expect(await imagine(fixture, 'member', 'a cat')).toContain('limit');
    expect(await runBudget(fixture, 'admin', 'set', { member: 'member', limits: '3 tasks a day' })).toContain(
      'Raised by earlier grants until the next reset: 4 tasks a day',
    );
  });

  it('What was granted can be taken back, as the page says, which does not change what was used', async () => {
    const fixture = await botWith();
    await runBudget(fixture, 'admin', 'set', { limits: '$1 a day' });
    await runBudget(fixture, 'admin', 'set', { limits: '2 tasks a day', for: 'members' });
    await imagine(fixture, 'member', 'a fox');
    await runBudget(fixture, 'admin', 'grant', { more: '$50' });
    await runBudget(fixture, 'admin', 'grant', { more: '3 tasks', member: 'member' });
    const how = 'To take back what was granted, use `/budget grant` with `more: none`';
    for (const options of [{}, { member: 'member' }]) {
      expect(await runBudget(fixture, 'admin', 'show', options)).toContain(how);
      expect(await runBudget(fixture, 'admin', 'grant', { more: 'None', ...options })).toMatch(
        /^What was granted to (?:the server|<@\d+>) has been taken back\.$/,
      );
      const shown = await runBudget(fixture, 'admin', 'show', options);
      expect(shown).not.toMatch(/granted/);
      expect(shown).toMatch('member' in options ? '**1** of 2 tasks a day' : /Remaining: .* of \$1 a day/);
      expect(await runBudget(fixture, 'admin', 'grant', { more: 'none', ...options })).toContain(
        'There is no grant that you could take back.',
      );
    }
    expect(await runBudget(fixture, 'admin', 'history')).toMatch(
      /took back what was granted to <@\d+>\n.*took back what was granted to the server\n/,
    );
    await runBudget(fixture, 'owner', 'grant', { more: '$50' });
    expect(await runBudget(fixture, 'admin', 'show')).not.toContain(how);
    expect(await runBudget(fixture, 'owner', 'show')).toContain(how);
  });

  it('The operator’s limits are not mentioned if there are none', async () => {
    const fixture = await botWith({ DEFAULT_SERVER_BUDGET: 'none' });
    expect(await runBudget(fixture, 'admin', 'set', { limits: 'none' })).toBe(
      'The limits for the server are now: none',
    );
  });

  it('The operator’s limits take precedence over those set by the admins of a server', async () => {
    const fixture = await botWith({
      DEFAULT_SERVER_BUDGET: '2 tasks a day',
      DISCORD_ADMIN_GUILD_IDS: '100000000000000000',
    });
    expect(await runBudget(fixture, 'admin', 'set', { limits: 'none' })).toMatch(
      /limits for the server are now: none\nThe operator’s limits for the server still apply: 2 tasks a day/,
    );
    for (const prompt of ['a fox', 'a hare']) expect(await imagine(fixture, 'member', prompt)).toContain('Finished');
    expect(await runBudget(fixture, 'admin', 'reset')).toContain(
      'It also still counts toward the operator’s limits for the server: 2 tasks a day',
    );
    await runBudget(fixture, 'admin', 'set', { limits: '9 tasks a day' });
    expect(await runBudget(fixture, 'admin', 'grant', { more: '1 task' })).toContain(
      'The operator’s limits for the server still apply: 2 tasks a day',
    );
    expect(await imagine(fixture, 'member', 'an owl')).toContain('exceed the operator’s limit for this server');
    for (const [command, options] of [
      ['set', { limits: 'none', for: 'operator' }],
      ['show', { server: fixture.discord.world.guild('elsewhere').id }],
      ['pause', { server: 'all' }],
    ] as const)
      expect(await runBudget(fixture, 'admin', command, options)).toContain(
        'Only the operator and, on an admin server of the bot, its admins can',
      );
    await runBudget(fixture, 'admin', 'grant', { more: '5 tasks' });
    expect(await imagine(fixture, 'member', 'an owl')).toContain('exceed the operator’s limit for this server');
    expect(await runBudget(fixture, 'owner', 'grant', { more: '1 task' })).toMatch(
      /The operator’s limits for the server are raised, too\. For now they are: 3 tasks a day$/,
    );
    expect(await imagine(fixture, 'member', 'an owl')).toContain('Finished');
    // The operator's grant of one task still counts.
    expect(await runBudget(fixture, 'admin', 'set', { limits: '9 tasks a day' })).toMatch(
      /The operator’s limits for the server still apply: 3 tasks a day$/,
    );
    await runBudget(fixture, 'owner', 'set', { limits: '4 tasks a day', for: 'operator' });
    expect(await runBudget(fixture, 'admin', 'set', { limits: 'default' })).toMatch(
      /now: none of its own\nThe operator’s limits for the server still apply: 5 tasks a day$/,
    );
    expect(await runBudget(fixture, 'admin', 'show')).toMatch(
      /Limits for the server: none of its own\nThe operator’s limits for the server: 4 tasks a day/,
    );
    expect(await imagine(fixture, 'member', 'a toad')).toContain('Finished');
  });

  it('If a server has no limits of its own, its admins cannot raise the operator’s default', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith({
      DEFAULT_SERVER_BUDGET: '1 task a day',
      DISCORD_ADMIN_GUILD_IDS: '100000000000000000',
    });
    for (const [command, options] of [
      ['grant', { more: '$5' }],
      ['reset', {}],
    ] as const)
      expect(await runBudget(fixture, 'admin', command, options)).toContain('its admins can raise');
    await imagine(fixture, 'member', 'a fox');
    expect(await imagine(fixture, 'member', 'a hare')).toContain('the operator’s limit for this server');
    await runBudget(fixture, 'owner', 'reset');
    expect(await imagine(fixture, 'member', 'a hare')).toContain('Finished');
  });

  it('The operator can manage the budget of any server, and pause all servers', async () => {
    const fixture = await botWith();
    const otherGuildId = fixture.discord.world.guild('elsewhere').id;
    expect(await runBudget(fixture, 'owner', 'set', { limits: '1 task a day', server: otherGuildId })).toContain(
      'are now: 1 task a day',
    );
    expect(await runBudget(fixture, 'owner', 'show', { server: otherGuildId })).toContain(`server ${otherGuildId}`);
    expect(await imagine(fixture, 'other', 'a fox', 'hall')).toContain('Finished');
    expect(await imagine(fixture, 'other', 'a hare', 'hall')).toContain('this server’s limit');
    const unknown = { server: '100000000000000009' };
    expect(await runBudget(fixture, 'owner', 'show', unknown)).toMatch(
      /not on a server with the ID .*\. Check the ID\.$/,
    );
    expect(await runBudget(fixture, 'owner', 'show', { server: 'all' })).toContain('`all` works only with');
    const owner = fixture.discord.as('owner');
    const paused = await (await owner.slash('budget pause', { server: 'all' })).message();
    expect(await imagine(fixture, 'member', 'a hare')).toContain('New requests are paused on all servers');
    expect(await runBudget(fixture, 'owner', 'show')).toContain('New requests are paused on all servers.');
    await runBudget(fixture, 'owner', 'pause');
    const about = async (): Promise<string> => text(await (await owner.slash('about')).message());
    expect(await about()).toContain('New requests are paused on all servers.');
    for (const _ of ['paused', 'not paused'])
      expect(await runBudget(fixture, 'owner', 'pause', { paused: false })).toBe(
        'The server itself is not paused, but the operator has paused new requests on all servers.',
      );
    await runBudget(fixture, 'owner', 'pause');
    const shown = await (await owner.slash('budget show', {})).message();
    expect(text(shown)).toContain('paused on all servers.\nNew requests are paused on the server.');
    expect(labels(shown)).toEqual(['Resume', 'Resume on all servers']);
    await owner.click(paused, 'Resume on all servers');
    expect(await about()).toContain('New requests are paused on this server.');
    await runBudget(fixture, 'owner', 'pause', { paused: false });
    expect(await about()).not.toContain('paused');
    expect(await imagine(fixture, 'member', 'a hare')).toContain('Finished');
    // Another server learns of the pause of all servers, but not who paused it, and nothing of this server's own pauses.
    const elsewhere = await runBudget(fixture, 'owner', 'history', { server: otherGuildId });
    expect(elsewhere.match(/(?<=:f> ).*new requests.*/g)).toEqual([
      'Someone who manages the whole bot: resumed new requests on all servers',
      'Someone who manages the whole bot: paused new requests on all servers',
    ]);
    await runBudget(fixture, 'owner', 'set', { limits: '$5 a day', server: otherGuildId });
    const changed = await runBudget(fixture, 'owner', 'history', { server: otherGuildId });
    expect(changed).toContain(`**Budget for server ${otherGuildId}**`);
    expect(changed).toContain('Someone who manages the whole bot: changed the limits for the server');
    expect(changed).not.toContain('<@');
  });

  it('The budget history shows who changed what, with the old and new values', async () => {
    const fixture = await botWith();
    expect(await runBudget(fixture, 'admin', 'history')).toContain('Nothing has been changed');
    await runBudget(fixture, 'admin', 'set', { limits: '$5 a day' });
    await runBudget(fixture, 'owner', 'set', { limits: 'default' });
    await runBudget(fixture, 'admin', 'set', { limits: 'nonsense' });
    await runBudget(fixture, 'admin', 'alerts', { off: true });
    const history = await runBudget(fixture, 'admin', 'history');
    const [admin, owner] = ['admin', 'owner'].map((name) => fixture.discord.world.user(name).id);
    expect(history.split('\n').slice(1)).toEqual([
      expect.stringMatching(new RegExp(`<@${owner}>: changed the limits for the server: \\$5 a day → default$`)),
      expect.stringMatching(new RegExp(`<@${admin}>: changed the limits for the server: default → \\$5 a day$`)),
    ]);
  });

  it('The budget history says how many changes it leaves out, also where its lines are long', async () => {
    const fixture = await botWith();
    const kinds = ['video', 'music', 'image', 'ask', 'imagine', 'describe'];
    for (const count of [1, 2, 3, 4]) {
      const limits = kinds.map((kind) => `${kind}: ${count} tasks a day, ${kind}: ${count} tasks a week`).join(', ');
      expect(await runBudget(fixture, 'admin', 'set', { limits })).toContain('are now');
    }
    const [, ...lines] = (await runBudget(fixture, 'admin', 'history')).split('\n');
    const rest = lines.pop();
    for (const line of lines) expect(line).toMatch(/^- <t:.* a week$/);
    expect(rest).toBe(lines.length === 3 ? 'One older change is in the file.' : '2 older changes are in the file.');
  });

  it('Invalid limits, grants and unblocks are refused and change nothing', async () => {
    const fixture = await botWith();
    for (const [command, options, expected] of [
      ['set', { limits: '5 apples a day' }, 'These limits are not valid'],
      ['set', { limits: '$5 a day', for: 'members', member: 'member' }, 'Choose only one'],
      ['grant', { more: 'a lot' }, 'is not an amount above zero'],
      ['grant', { more: '$0' }, 'is not an amount above zero'],
      ['grant', { more: '$5, 1 task', member: 'member' }, 'There is no limit in dollars'],
      ['unblock', { member: 'member' }, 'This member is not blocked'],
    ] as const)
      expect(await runBudget(fixture, 'admin', command, options)).toContain(expected);
    expect(await runBudget(fixture, 'admin', 'history')).toContain('Nothing has been changed');
  });
});

it('Members cannot use /budget, even if the server’s settings show it to them', async () => {
  const fixture = await startFastClockBot({ settings: noLimits });
  const { discord } = fixture;
  await expect(discord.as('member').slash('budget show')).rejects.toThrow('permissions');
  for (const command of discord.commands.global())
    if (command.name === 'budget') command.default_member_permissions = null;
  for (const name of ['show', 'pause', 'history'])
    expect(await runBudget(fixture, 'member', name)).toContain('Only members with the Manage Server permission');
});

describe('Budget alerts', () => {
  it('/budget alerts switches alerts off only if it is told to, and says that the log was there', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture({ settings: noLimits });
    await startBot(fixture);
    const alerts = (options: object) => runBudget(fixture, 'admin', 'alerts', options);
    expect(await alerts({})).toBe('Alerts are off. Choose a channel with `/budget alerts`.');
    expect(await alerts({ channel: 'no-threads' })).toMatch(
      /As long as no log channel is set[\s\S]*⚠️ Everyone on this server can see <#\d+>/,
    );
    expect(await alerts({})).toMatch(/^Alerts are posted in <#\d+>\.\nTo switch them off, use/);
    expect(await alerts({ channel: 'no-threads', off: true })).toContain('not both');
    expect(await alerts({ off: true })).toMatch(/^Alerts are now off\.\nThere is no log channel: /);
    expect(await alerts({ off: true })).toBe('Alerts are off. Choose a channel with `/budget alerts`.');
    expect((await runBudget(fixture, 'admin', 'history')).match(/changed the alerts channel/g)).toHaveLength(2);
  });

  async function runAlertScenario(settings: Record<string, string>, withRestart = false) {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 }, settings: { ...noLimits, ...settings } });
    const first = await startBot(fixture);
    const { discord } = fixture;
    expect(await runBudget(fixture, 'admin', 'alerts', { channel: 'read-only' })).toContain(
      'could not post in that channel',
    );
    expect(await runBudget(fixture, 'admin', 'alerts', { channel: 'admin-room' })).toContain('could not post');
    expect(await runBudget(fixture, 'admin', 'alerts', { channel: 'no-threads' })).toContain(
      'Alerts will be posted in <#',
    );
    await runBudget(fixture, 'admin', 'set', { limits: '5 tasks a day' });
    for (const prompt of ['1', '2', '3', '4']) await imagine(fixture, 'member', prompt);
    await expect.poll(() => alertMessages(fixture)).toHaveLength(2);
    if (withRestart) {
      await first.stop();
      await startBot(fixture);
    }
    for (const prompt of ['5', '6', '7']) await imagine(fixture, 'member', prompt);
    await expect.poll(() => alertMessages(fixture)).toHaveLength(3);
    return { fixture, discord };
  }

  const alertsIn = (messages: readonly Message[]): string[] =>
    messages.map(text).filter((one) => one.startsWith('**Budget alert'));
  const alertMessages = ({ discord }: FastClockFixture): string[] => discord.messages('no-threads').map(text);

  it('The server’s channel and the operator are notified once at 80% and once at 100%, even across a restart', async () => {
    const { fixture, discord } = await runAlertScenario({}, true);
    expect(alertMessages(fixture)).toEqual([
      'Budget alerts for this server will appear here.',
      expect.stringMatching(
        /^\*\*Budget alert\*\*\nAt least 80% of the server’s limit \(5 tasks a day\) has been used\. Remaining: 1 task\./,
      ),
      expect.stringMatching(
        /^\*\*Budget alert\*\*\nRequests that would exceed the server’s limit \(5 tasks a day\) are now refused\. Remaining: 0 tasks\./,
      ),
    ]);
    const directAlerts = alertsIn(discord.messages(discord.openDirectMessage('owner').id));
    expect(directAlerts).toHaveLength(2);
    const { id, name } = discord.world.guild('atelier');
    expect(directAlerts[0]).toContain(`for server ${name} (\`${id}\`)\n`);
    await runBudget(fixture, 'admin', 'reset');
    for (const prompt of ['8', '9', '10', '11']) await imagine(fixture, 'member', prompt);
    await expect.poll(() => alertMessages(fixture)).toHaveLength(4);
  });

  it('The operator is notified in a channel of their own, if they have chosen one', async () => {
    const fixture = await createFastClockFixture({
      gateway: { speed: 20 },
      settings: { ...noLimits, DEFAULT_SERVER_BUDGET: '1 task a day' },
    });
    const { discord, config } = fixture;
    const hallId = [...discord.world.channels.values()].find(({ name }) => name === 'hall')?.id ?? '';
    await startBot({ ...fixture, config: { ...config, operator: { channelId: hallId, ids: [] } } });
    await imagine(fixture, 'member', 'a fox');
    await expect.poll(() => alertsIn(discord.messages('hall'))).toEqual([expect.stringContaining('are now refused')]);
    expect(discord.messages(discord.openDirectMessage('owner').id)).toEqual([]);
  });

  it('Users listed as operators are notified by direct message, and can manage any server’s budget once Discord shows them the command', async () => {
    const fixture = await createFastClockFixture({
      gateway: { speed: 20 },
      settings: { ...noLimits, DEFAULT_SERVER_BUDGET: '1 task a day' },
    });
    const { discord, config } = fixture;
    const otherId = discord.world.user('other').id;
    await startBot({ ...fixture, config: { ...config, operator: { ids: [otherId] } } });
    await imagine(fixture, 'member', 'a fox');
    const directAlerts = () => alertsIn(discord.messages(discord.openDirectMessage('other').id));
    await expect.poll(directAlerts).toEqual([expect.stringContaining('are now refused')]);
    const otherGuildId = discord.world.guild('elsewhere').id;
    await expect(discord.as('other').slash('budget show', { server: otherGuildId })).rejects.toThrow('permissions');
    for (const command of discord.commands.global())
      if (command.name === 'budget') command.default_member_permissions = null;
    expect(await runBudget(fixture, 'other', 'show', { server: otherGuildId })).toContain(`server ${otherGuildId}`);
  });
});
