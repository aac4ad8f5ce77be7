import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { itVariants } from '../../support/variants.ts';
import { hasEnded, modelRequests, models } from '../asks/fixture.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, type FastClockFixture, labels, says, startFastClockBot } from '../quick.ts';
import { orders } from '../tasks/fixture.ts';
import { openDetails, openTask, openTaskList } from '../tasks/pages.ts';
import { actorOf, type Place, poster, presetReply, suggestionsOf } from './fixture.ts';

const isDone = says('Finished in');
const promptOf = ({ gateway }: FastClockFixture): string | undefined =>
  (orders(gateway).at(-1)?.body as { prompt: string } | undefined)?.prompt;

async function imagine(fixture: FastClockFixture, options: Record<string, string>, place: Place = {}) {
  await (await actorOf(fixture, place).slash('imagine', { prompt: 'a fox', ...options })).message(isDone);
  return promptOf(fixture);
}

describe('/preset', () => {
  it('A saved preset is used by its command, from suggestions or by its name, after a restart too, and the details say so', async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
    const first = await startBot(fixture);
    const saved = await presetReply(fixture, 'save', poster);
    expect(saved.ephemeral).toBe(true);
    expect(text(saved)).toMatch(
      /Poster[\s\S]*Yours · \/imagine · used 0 times[\s\S]*poster --ar 2:3[\s\S]*`style:raw`/,
    );
    await first.stop();
    await startBot(fixture);
    expect(await suggestionsOf(fixture, {}, 'imagine', 'post')).toEqual(['Poster · yours']);
    expect(await suggestionsOf(fixture, {}, 'ask')).toEqual([]);
    expect(await imagine(fixture, { preset: 'poster' })).toBe('a fox, poster --ar 2:3 --style raw');
    const page = text(await openDetails(fixture, await openTask(fixture, await openTaskList(fixture))));
    expect(page).toContain('Values from: style (the preset), aspect (the preset), prompt (the preset)');
    const [{ value = '' } = {}] = await fixture.discord
      .as('member')
      .complete('imagine', { prompt: 'a hen', preset: '' }, 'preset');
    expect(await imagine(fixture, { prompt: 'a hen --v 6', preset: String(value), aspect: '1:1' })).toBe(
      'a hen, poster --v 6 --ar 1:1 --style raw',
    );
    expect(text(await presetReply(fixture, 'list', {}))).toMatch(/Yours[\s\S]*Poster · \/imagine · used 2 times/);
  });

  it('A preset comes after flags and options, and before the settings of the member', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    const settings = await (await member.slash('settings')).message();
    const form = await (await member.click(settings, 'Change images')).modal();
    await (await member.fill(form, { aspect: '16:9', version: '6', suffix: 'in oil --chaos 9' })).message();
    await presetReply(fixture, 'save', { ...poster, options: 'chaos:5' });
    expect(await imagine(fixture, { preset: 'Poster' })).toBe('a fox, poster in oil --ar 2:3 --chaos 5 --v 6');
    expect(await imagine(fixture, { preset: 'Poster', aspect: '1:1' })).toBe(
      'a fox, poster in oil --ar 1:1 --chaos 5 --v 6',
    );
  });

  it('/preset use orders by the command of the preset, and without a prompt only if the template stands alone', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const { gateway } = fixture;
    await presetReply(fixture, 'save', {
      name: 'Haiku',
      command: 'ask',
      template: 'Write a haiku',
      options: 'instructions:Rhyme.',
    });
    await presetReply(fixture, 'save', poster);
    const member = fixture.discord.as('member');
    const answer = await (await member.slash('preset use', { preset: 'Haiku', private: true })).message(hasEnded);
    expect(answer.ephemeral).toBe(true);
    expect(modelRequests(gateway).at(-1)).toMatchObject({ instructions: 'Rhyme.' });
    expect(JSON.stringify(modelRequests(gateway).at(-1)?.input)).toContain('Write a haiku');
    expect(text(await (await member.click(answer, 'Show details')).message())).toContain('prompt (the preset)');
    const refused = await (await member.slash('preset use', { preset: 'Poster' })).ephemeral();
    expect(text(refused)).toContain('This preset needs your text');
    await (await member.slash('preset use', { preset: 'Poster', prompt: 'a fox' })).message(isDone);
    expect(promptOf(fixture)).toBe('a fox, poster --ar 2:3 --style raw');
  });

  itVariants([
    ['image', { preset: 'Night', prompt: 'a fox' }, 'at night: a fox'],
    ['video', { preset: 'Night', prompt: 'a fox' }, 'at night: a fox'],
    ['music make', { preset: 'Night', about: 'a fox' }, 'at night: a fox'],
  ])('Presets are used by /%s', async (command, options, expected) => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const name = command.split(' ')[0] ?? '';
    const saved = await presetReply(fixture, 'save', { name: 'Night', command: name, template: 'at night: {prompt}' });
    expect(text(saved)).toContain(`Yours · /${command} · `);
    await (await fixture.discord.as('member').slash(command, options)).message();
    const { requests } = fixture.gateway;
    await fixture.discord.until(() => requests.find(({ body }) => JSON.stringify(body)?.includes(expected)));
  });

  it('Private presets are seen and used by nobody else; shared ones only in their server, and not in a personal installation', async () => {
    const fixture = await startFastClockBot({ settings: { DISCORD_USER_INSTALL: 'on' }, gateway: { speed: 20 } });
    const other = { who: 'other' };
    await presetReply(fixture, 'save', poster);
    const own = await fixture.discord.as('member').complete('preset use', { preset: '' }, 'preset');
    const id = String(own[0]?.value);
    expect(await suggestionsOf(fixture, other)).toEqual([]);
    for (const preset of ['Poster', id])
      for (const command of ['use', 'list', 'edit', 'share', 'delete']) {
        const options = {
          preset,
          ...(command === 'edit' && { name: 'Mine' }),
          ...(command === 'use' && { prompt: 'a fox' }),
        };
        const exchange = await actorOf(fixture, other).slash(`preset ${command}`, options);
        expect(text(await exchange.ephemeral())).toContain('There is no such preset');
      }
    expect(await suggestionsOf(fixture, { channel: 'dm' })).toEqual(['Poster · yours']);
    expect(await imagine(fixture, { preset: 'Poster' }, { channel: 'dm' })).toBe('a fox, poster --ar 2:3 --style raw');
    expect(text(await presetReply(fixture, 'share', { preset: 'Poster' }, { channel: 'dm' }))).toContain(
      'only on a server',
    );
    expect(text(await presetReply(fixture, 'share', { preset: 'Poster' }))).toMatch(
      /Shared\. Members of this server can use it now\.[\s\S]*Shared on this server · \/imagine/,
    );
    expect(await suggestionsOf(fixture, other)).toEqual(['Poster · this server']);
    expect(await suggestionsOf(fixture, { who: 'other', channel: 'dm' })).toEqual([]);
    expect(await suggestionsOf(fixture, { who: 'installer', channel: 'lobby' })).toEqual([]);
    expect(await imagine(fixture, { preset: 'Poster' }, other)).toBe('a fox, poster --ar 2:3 --style raw');
    expect(text(await presetReply(fixture, 'list', { preset: 'Poster' }, other))).toMatch(
      /used 1 time · |used 1 time\n/,
    );
  });

  it('A shared preset is updated by its owner, copied by others, and deleted by its owner and moderators, which the log channel says', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const other = { who: 'other' };
    await presetReply(fixture, 'save', poster);
    await presetReply(fixture, 'share', { preset: 'Poster' });
    await presetReply(fixture, 'edit', { preset: 'Poster', template: '{prompt}, print', options: 'none' });
    expect(await imagine(fixture, { preset: 'Poster' }, other)).toBe('a fox, poster --ar 2:3 --style raw');
    await presetReply(fixture, 'share', { preset: 'Poster' });
    expect(await imagine(fixture, { preset: 'Poster' }, other)).toBe('a fox, print');
    const page = await presetReply(fixture, 'list', { preset: 'Poster' }, other);
    expect(labels(page)).toEqual(['Copy', 'Report']);
    expect(text(await (await fixture.discord.as('other').click(page, 'Copy')).message(says('Yours')))).toContain(
      'print',
    );
    expect(text(await presetReply(fixture, 'delete', { preset: 'Poster' }, { who: 'admin' }))).toContain(
      'Deleted the preset',
    );
    expect(await suggestionsOf(fixture)).toEqual(['Poster · yours']);
    expect(await suggestionsOf(fixture, other)).toEqual(['Poster · yours']);
  });
});
