import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { hasEnded, modelRequests, models } from '../asks/fixture.ts';
import { startBot } from '../bot.ts';
import { applyRules, replyTo, startMentionBot, toBot } from '../mentions/fixture.ts';
import { createFastClockFixture, labels, says, startFastClockBot } from '../quick.ts';
import { orders } from '../tasks/fixture.ts';
import { changeSettings, isChangeable } from './fixture.ts';

const persona = { name: 'Captain Ada', instructions: 'You are a sailor.' };

describe('/channel', () => {
  it('All members can show the settings of a channel, and only those with Manage Channels can change them, checked at each press', async () => {
    const { discord } = await startFastClockBot({ gateway: { speed: 20 } });
    const guild = discord.world.guild('atelier');
    const role = { id: '99999999999999999', name: 'channels', permissions: PermissionFlagsBits.ManageChannels };
    guild.roles.push(role);
    const otherRoles = guild.members.get(discord.world.user('other').id)?.roles;
    otherRoles?.push(role.id);
    const [manager, member] = [discord.as('other'), discord.as('member')];
    expect(text(await (await manager.slash('channel reset')).message())).toContain(
      'Nothing was set, so nothing has changed.',
    );
    const page = await changeSettings(manager, 'channel edit', 'Change persona', persona);
    expect(text(page)).toMatch(
      /Last changed by <@\d+>[\s\S]*Name: Captain Ada[\s\S]*Answers to mentions: On[\s\S]*You are a sailor\./,
    );
    const shown = await (await member.slash('channel show')).message();
    expect([shown.ephemeral, isChangeable(shown)]).toEqual([true, false]);
    expect(text(shown)).toContain('Captain Ada');
    for (const command of ['channel edit', 'channel reset'])
      expect(text(await (await member.slash(command)).message())).toContain('Manage Channels permission');
    const question = await (await manager.slash('channel reset')).message();
    expect(text(question)).toMatch(/All settings of this channel are removed:[\s\S]*Name: Captain Ada/);
    await (await manager.click(question, 'Keep')).message(says('Settings of'));
    const form = await (await manager.click(page, 'Change persona')).modal();
    otherRoles?.splice(0);
    const refused = await (await manager.fill(form, { name: 'Ben' })).followUp();
    expect(text(refused)).toContain('Manage Channels permission');
    expect(labels(refused)).toEqual([]);
    expect(text(await (await manager.click(page, 'Change persona')).message())).toContain('Manage Channels permission');
    expect(text(await (await manager.click(page, 'Reset all')).followUp())).toContain('Manage Channels permission');
  });

  it('Two who change a section at once keep what both changed, and the second reads of a field that both changed what it is now', async () => {
    const { discord } = await startFastClockBot({ gateway: { speed: 20 } });
    const admin = discord.as('admin');
    const page = await (await admin.slash('server defaults')).message();
    const open = async () => (await admin.click(page, 'Change replies')).modal();
    const [first, second, third] = [await open(), await open(), await open()];
    await (await admin.fill(first, { private: 'on' })).message(says('by default: On'));
    const both = text(await (await admin.fill(second, { ping: 'never' })).message(says('has finished: Never')));
    expect(both).toContain('by default: On');
    const refused = await (await admin.fill(third, { ping: 'always', spoiler: 'on' })).followUp();
    expect(text(refused)).toContain(
      '`Ping when a public task has finished` changed after you opened this form (now: `Never`).',
    );
    const corrected = await (await admin.click(refused, 'Correct it')).modal();
    await admin.fill(corrected, {});
    await discord.until(() => discord.messages('studio').find(says('has finished: Always')));
    const shown = text(await (await admin.slash('server defaults')).message());
    expect(shown).toMatch(/by default: On[\s\S]*: On[\s\S]*has finished: Always/);
  });

  it('A persona answers /ask and mentions in its channel and its threads, after a restart too, and nowhere else', async () => {
    const fixture = await createFastClockFixture({ settings: models, gateway: { speed: 20 } });
    const first = await startBot(fixture);
    const { discord, gateway } = fixture;
    await changeSettings(discord.as('owner'), 'channel edit', 'Change persona', persona);
    await first.stop();
    await startBot(fixture);
    const member = discord.as('member');
    const expected = 'Your name is Captain Ada.\n\nYou are a sailor.';
    const instructions = () => modelRequests(gateway).at(-1)?.instructions;
    const answer = await (await member.slash('ask', { prompt: 'snow?' })).message(hasEnded);
    expect(instructions()).toBe(expected);
    expect(text(await (await member.click(answer, 'Show details')).message())).toContain(
      'Persona of the channel: Captain Ada',
    );
    await (await member.in('thread').slash('ask', { prompt: 'ice?' })).message(hasEnded);
    expect(instructions()).toBe(expected);
    await replyTo(discord, 'studio', await member.say(toBot(discord, 'and hail?')));
    expect(instructions()).toBe(expected);
    await (await member.in('hall').slash('ask', { prompt: 'fire?' })).message(hasEnded);
    expect(instructions()).toBeUndefined();
  });

  it('Mentions are not answered in a channel whose persona does not want them', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startMentionBot();
    await changeSettings(discord.as('owner'), 'channel edit', 'Change persona', { ...persona, mentions: 'off' });
    const member = discord.as('member');
    const unanswered = await member.say(toBot(discord, 'snow?'));
    await replyTo(discord, 'hall', await member.in('hall').say(toBot(discord, 'ice?')));
    expect(modelRequests(gateway)).toHaveLength(1);
    expect(discord.messages('studio').some((one) => one.message_reference?.message_id === unanswered.id)).toBe(false);
    const help = async (channel: string) => text(await (await member.in(channel).slash('help')).ephemeral());
    expect(await help('studio')).not.toContain('messages that mention it');
    expect(await help('hall')).toContain('messages that mention it');
  });

  it('A persona is judged by the rules when it is saved, and when it is used', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startMentionBot();
    const owner = discord.as('owner');
    await changeSettings(owner, 'channel edit', 'Change persona', persona);
    await applyRules(discord, { words: [{ text: 'sailor' }] });
    const refused = await (await discord.as('member').slash('ask', { prompt: 'snow?' })).message(says('persona'));
    expect(text(refused)).toContain('The rules here do not allow the persona of this channel');
    const page = await (await owner.slash('channel show')).message();
    const form = await (await owner.click(page, 'Change persona')).modal();
    const reply = await (await owner.fill(form, { instructions: 'You are the sailor.' })).followUp();
    expect(text(reply)).toContain('The rules here do not allow this text');
    await changeSettings(owner, 'channel edit', 'Change persona', { name: '', instructions: '' });
    const emptyForm = await (await owner.click(page, 'Change persona')).modal();
    const incomplete = await (await owner.fill(emptyForm, { mentions: 'off' })).followUp();
    expect(text(incomplete)).toContain('A persona needs a name and instructions.');
    expect(modelRequests(gateway)).toHaveLength(0);
  });

  it('A persona and a suffix that the moderation service flags cannot be saved', { tags: ['breadth'] }, async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
    const { discord, gateway, config } = fixture;
    const moderation = { ...config.moderation, baseUrl: gateway.url, apiKey: config.gateway.apiKey };
    await startBot({ ...fixture, config: { ...config, moderation } });
    await applyRules(discord, { moderation: { prompts: 'refuse' } });
    const owner = discord.as('owner');
    const page = await (await owner.slash('channel edit')).message();
    const refusalOf = async (button: string, values: Record<string, string>) => {
      const form = await (await owner.click(page, button)).modal();
      return text(await (await owner.fill(form, values)).followUp());
    };
    const flagged = 'You like flag:violence.';
    expect(await refusalOf('Change persona', { ...persona, instructions: flagged })).toContain('moderation');
    expect(await refusalOf('Change images', { suffix: flagged })).toContain('moderation');
    expect(text(await (await owner.slash('channel show')).message())).not.toContain('violence');
  });

  it('A member’s settings come before the channel’s, and the channel’s before the defaults of the server', {
    tags: ['breadth'],
  }, async () => {
    const settings = { DISCORD_USER_INSTALL: 'on' };
    const { discord, gateway } = await startFastClockBot({ settings, gateway: { speed: 20 } });
    const owner = discord.as('owner');
    await changeSettings(owner, 'server defaults', 'Change images', { aspect: '1:1', version: '6', quality: '2' });
    await changeSettings(owner, 'channel edit', 'Change images', { aspect: '3:2', version: '6.1' });
    await changeSettings(discord.as('member'), 'settings', 'Change images', { aspect: '9:16' });
    const promptIn = async (channel: string, who = 'member') => {
      await (await discord.as(who).in(channel).slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
      return (orders(gateway).at(-1)?.body as { prompt: string } | undefined)?.prompt;
    };
    expect(await promptIn('thread')).toBe('a fox --ar 9:16 --v 6.1 --quality 2');
    expect(await promptIn('studio', 'other')).toBe('a fox --ar 3:2 --v 6.1 --quality 2');
    expect(await promptIn('no-threads', 'other')).toBe('a fox --ar 1:1 --v 6 --quality 2');
    expect(await promptIn('hall', 'other')).toBe('a fox');
    expect(await promptIn('dm')).toBe('a fox --ar 9:16');
  });

  it('A channel can make replies private by default', { tags: ['breadth'] }, async () => {
    const { discord } = await startFastClockBot({ gateway: { speed: 20 } });
    await changeSettings(discord.as('owner'), 'channel edit', 'Change replies', { private: 'on' });
    const isPrivateIn = async (channel: string) => {
      const exchange = await discord.as('member').in(channel).slash('imagine', { prompt: 'a fox' });
      return (await exchange.message(says('Finished in'))).ephemeral;
    };
    expect([await isPrivateIn('studio'), await isPrivateIn('thread'), await isPrivateIn('hall')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
