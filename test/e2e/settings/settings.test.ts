import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { hasEnded, modelRequests, models } from '../asks/fixture.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, type FastClockFixture, says, spoilersOf, startFastClockBot } from '../quick.ts';
import { bytesOf, orders } from '../tasks/fixture.ts';
import { erase, openDetails, openTask, openTaskList } from '../tasks/pages.ts';
import { changeSettings } from './fixture.ts';

const photo = {
  name: 'photo.png',
  contentType: 'image/png',
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
};

const isDone = says('Finished in');
const promptOf = ({ gateway }: FastClockFixture): string =>
  (orders(gateway).at(-1)?.body as { prompt: string } | undefined)?.prompt ?? '';

async function imagine({ discord }: FastClockFixture, options: object = {}, channel = 'studio'): Promise<Message> {
  const exchange = await discord
    .as('member')
    .in(channel)
    .slash('imagine', { prompt: 'a fox', ...options });
  return exchange.message(isDone);
}

async function detailsOf(fixture: FastClockFixture): Promise<string> {
  return text(await openDetails(fixture, await openTask(fixture, await openTaskList(fixture))));
}

describe('/settings', () => {
  it('A member’s usual values are added to a prompt, after a restart too, unless the prompt or an option says otherwise, and the details say where each comes from', async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
    const first = await startBot(fixture);
    const member = fixture.discord.as('member');
    const values = { aspect: '3:2', version: '7', stylize: '250', suffix: 'in oil --chaos 5 --ar 1:1' };
    const page = await changeSettings(member, 'settings', 'Change images', values);
    expect(page.ephemeral).toBe(true);
    expect(text(page)).toMatch(/Aspect ratio: `3:2`[\s\S]*Stylize: `250`[\s\S]*Suffix of prompts: `in oil/);
    await first.stop();
    await startBot(fixture);
    await imagine(fixture);
    expect(promptOf(fixture)).toBe('a fox in oil --ar 3:2 --v 7 --stylize 250 --chaos 5');
    expect(await detailsOf(fixture)).toContain(
      'Values from: aspect (personal settings), version (personal settings), stylize (personal settings), suffix (personal settings)',
    );
    await imagine(fixture, { prompt: 'a hen --no trees --s 50', aspect: '16:9' });
    expect(promptOf(fixture)).toBe('a hen in oil --no trees --s 50 --ar 16:9 --v 7 --chaos 5');
    const details = await detailsOf(fixture);
    expect(details).toContain(
      'aspect (an option), version (personal settings), stylize (the prompt), suffix (personal settings)',
    );
    expect(details).toContain('Options: `--ar 16:9 --v 7 --chaos 5` `suffix: in oil`\n');
  });

  it('Replies are private by default from the first response on, after a restart too, unless the member chooses otherwise', async () => {
    const fixture = await createFastClockFixture({ settings: { DISCORD_USER_INSTALL: 'on' }, gateway: { speed: 20 } });
    const first = await startBot(fixture);
    const { discord } = fixture;
    await changeSettings(discord.as('member'), 'settings', 'Change replies', { private: 'on', spoiler: 'on' });
    await first.stop();
    await startBot(fixture);
    for (const channel of ['studio', 'thread', 'hall', 'dm']) {
      const result = await imagine(fixture, {}, channel);
      expect([channel, result.ephemeral, spoilersOf(result)]).toEqual([channel, true, [true]]);
    }
    // Nothing has to be posted there.
    expect((await imagine(fixture, {}, 'read-only')).ephemeral).toBe(true);
    const shown = await imagine(fixture, { private: false, spoiler: false });
    expect([shown.ephemeral, spoilersOf(shown)]).toEqual([false, [false]]);
    const other = await (await discord.as('other').slash('imagine', { prompt: 'a fox' })).message(isDone);
    expect(other.ephemeral).toBe(false);
  });

  it('Private replies by default also apply to the forms of the Apps menu', { tags: ['breadth'] }, async () => {
    const { discord } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const [member, other] = [discord.as('member'), discord.as('other')];
    await changeSettings(member, 'settings', 'Change replies', { private: 'on' });
    const message = await other.say('a photo', [photo]);
    const privacyOf = async (actor: typeof member, entry: string, values: object) => {
      const form = await (await actor.menu(entry, message)).modal();
      return (await (await actor.fill(form, { words: 'a hat', ...values })).message()).ephemeral;
    };
    const results = await Promise.all(
      [member, other].map(async (actor) => {
        const result = await (await actor.slash('image', { prompt: 'a hen', private: false })).message(isDone);
        const form = await (await actor.menu('Remix', result)).modal();
        return [result.ephemeral, (await (await actor.fill(form, { words: 'a cock' })).message(isDone)).ephemeral];
      }),
    );
    expect(results).toEqual([
      [false, true],
      [false, false],
    ]);
    for (const entry of ['Use as reference', 'Make a video', 'Ask about this'])
      expect([entry, await privacyOf(member, entry, {}), await privacyOf(other, entry, {})]).toEqual([
        entry,
        true,
        false,
      ]);
  });

  it('Nobody else sees the suffix of a member, whatever they press on the result', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const { discord, gateway } = fixture;
    const [member, other] = [discord.as('member'), discord.as('other')];
    await changeSettings(member, 'settings', 'Change images', { suffix: 'for aunt Gerda' });
    const grid = await imagine(fixture);
    expect(promptOf(fixture)).toBe('a fox for aunt Gerda');
    const upscale = await (await other.click(grid, 'U1')).message(isDone);
    const region = await (await other.click(upscale, 'Vary (Region)')).modal();
    const ownUpscale = await (await member.click(grid, 'U1')).message(isDone);
    const zoom = await (await other.click(ownUpscale, 'Custom Zoom')).modal();
    const image = await (await member.slash('image', { prompt: 'a hen' })).message(isDone);
    const again = await (await other.click(image, 'Run again')).message(isDone);
    const imagePrompt = () =>
      gateway.requests.findLast(({ method, path }) => method === 'POST' && path.includes('/images/'))?.body;
    expect(imagePrompt()).toMatchObject({ prompt: 'a hen' });
    const edit = await (await other.click(image, 'Edit prompt')).modal();
    const seen = JSON.stringify([grid, upscale, region, ownUpscale, zoom, image, again, edit]);
    expect(seen).not.toMatch(/gerda/i);
    expect(text(upscale)).toContain('**a fox**');
    await (await member.click(image, 'Run again')).message(isDone);
    expect(imagePrompt()).toMatchObject({ prompt: 'a hen for aunt Gerda' });
  });

  it('A suffix stays hidden and in force when its owner changes a prompt in a form', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const { discord, gateway } = fixture;
    const [member, other] = [discord.as('member'), discord.as('other')];
    await changeSettings(member, 'settings', 'Change images', { suffix: 'for aunt Gerda --chaos 7' });
    await changeSettings(member, 'settings', 'Change replies', { remix: 'on' });
    const seen: unknown[] = [];
    const press = async (message: Message, name: string, words?: string) => {
      const opened = await (name === 'Remix' ? member.menu(name, message) : member.click(message, name));
      const form = await opened.modal();
      const result = await (await member.fill(form, words === undefined ? {} : { words })).message(isDone);
      seen.push(form, result, await (await other.menu('Remix', result)).modal());
      return result;
    };
    const sent = () =>
      gateway.requests
        .filter(({ method }) => method === 'POST')
        .flatMap(({ body }) => (body as { prompt?: string }).prompt ?? [])
        .at(-1);
    const grid = await imagine(fixture);
    const edited = await press(grid, 'Remix', 'a goose --ar 3:2');
    expect(text(edited)).toContain('**a goose --ar 3:2**');
    expect(sent()).toBe('a goose for aunt Gerda --ar 3:2 --chaos 7');
    await press(edited, '🔄', 'a duck');
    expect(sent()).toBe('a duck for aunt Gerda --chaos 7');
    const calmer = await press(grid, 'Remix', 'a swan --chaos 1');
    expect(sent()).toBe('a swan for aunt Gerda --chaos 1');
    await press(calmer, 'Remix', 'a swan');
    expect(sent()).toBe('a swan for aunt Gerda --chaos 7');
    const upscale = await (await member.click(edited, 'U1')).message(isDone);
    const zoomed = await press(upscale, 'Zoom Out 2x');
    expect(text(zoomed)).toContain('**a goose --ar 3:2 --zoom 2**');
    expect(sent()).toBe('a goose for aunt Gerda --ar 3:2 --zoom 2 --chaos 7');
    const image = await (await member.slash('image', { prompt: 'a hen' })).message(isDone);
    await press(image, 'Edit prompt', 'a cock');
    expect(sent()).toBe('a cock for aunt Gerda');
    expect(JSON.stringify([grid, upscale, image, ...seen])).not.toMatch(/gerda|chaos 7/i);
  });

  it('The settings of a personal installation apply in a server without the bot and in a group', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ settings: { DISCORD_USER_INSTALL: 'on' }, gateway: { speed: 20 } });
    const installer = fixture.discord.as('installer');
    await changeSettings(installer.in('lobby'), 'settings', 'Change images', { aspect: '9:16' });
    for (const channel of ['lobby', 'friends', 'dm']) {
      await (await installer.in(channel).slash('imagine', { prompt: 'a fox' })).message(isDone);
      expect([channel, promptOf(fixture)]).toEqual([channel, 'a fox --ar 9:16']);
    }
  });

  it('The usual models are used by their commands, and the length and tone of answers by /ask', async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const form = await (await member.click(await (await member.slash('settings')).message(), 'Change models')).modal();
    await (await member.fill(form, { text: 'quill-5-mini' })).message(says('quill-5-mini'));
    await changeSettings(member, 'settings', 'Change answers', { length: 'short', tone: 'formal' });
    const answer = await (await member.slash('ask', { prompt: 'snow?', instructions: 'Rhyme.' })).message(hasEnded);
    const request = modelRequests(gateway).at(-1);
    expect(request?.model).toBe('quill-5-mini');
    expect(request?.instructions).toBe(
      'Rhyme.\n\nAnswer in at most three sentences unless asked for more.\n\nWrite in a formal tone.',
    );
    const details = await (await member.click(answer, 'Show details')).message();
    expect(text(details)).toContain(
      'Values from: model (personal settings), length (personal settings), tone (personal settings)',
    );
    // A conversation keeps its model.
    await (await member.slash('ask', { prompt: 'and ice?', model: 'quill-5', new: true })).message(hasEnded);
    await (await member.slash('ask', { prompt: 'and hail?' })).message(hasEnded);
    expect(modelRequests(gateway).at(-1)?.model).toBe('quill-5');
  });

  it('A value that cannot be right is refused, and correcting it changes the page that the form was opened from', async () => {
    const { discord } = await startFastClockBot({ gateway: { speed: 20 } });
    const member = discord.as('member');
    const page = await (await member.slash('settings')).message();
    const form = await (await member.click(page, 'Change images')).modal();
    const refused = await (await member.fill(form, { stylize: '9999', suffix: 'in oil --ar 0:5' })).followUp();
    expect(text(refused)).toMatch(/Stylize must be a whole number[\s\S]*`--ar` must be a ratio/);
    const again = await (await member.click(refused, 'Correct it')).modal();
    const count = discord.messages('studio').length;
    await member.fill(again, { stylize: '100', suffix: 'in oil' });
    const pages = () => discord.messages('studio').filter(says('`in oil`'));
    expect((await discord.until(() => pages()[0])).id).toBe(page.id);
    // The answer to the corrected form is removed.
    await discord.until(() => discord.messages('studio').length === count || undefined);
    expect(pages()).toHaveLength(1);
  });

  it('Reset removes all settings of a member after a confirmation, and names what was set', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    const page = await changeSettings(member, 'settings', 'Change images', { aspect: '3:2' });
    const question = await (await member.click(page, 'Reset all')).message(says('Reset all settings?'));
    expect(text(question)).toContain('All of your settings are removed:\n- Aspect ratio: `3:2`');
    const kept = await (await member.click(question, 'Keep')).message(says('Your settings'));
    expect(text(kept)).toContain('**Images and prompts**\n- Aspect ratio: `3:2`');
    await (await member.click(kept, 'Reset all')).message(says('Reset all settings?'));
    const reset = await (await member.click(question, 'Reset')).message(says('Everything was reset.'));
    expect(text(reset)).toMatch(/They apply wherever[\s\S]*This was set before:\n- Aspect ratio: `3:2`/);
    expect(text(reset)).toContain('**Images and prompts**\n-# Not set.');
    await imagine(fixture);
    expect(promptOf(fixture)).toBe('a fox');
  });

  it('A member’s settings are in their export, and gone after an erasure', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord } = fixture;
    const member = discord.as('member');
    await changeSettings(member, 'settings', 'Change images', { suffix: 'in oil' });
    await changeSettings(discord.as('other'), 'settings', 'Change images', { suffix: 'in chalk' });
    const exported = await (await member.click(await openTaskList(fixture), 'Export my data')).message();
    const data = JSON.parse((await bytesOf(exported)).toString());
    expect(data.preferences).toMatchObject([{ memberId: discord.world.user('member').id, set: { suffix: 'in oil' } }]);
    await erase(fixture);
    expect(text(await (await member.slash('settings')).message())).not.toContain('in oil');
    expect(text(await (await discord.as('other').slash('settings')).message())).toContain('in chalk');
  });

  it('A member can have every finished task pinged, or none', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord } = fixture;
    await changeSettings(discord.as('member'), 'settings', 'Change replies', { ping: 'always' });
    await imagine(fixture);
    const id = discord.world.user('member').id;
    await discord.until(() => discord.messages('studio').find(says(`<@${id}>, your task has finished.`)));
  });
});
