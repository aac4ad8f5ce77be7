import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { modelRequests } from '../asks/fixture.ts';
import { changeRules } from '../reports.ts';
import { applyRules, replyTo, startMentionBot, toBot } from './fixture.ts';

const artists = { id: '900000000000000001', name: 'artists', permissions: 0n };

/** Whether the bot answers a mention, known once it has answered a later one elsewhere. */
async function isAnswered(
  { discord }: Awaited<ReturnType<typeof startMentionBot>>,
  channel: string,
  who: 'member' | 'other' | 'owner' = 'member',
): Promise<boolean> {
  const question = await discord.as(who).in(channel).say(toBot(discord, 'what is snow?'));
  const direct = discord.as('admin').in('dm');
  await replyTo(discord, direct.channel.id, await direct.say(`what is ice? ${question.id}`));
  const reply = discord.messages(channel).find((one) => one.message_reference?.message_id === question.id);
  if (reply) await replyTo(discord, channel, question);
  return reply !== undefined;
}

describe('Rules about mentions', () => {
  it('A server can turn mentions off everywhere, and the bot says nothing there', async () => {
    const fixture = await startMentionBot();
    await applyRules(fixture.discord, { access: [{ effect: 'deny', kinds: ['mentions'] }] });
    expect(await isAnswered(fixture, 'studio')).toBe(false);
    const exchange = await fixture.discord.as('member').slash('ask', { prompt: 'what is rain?' });
    await exchange.message();
    expect(JSON.stringify(modelRequests(fixture.gateway))).toContain('what is rain?');
  });

  it('An admin adds the rule in the form, and a preview says what it does', async () => {
    const fixture = await startMentionBot();
    const { discord } = fixture;
    const subjects = ['Mentions of the bot'];
    const preview = await changeRules(fixture, 'Add a rule for task types and models', { effect: 'deny', subjects });
    expect(text(preview)).toContain('deny mentions');
    await (await discord.as('admin').click(preview, 'Apply changes')).message();
    expect(text(await (await discord.as('admin').slash('server rules')).message())).toContain('- deny mentions');
    expect(await isAnswered(fixture, 'studio')).toBe(false);
  });

  it('A server can turn them off in a channel and its threads, or allow them to a role only', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startMentionBot();
    const { discord } = fixture;
    const atelier = discord.world.guild('atelier');
    const channelId = discord.world.channel('studio').id;
    await applyRules(discord, { access: [{ effect: 'deny', kinds: ['mentions'], channelIds: [channelId] }] });
    expect(await isAnswered(fixture, 'studio')).toBe(false);
    expect(await isAnswered(fixture, 'thread')).toBe(false);
    expect(await isAnswered(fixture, 'no-threads')).toBe(true);
    atelier.roles.push(artists);
    atelier.members.get(discord.world.user('other').id)?.roles.push(artists.id);
    await applyRules(discord, { access: [{ effect: 'allow', kinds: ['mentions'], roleIds: [artists.id] }] });
    expect(await isAnswered(fixture, 'studio')).toBe(false);
    expect(await isAnswered(fixture, 'studio', 'other')).toBe(true);
  });
});

describe('What a server’s admins have set under Integrations', () => {
  const commandId = ({ discord }: Awaited<ReturnType<typeof startMentionBot>>) =>
    discord.commands.global().find(({ name }) => name === 'ask')?.id ?? '';

  it('A member who may not use /ask is not answered', async () => {
    const fixture = await startMentionBot();
    const { world } = fixture.discord;
    world.guild('atelier').commandPermissions = [
      { id: commandId(fixture), permissions: [{ id: world.user('member').id, type: 2, permission: false }] },
    ];
    expect(await isAnswered(fixture, 'studio')).toBe(false);
    expect(await isAnswered(fixture, 'studio', 'other')).toBe(true);
  });

  it('What is set for /ask comes before what is set for the bot, and channels count', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startMentionBot();
    const { discord } = fixture;
    const guild = discord.world.guild('atelier');
    guild.commandPermissions = [
      { id: discord.applicationId, permissions: [{ id: guild.id, type: 1, permission: false }] },
      {
        id: commandId(fixture),
        permissions: [
          { id: discord.world.user('member').id, type: 2, permission: true },
          { id: discord.world.channel('studio').id, type: 3, permission: false },
        ],
      },
    ];
    expect(await isAnswered(fixture, 'studio')).toBe(false);
    expect(await isAnswered(fixture, 'no-threads', 'other')).toBe(false);
    expect(await isAnswered(fixture, 'no-threads')).toBe(true);
  });

  it('A member who may use no commands in a channel is not answered there, nor in its threads', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startMentionBot();
    const { world } = fixture.discord;
    const { id } = world.guild('atelier');
    const deny = PermissionFlagsBits.UseApplicationCommands;
    world.channel('studio').overwrites.push({ id, kind: 'role', allow: 0n, deny });
    expect(await isAnswered(fixture, 'studio')).toBe(false);
    expect(await isAnswered(fixture, 'thread')).toBe(false);
    expect(await isAnswered(fixture, 'no-threads')).toBe(true);
  });
});
