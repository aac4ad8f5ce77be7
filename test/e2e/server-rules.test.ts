import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { createTemporaryFolder } from '../services/store/store-fixture.ts';
import { noLimits } from '../support/no-limits.ts';
import { hasEnded, modelRequests, models } from './asks/fixture.ts';
import { startBot } from './bot.ts';
import {
  createFastClockFixture,
  type FastClockFixture,
  labels,
  says,
  spoilersOf,
  startFastClockBot,
  submitCount,
} from './quick.ts';
import { bytesOf, orderGrid } from './tasks/fixture.ts';
import { imageUpload } from './tasks/image-fixture.ts';
import { erase, openTask, openTaskList } from './tasks/pages.ts';

const settings = noLimits;

async function openRulesPage({ discord }: FastClockFixture, who = 'admin', channel = 'studio'): Promise<Message> {
  return (await discord.as(who).in(channel).slash('server rules')).message();
}

/** Fills in the form of a section as an admin. */
async function changeRules(fixture: FastClockFixture, button: string, values: Record<string, unknown>, who = 'admin') {
  const rulesPage = await openRulesPage(fixture, who);
  const actor = fixture.discord.as(who);
  const formExchange = await actor.click(rulesPage, button);
  const submission = await actor.fill(await formExchange.modal(), values as never);
  return submission.message();
}

/** Adds a rule for commands, after its preview. */
async function addAccessRule(fixture: FastClockFixture, values: Record<string, unknown>) {
  const preview = await changeRules(fixture, 'Add a rule for task types and models', values);
  const page = await (await fixture.discord.as('admin').click(preview, 'Apply changes')).message();
  return { preview: text(preview), page };
}

async function applyImport({ discord }: FastClockFixture, rules: object): Promise<void> {
  const admin = discord.as('admin');
  const file = { name: 'rules.json', bytes: Buffer.from(JSON.stringify(rules)), contentType: 'application/json' };
  await (await admin.click(await (await admin.slash('server import', { file })).message(), 'Apply changes')).message();
}

/** Returns what an admin sees after their form is refused; the page stays as it is. */
async function changeRefusal(
  fixture: FastClockFixture,
  button: string,
  values: Record<string, unknown>,
): Promise<string> {
  const admin = fixture.discord.as('admin');
  const formExchange = await admin.click(await openRulesPage(fixture), button);
  return text(await (await admin.fill(await formExchange.modal(), values as never)).followUp());
}

/** The labels of the rules that a page offers to remove. */
function removableRules(page: Message): string[] {
  const rows = (page.components ?? []).flatMap((row) => ('components' in row ? [row.components] : []));
  return rows.flatMap((row) => row.flatMap((one) => ('options' in one ? one.options.map(({ label }) => label) : [])));
}

async function removeRule({ discord }: FastClockFixture, page: Message, label: string): Promise<Message> {
  return (await discord.as('admin').choose(page, 'Remove a rule', [label])).message();
}

async function imagine({ discord }: FastClockFixture, prompt: string, who = 'member', options = {}): Promise<string> {
  const message = await (await discord.as(who).slash('imagine', { prompt, ...options })).message(
    (one) => one.ephemeral || text(one).includes('Finished in'),
  );
  return text(message);
}

describe('Server rules', () => {
  const botWith = (extraSettings: Record<string, string> = {}) =>
    startFastClockBot({ gateway: { speed: 20 }, settings: { ...settings, ...extraSettings } });

  it('A prompt with a blocked word in any disguise is refused privately, and nothing reaches the gateway', async () => {
    const fixture = await botWith();
    const rulesPage = await changeRules(fixture, 'Change words', { words: 'casino\nfree money', longestPrompt: '40' });
    expect(text(rulesPage)).toContain('2 blocked words and phrases');
    expect(text(rulesPage)).toMatch(/Last changed by <@\d+>/);
    for (const prompt of ['a casino at night', 'a с4sіn0 at night', 'f r e e money']) {
      const refusal = await imagine(fixture, prompt);
      expect(refusal, prompt).toContain('a word or phrase that is blocked here');
    }
    expect(await imagine(fixture, `a boat ${'far away '.repeat(5)}`)).toContain('can be at most 40 characters long');
    expect(submitCount(fixture.gateway)).toBe(0);
    expect(await imagine(fixture, 'a Cassis harbour')).toContain('Finished in');
  });

  it('Only members with Manage Server can see and change the rules, even with a form opened before they lost the permission', async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    const rulesPage = await openRulesPage(fixture);
    const formExchange = await discord.as('admin').click(rulesPage, 'Change words');
    const form = await formExchange.modal();
    const admins = discord.world.guild('atelier').members.get(discord.world.user('admin').id);
    admins?.roles.splice(0);
    const refused = await discord.as('admin').fill(form, { words: 'fox' });
    const refusal = await refused.followUp();
    expect(text(refusal)).toContain('Only members with the Manage Server permission');
    // No other value would be accepted.
    expect(labels(refusal)).toEqual([]);
    expect(await imagine(fixture, 'a fox')).toContain('Finished in');
  });

  it('A command can be denied in a channel and its threads, or allowed only for a role; deny rules take precedence', async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    const atelier = discord.world.guild('atelier');
    const artists = { id: '900000000000000001', name: 'artists', permissions: 0n };
    atelier.roles.push(artists);
    const add = (values: Record<string, unknown>) => addAccessRule(fixture, values);
    await add({ effect: 'deny', subjects: ['/imagine'], channels: ['studio'] });
    expect(await imagine(fixture, 'a fox')).toContain('can’t make this request in this channel');
    const inThread = await discord.as('member').in('thread').slash('imagine', { prompt: 'a fox' });
    expect(text(await inThread.message())).toContain('can’t make this request in this channel');
    const otherChannel = await discord.as('member').in('no-threads').slash('imagine', { prompt: 'a fox' });
    expect(text(await otherChannel.message(says('Finished in')))).toContain('a fox');
    const { preview } = await add({ effect: 'allow', subjects: ['/imagine'], roles: ['artists'] });
    expect(preview).toContain(
      'Members with <@&900000000000000001> could make such requests on this server. Those of others would be refused',
    );
    expect(preview).toMatch(/These could still refuse such requests:\n- deny \/imagine in <#\d+>/);
    const refused = await discord.as('member').in('no-threads').slash('imagine', { prompt: 'an owl' });
    expect(text(await refused.message((one) => one.ephemeral))).toContain('not allowed to make this request');
    atelier.members.get(discord.world.user('member').id)?.roles.push(artists.id);
    const allowed = await discord.as('member').in('no-threads').slash('imagine', { prompt: 'an owl' });
    await allowed.message(says('Finished in'));
    expect(await imagine(fixture, 'an owl')).toContain('can’t make this request in this channel');
    const rulesPage = await openRulesPage(fixture);
    expect(text(rulesPage)).toMatch(/- deny \/imagine in <#\d+>\n- allow \/imagine for <@&900000000000000001>/);
    expect(removableRules(rulesPage)).toEqual(['deny /imagine in #studio', 'allow /imagine for artists']);
    const pageAfter = await removeRule(fixture, rulesPage, 'deny /imagine in #studio');
    expect(text(pageAfter)).not.toContain('deny /imagine');
    expect(await imagine(fixture, 'an owl')).toContain('Finished in');
  });

  it('A model that the rules deny to a member here is not listed or suggested to them, and its details say so', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith();
    await applyImport(fixture, {
      access: [
        { effect: 'deny', models: ['reel-2*'], channelIds: [fixture.discord.world.channel('studio').id] },
        { effect: 'deny', kinds: ['ask'] },
      ],
    });
    const member = fixture.discord.as('member');
    const page = async (options: Record<string, string>) =>
      text(await (await member.slash('models', options)).message());
    expect(await page({ text: 'reel' })).toContain('No models match');
    expect(await page({ text: 'quill' })).toContain('No models match');
    expect(await page({ kind: 'video' })).toContain('kling-v2-1');
    expect(await page({ model: 'reel-2' })).toContain('You can’t use this model here.');
    expect(await page({ model: 'kling-v2-1' })).toContain('Likely purpose: video.');
    for (const command of ['models', 'video'])
      expect(
        await member.complete(command, { model: 'reel', ...(command === 'video' && { prompt: 'waves' }) }, 'model'),
      ).toEqual([]);
    const source = await fixture.discord.as('other').say('look', [await imageUpload()]);
    const offered = JSON.stringify((await (await member.menu('Make a video', source)).modal()).components);
    expect(offered).toContain('"value":"kling-v2-1"');
    expect(offered).not.toContain('reel-2');
    const elsewhere = await member.in('no-threads').slash('models', { text: 'reel' });
    expect(text(await elsewhere.message())).toContain('reel-2-pro');
  });

  it('A rule for commands needs a choice, says what it would do, and does nothing until it is applied to the same rules', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith();
    const admin = fixture.discord.as('admin');
    const button = 'Add a rule for task types and models';
    await expect(changeRules(fixture, button, {})).rejects.toThrow('effect must have 1');
    await expect(changeRules(fixture, button, { effect: 'deny' })).rejects.toThrow('subjects must have 1');
    expect(await changeRefusal(fixture, button, { effect: 'deny', subjects: ['Only the models below'] })).toContain(
      'Enter at least one model ID',
    );
    expect(await changeRefusal(fixture, button, { effect: 'allow', subjects: ['/video'] })).toContain(
      'Choose the roles or channels',
    );
    const forAll = await changeRules(fixture, button, { effect: 'deny', subjects: ['/video'], roles: ['@everyone'] });
    expect(text(forAll)).toContain('No one, including you, could make such requests on this server.');
    const preview = await changeRules(fixture, button, { effect: 'deny', subjects: ['Everything'] });
    expect(text(preview)).toContain('deny everything\nNo one, including you, could make such requests on this server.');
    expect(text(preview)).toContain('mentions of the bot are not answered either');
    expect(await imagine(fixture, 'a fox')).toContain('Finished in');
    await changeRules(fixture, 'Change words', { longestPrompt: '40' });
    const outdated = await (await admin.click(preview, 'Apply changes')).message(says('out of date'));
    expect(labels(outdated)).not.toContain('Apply changes');
    expect(text(outdated)).toContain('Prompts of at most 40 characters');
    expect(text(outdated)).not.toContain('deny everything');
    const second = await changeRules(fixture, button, {
      effect: 'deny',
      subjects: ['/talk', '/video', 'Mentions of the bot'],
      models: 'reel-*',
    });
    expect(text(second)).toContain(
      'deny /video, /talk, mentions of the bot, model reel-\\*\nNo one, including you, could make such requests',
    );
    const canceled = await (await admin.click(second, 'Cancel')).message();
    expect(text(canceled)).toMatch(/^Canceled\. The rules of this server are unchanged\.\n\n\*\*Rules of this server/);
    expect(labels(canceled)).toContain('Add a rule for task types and models');
    await addAccessRule(fixture, { effect: 'deny', subjects: ['Only the models below'], models: '*' });
    const refused = await fixture.discord.as('member').slash('video', { prompt: 'a fox' });
    expect(text(await refused.message())).toMatch(
      /not allowed to use the model `[\w.-]+`\. Choose another one with a command/,
    );
  });

  it('Buttons on results can be restricted to the owners of the results; moderators can still press them', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    const result = await orderGrid(fixture);
    const rulesPage = await changeRules(fixture, 'Change buttons and privacy', { pressers: 'requester' });
    expect(text(rulesPage)).toContain('Only the owner of a result and moderators can press its buttons.');
    const refused = await discord.as('other').click(result, 'U1');
    expect(text(await refused.message())).toContain(
      'does not let you press these buttons on other members’ results, or continue their answers.',
    );
    await (await discord.as('member').click(result, 'U1')).message(says('Finished in'));
    await (await discord.as('admin').click(result, 'V1')).message(says('Finished in'));
  });

  it('Who can press the buttons on a result shown in another server is up to that server', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    await changeRules(fixture, 'Change buttons and privacy', { pressers: 'requester' });
    const showIn = async (channel: string) => {
      const page = await openTask(fixture, await openTaskList(fixture, 'member', {}, channel));
      const exchange = await discord.as('member').in(channel).click(page, 'Show here');
      return exchange.message(says('Finished in'));
    };
    await orderGrid(fixture, {}, discord.as('member').in('hall'));
    const refused = await discord.as('other').click(await showIn('studio'), 'U1');
    expect(text(await refused.message())).toContain('does not let you press');
    await orderGrid(fixture);
    await (
      await discord
        .as('other')
        .in('hall')
        .click(await showIn('hall'), 'U1')
    ).message(says('Finished in'));
  });

  it('A command replies privately by default if the server’s rules say so, unless the member chooses otherwise', async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    await changeRules(fixture, 'Change buttons and privacy', { privateCommands: '/imagine, ask' });
    const privateReply = await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(
      says('Finished in'),
    );
    expect(privateReply.ephemeral).toBe(true);
    const publicExchange = await discord.as('member').slash('imagine', { prompt: 'an owl', private: false });
    expect((await publicExchange.message(says('Finished in'))).ephemeral).toBe(false);
    const refusal = await changeRefusal(fixture, 'Change buttons and privacy', { privateCommands: 'paint' });
    expect(refusal).toContain('`paint` is not a command');
  });

  it('Server rules also apply to links, patterns and options, and only to certain task types if a rule is limited to those', async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    await changeRules(fixture, 'Change links', { deniedDomains: 'https://evil.example/path' });
    expect(await imagine(fixture, 'like https://cdn.evil.example/a.png')).toContain('a link to a site');
    expect(await imagine(fixture, 'like EVIL。example')).toContain('a link to a site');
    await changeRules(fixture, 'Change links', { deniedDomains: '', allowedDomains: 'good.example' });
    expect(await imagine(fixture, 'like https://other.example/a.png')).toContain('a link to a site');
    await changeRules(fixture, 'Change words', { words: '[video] storm\nnude', patterns: 'b[aeiou]d\\s?guy' });
    expect(await imagine(fixture, 'a storm at sea')).toContain('Finished in');
    expect(await imagine(fixture, 'the bad guy')).toContain('a pattern that is blocked');
    expect(await imagine(fixture, 'a statue', 'member', { negative: 'n.u.d.e' })).toContain('a word or phrase');
    const video = await discord.as('member').slash('video', { prompt: 'a storm', model: 'reel-2' });
    expect(text(await video.message((one) => one.ephemeral))).toContain('a word or phrase');
    const second = await discord
      .as('member')
      .slash('video', { prompt: 'a storm', model: 'reel-2', endpoint: 'videos' });
    expect(text(await second.message((one) => one.ephemeral))).toContain('a word or phrase');
    expect(await changeRefusal(fixture, 'Change words', { words: '[film] storm' })).toContain(
      '`film` is not a command that creates tasks',
    );
    await changeRules(fixture, 'Change words', { words: '[type:video] storm' });
    const page = await (await discord.as('admin').slash('server rules')).message();
    const form = await (await discord.as('admin').click(page, 'Change words')).modal();
    expect(JSON.stringify(form)).toContain('[type:video] storm');
    const third = await discord.as('member').slash('video', { prompt: 'a storm', model: 'reel-2' });
    expect(text(await third.message((one) => one.ephemeral))).toContain('a word or phrase');
    const other = await discord.as('member').slash('video', { prompt: 'a storm', model: 'reel-2', endpoint: 'videos' });
    expect(text(await other.message(says('Finished in')))).toContain('a storm');
    await changeRules(fixture, 'Change words', { words: '[,] storm' });
    expect(await imagine(fixture, 'a storm at sea')).toContain('a word or phrase');
    const invalid = await changeRefusal(fixture, 'Change words', { patterns: '(a' });
    expect(invalid).toContain('The pattern `(a` is invalid: `missing closing )');
  });

  it('A site that the rules could not store is refused, and those of another spelling are stored once, so that all rules are there after a restart', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture({ settings, gateway: { speed: 20 } });
    const first = await startBot(fixture);
    for (const site of ['..', 'a..example', '8.8.8.8', 'a_b.1.2', '*.*.example', `${'a'.repeat(64)}.example`])
      expect(await changeRefusal(fixture, 'Change links', { deniedDomains: site })).toContain('Not valid as a site');
    expect(await changeRefusal(fixture, 'Change links', { deniedDomains: '..\na.example\n8.8.8.8' })).toContain(
      'Not valid as a site: `..`, `8.8.8.8`. Write',
    );
    await changeRules(fixture, 'Change words', { words: 'casino' });
    const sites = ['evil.example', '*.evil.example', 'https://EVIL.example./x', 'bücher.example'].join('\n');
    const page = await changeRules(fixture, 'Change links', { deniedDomains: sites });
    expect(text(page)).toContain('2 blocked sites');
    await first.stop();
    await startBot(fixture);
    expect(text(await openRulesPage(fixture))).toMatch(/1 blocked word[\s\S]*2 blocked sites/);
    expect(await imagine(fixture, 'see cdn.evil.example')).toContain('a link to a site');
  });

  it('A form with several mistakes names them together, at most three', async () => {
    const fixture = await botWith();
    const long = 'x'.repeat(201);
    const values = { words: '[film] storm', patterns: long, allowedWords: long, longestPrompt: 'abc' };
    const mistakes = (await changeRefusal(fixture, 'Change words', values))
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(mistakes).toHaveLength(3);
    expect(mistakes[0]).toContain('`film` is not a command that creates tasks');
    expect(mistakes[1]).toContain('A line can be at most 60 characters long');
    expect(mistakes[2]).toContain('A line can be at most 200 characters long');
    expect(await changeRefusal(fixture, 'Change words', { longestPrompt: 'abc' })).not.toContain('- ');
    const both = await changeRefusal(fixture, 'Change words', { patterns: 'a(b', longestPrompt: 'abc' });
    expect(both.match(/^- .*$/gm)).toEqual([
      expect.any(String),
      expect.stringContaining('The pattern `a(b` is invalid'),
    ]);
  });

  it('Rule changes and refused requests are posted to the log channel, without the prompt', async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    await changeRules(fixture, 'Change log channel', { logChannel: ['no-threads'] });
    await changeRules(fixture, 'Change words', { words: 'casino' });
    // All refusals within one minute, however slow the machine.
    fixture.clock.stop();
    await imagine(fixture, 'my private wish: a casino');
    const logMessages = () => discord.messages('no-threads').map((one) => text(one));
    await expect.poll(() => logMessages().join('\n')).toContain('Rule: blocked words. Matched: ||`casino`||');
    expect(logMessages().join('\n')).toContain('changed a rule:\n- blocked words: added ||`casino`||');
    expect(logMessages().join('\n')).not.toContain('private wish');
    const animals = ['ant', 'bee', 'cat', 'cow', 'dog', 'eel', 'gnu', 'hen', 'owl'];
    await changeRules(fixture, 'Change words', { words: animals.join('\n') });
    for (const animal of animals) {
      await imagine(fixture, `one ${animal}`);
      fixture.clock.advance(5_000);
    }
    await expect.poll(() => logMessages().filter((one) => one.includes('was refused')).length).toBe(5);
    // Those beyond the limit are counted, and the next refusal says when they were, however late it comes.
    fixture.clock.advance(DAY_MS);
    await imagine(fixture, 'one ant');
    await expect
      .poll(() => logMessages().join('\n'))
      .toMatch(/more requests? or results? (?:was|were) refused in the minute from <t:\d+:f>\./);
    const [, minute] = /minute from <t:(\d+):f>/.exec(logMessages().join('\n')) ?? [];
    expect(Number(minute) * 1000).toBeLessThan(fixture.clock.now() - DAY_MS + HOUR_MS);
  });

  it('The log channel shows a pattern that matched as it is written', { tags: ['breadth'] }, async () => {
    const fixture = await botWith();
    await changeRules(fixture, 'Change log channel', { logChannel: ['no-threads'] });
    await changeRules(fixture, 'Change words', { patterns: '(b|c)[ou]y\\b' });
    await imagine(fixture, 'the boy');
    const logTexts = () => fixture.discord.messages('no-threads').map(text).join('\n');
    await expect.poll(logTexts).toContain('Matched: ||`(b|c)[ou]y\\b`||');
  });

  it('Server rules can be exported, an import first shows its changes as a diff, and every change is listed in the history', async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    const admin = discord.as('admin');
    await changeRules(fixture, 'Change words', { words: 'casino' });
    const exportMessage = await (await admin.slash('server export')).message();
    expect(text(exportMessage)).toContain('It does not contain the log channel');
    const [file] = exportMessage.attachments;
    const rules = JSON.parse(await (await fetch(file?.url ?? '')).text()) as object;
    expect(rules).toMatchObject({ words: [{ text: 'casino' }], pressers: 'everyone' });
    const send = async (content: string | Buffer) => {
      const attachment = { name: 'rules.json', bytes: Buffer.from(content), contentType: 'application/json' };
      return (await admin.slash('server import', { file: attachment })).message();
    };
    for (const other of [Buffer.from([0, 1, 2, 255]), '%PDF-1.7'])
      expect(text(await send(other))).toContain('not a rules file. Choose a JSON file');
    expect(text(await send('{'))).toContain('line 1, column 2. Correct it');
    expect(text(await send('{"words": [}'))).toContain('not valid JSON: the mistake is in line 1, column 12.');
    expect(text(await send('{"words":[{"text":5}]}'))).toContain(
      '`words › #1 › text` must be text in quotation marks. Correct it',
    );
    const misspelled = JSON.stringify({ access: [{ effect: 'deny', role: ['1'] }] });
    expect(text(await send(misspelled))).toContain('`access › #1 › role` is not a field');
    const unknownKind = JSON.stringify({ words: [{ text: 'a', kinds: ['films'] }] });
    expect(text(await send(unknownKind))).toContain('`words › #1 › kinds` names an unknown type of task: `films`.');
    const several = { words: Array.from({ length: 11 }, () => ({})), pressers: 'admins', pattern: [] };
    const mistakes = text(await send(JSON.stringify(several)));
    expect(mistakes).toMatch(
      /^\*\*The file has 13 mistakes\.\*\*[\s\S]*- `words › #10 › text` is missing[^\n]*\n…and 3 more\.$/,
    );
    expect(text(await send('{"words":[{}],"pattern":[]}'))).toContain('- `pattern` is not a field of these rules.');
    const unnamed = text(await send('{"words":[{"txt":"casino"}]}'));
    expect(unnamed).toContain('- `words › #1 › text` is missing in the file.');
    expect(unnamed).toContain('- `words › #1 › txt` is not a field of these rules.');
    expect(text(await send('{"patterns":[{"text":"(a"}]}'))).toContain('is invalid');
    // An empty word is one mistake, although it also blocks nothing.
    const empty = text(await send('{"words":[{"text":"casino"},{"text":""}],"pressers":"nobody"}'));
    expect(empty).toContain('**The file has 2 mistakes.**');
    expect(empty).toContain('- `words › #2 › text` must not be empty.');
    const thresholds = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`category/${index}`, 0.5]));
    expect(text(await send(JSON.stringify({ moderation: { thresholds } })))).toContain(
      '`moderation › thresholds` can have at most 30 entries.',
    );
    for (const [content, sentence] of [
      ['{"words":[{}]}', '`words › #1 › text` is missing in the file.'],
      ['{"words":{}}', '`words` must be a list in square brackets.'],
      ['{"moderation":{"prompts":"block"}}', 'must be one of `off`, `refuse`, `spoiler`, `hold`.'],
      ['{"words":[{"text":"*bad"}]}', '`words › #1 › text` would block nothing.'],
      ['{"longestPrompt":1e9}', '`longestPrompt` must be at most 100,000.'],
      ['{"pressers":"admins"}', '`pressers` must be `everyone`, `requester` or'],
      ['{"deniedDomains":["fox"]}', '`deniedDomains › #1` must be a domain such as'],
      ['{"access":[{"effect":"deny","roleIds":["1"]}]}', '`access › #1 › roleIds › #1` must be an ID'],
      ['{"moderation":{"results":"spoiler"}}', 'No moderation service is configured.'],
      ['{"allowedDomains":[]}', '`allowedDomains` must not be an empty list. Add an entry or remove the list'],
    ] as const)
      expect(text(await send(content))).toContain(sentence);
    for (const list of ['roleIds', 'kinds', 'channelIds', 'models'])
      expect(text(await send(`{"access":[{"effect":"deny","${list}":[]}]}`))).toContain(
        `\`access › #1 › ${list}\` must not be an empty list.`,
      );
    const films = { words: [{ text: 'noir', kinds: ['video', 'second-video', 'image-to-video'] }] };
    const filmPreview = text(await send(JSON.stringify({ ...films, moderation: { ageRestricted: 'spoiler' } })));
    expect(filmPreview).toContain('+ [video] noir');
    expect(filmPreview).not.toContain('no one could use it');
    const allowed = { effect: 'allow', kinds: ['video'], roleIds: ['100000000000000009'] };
    expect(text(await send(JSON.stringify({ access: [allowed] })))).toContain('so no one could use it');
    expect(filmPreview).toMatch(/\+ Age-restricted content: Hide/);
    expect(text(await send('[]'))).toContain('must contain the rules in curly brackets');
    const confirmation = await send(JSON.stringify({ ...rules, words: [{ text: 'viagra' }], longestPrompt: 1_500 }));
    expect(text(confirmation)).toContain(
      '# blocked words\n- casino\n+ viagra\n# maximum prompt length\n+ 1,500 characters',
    );
    expect(await imagine(fixture, 'a casino')).toContain('a word or phrase');
    const updatedPage = await (await admin.click(confirmation, 'Apply changes')).message();
    expect(text(updatedPage)).toContain('Prompts of at most 1,500 characters');
    expect(await imagine(fixture, 'a casino')).toContain('Finished in');
    const history = await (await admin.slash('server history')).message();
    expect(text(history)).toMatch(
      /maximum prompt length: not set → 1,500 characters[\s\S]*blocked words: removed `casino`; added `viagra`[\s\S]*blocked words: added `casino`/,
    );
  });

  it('The log channel and the history name commands as the page does, and the history says how many changes it leaves out', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    const admin = discord.as('admin');
    await changeRules(fixture, 'Change log channel', { logChannel: ['no-threads'] });
    const rule = { effect: 'deny', subjects: ['/video'], models: 'reel-*, *-x_1', channels: ['studio'] };
    const { preview, page } = await addAccessRule(fixture, rule);
    const firstHistory = await (await admin.slash('server history')).message();
    const shownRule = 'deny /video, model reel-\\*, model \\*-x\\_1 in <#';
    for (const shown of [preview, text(page), text(firstHistory)]) expect(shown).toContain(shownRule);
    const logMessages = () => discord.messages('no-threads').map(text).join();
    await expect.poll(logMessages).toContain(`added ${shownRule}`);
    await (await discord.as('member').slash('video', { prompt: 'a fox' })).message();
    await expect
      .poll(logMessages)
      .toMatch(
        /Rule: task types and models\. Matched: \|\|deny \/video, model reel-\\\*, model \\\*-x\\_1 in <#\d+>\|\|/,
      );
    const entries = Array.from({ length: 5 }, (_, index) => `${'long'.repeat(12)}${index}.example`);
    const words = entries.map((entry) => ({ text: entry }));
    const allowedWords = entries.map((entry) => entry.replace('.', ''));
    await applyImport(fixture, { words, patterns: words, allowedWords, allowedDomains: entries });
    await applyImport(fixture, { deniedDomains: entries });
    const history = await (await admin.slash('server history')).message();
    const [, ...lines] = text(history).split('\n');
    const rest = /^(\d+) older changes are in the file\.$/.exec(lines.at(-1) ?? '')?.[1];
    const csv = await (await fetch(history.attachments[0]?.url ?? '')).text();
    const changes = csv.split('\n').filter((line) => /^\d{4}-/.test(line));
    expect(lines.length - 1 + Number(rest)).toBe(changes.length);
    expect(csv).toMatch(/task types and models,,"deny \/video, model reel-\*, model \*-x_1 in <#\d+>"/);
  });

  it('A result from another server is shown without the words that are blocked in this server', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    await changeRules(fixture, 'Change words', { words: 'casino' });
    const member = discord.as('member');
    await (await member.in('hall').slash('imagine', { prompt: 'a neon casino at night' })).message(says('Finished in'));
    const taskPage = await openTask(fixture, await openTaskList(fixture));
    const shown = text(await (await member.click(taskPage, 'Show here')).message(says('Finished in')));
    expect(shown).toContain('a neon ▇▇▇ at night');
    expect(shown).not.toContain('casino');
  });

  describe('Moderation of prompts', () => {
    const moderatedBot = async (values: Record<string, unknown>, extraSettings: Record<string, string> = {}) => {
      const fixture = await createFastClockFixture({
        gateway: { speed: 20 },
        settings: { ...settings, ...extraSettings },
      });
      const { gateway, config } = fixture;
      const moderation = { ...config.moderation, baseUrl: gateway.url, apiKey: config.gateway.apiKey };
      await startBot({ ...fixture, config: { ...config, moderation } });
      const { thresholds, ...choices } = values;
      await changeRules(fixture, 'Change moderation', choices);
      if (thresholds !== undefined) await changeRules(fixture, 'Change categories', { thresholds });
      return fixture;
    };
    const moderationRequests = ({ gateway }: FastClockFixture): unknown[] =>
      gateway.requests.filter(({ path }) => path === '/v1/moderations').map(({ body }) => body);

    it('A prompt that the service flags is refused before anything is submitted, and the log names the category', async () => {
      const fixture = await moderatedBot({ prompts: 'refuse', thresholds: 'hate 0.4\nviolence 1' });
      await changeRules(fixture, 'Change log channel', { logChannel: ['no-threads'] });
      expect(await imagine(fixture, 'flag:sexual')).toContain('The moderation service flagged your request');
      expect(await imagine(fixture, 'doubt:hate')).toContain('flagged your request');
      expect(submitCount(fixture.gateway)).toBe(0);
      expect(await imagine(fixture, 'doubt:sexual flag:violence')).toContain('Finished in');
      // The first request only asks for the categories.
      expect(moderationRequests(fixture)[1]).toEqual({ model: 'omni-moderation-latest', input: 'flag:sexual' });
      expect(moderationRequests(fixture)).toHaveLength(4);
      const logMessages = () =>
        fixture.discord
          .messages('no-threads')
          .map((one) => text(one))
          .join('\n');
      await expect.poll(logMessages).toContain('Rule: moderation. Matched: ||`sexual`||');
      const history = await (await fixture.discord.as('admin').slash('server history')).message();
      expect(text(history)).toContain('moderation: Text of requests: Do not check → Text of requests: Refuse');
    });

    it('A prompt that the service flags is refused before everyone sees the question about its price', {
      tags: ['breadth'],
    }, async () => {
      const prices = join(createTemporaryFolder(), 'prices.json');
      writeFileSync(prices, JSON.stringify({ imagine: '1' }));
      const fixture = await moderatedBot({ prompts: 'refuse' }, { PRICES: prices });
      const { discord } = fixture;
      await (await discord.as('admin').slash('budget set', { confirm_above: '0' })).message();
      expect(await imagine(fixture, 'flag:violence')).toContain('flagged your request');
      const question = await (await discord.as('member').slash('imagine', { prompt: 'a hare' })).message(
        says('a hare'),
      );
      expect(question.ephemeral).toBe(false);
      expect(submitCount(fixture.gateway)).toBe(0);
    });

    it('A document, and a prompt that a form adds to a task, are judged before they reach the gateway', {
      tags: ['breadth'],
    }, async () => {
      const fixture = await moderatedBot({ prompts: 'refuse' });
      const { discord, gateway } = fixture;
      gateway.settings.quirks.remix = true;
      await changeRules(fixture, 'Change words', { words: 'casino' });
      const member = discord.as('member');
      const askAbout = async (content: string): Promise<string> => {
        const file = { name: 'notes.txt', bytes: Buffer.from(content), contentType: 'text/plain' };
        return text(
          await (await member.slash('ask', { prompt: 'what is this?', file })).message((one) => one.ephemeral),
        );
      };
      expect(await askAbout('A day at the casino.')).toContain('a word or phrase that is blocked here');
      expect(await askAbout('Notes about flag:violence')).toContain('flagged your request');
      expect(modelRequests(gateway)).toEqual([]);
      const waiting = await (await member.click(await orderGrid(fixture), 'V1')).message(says('needs a prompt'));
      const modals = () => gateway.requests.filter(({ path }) => path.endsWith('/submit/modal'));
      for (const [words, refusal] of [
        ['a casino', 'a word or phrase that is blocked here'],
        ['flag:violence', 'flagged your request'],
      ] as const) {
        const form = await (await member.click(waiting, 'Continue')).modal();
        expect(text(await (await member.fill(form, { words })).followUp())).toContain(refusal);
      }
      expect(modals()).toEqual([]);
      const form = await (await member.click(waiting, 'Continue')).modal();
      await member.fill(form, { words: 'a quiet lake' });
      await expect.poll(() => modals().length).toBe(1);
    });

    it('A flagged prompt can hide its results behind a spoiler instead of being refused', {
      tags: ['breadth'],
    }, async () => {
      const fixture = await moderatedBot({ prompts: 'spoiler' });
      const ask = async (prompt: string) =>
        (await fixture.discord.as('member').slash('imagine', { prompt })).message(says('Finished in'));
      const flagged = await ask('flag:violence');
      expect(spoilersOf(flagged)).toEqual([true]);
      // Its owner cannot take the spoiler off, nor from what is made of it.
      await (await fixture.discord.as('member').click(flagged, 'U1')).message(says('Finished in'));
      for (const kind of ['imagine', 'action']) {
        const page = await openTask(fixture, await openTaskList(fixture, 'member', { kind }));
        expect(labels(page).filter((label) => /spoiler|openly/.test(label))).toEqual([]);
      }
      expect(spoilersOf(await ask('a quiet lake'))).toEqual([false]);
    });

    it('If the moderation service fails, requests are refused or allowed, depending on the server’s rules', async () => {
      const fixture = await moderatedBot({ prompts: 'refuse', whenAway: 'refuse' });
      await changeRules(fixture, 'Change log channel', { logChannel: ['no-threads'] });
      const faults = [
        { type: 'status', status: 500 },
        { type: 'truncated', how: 'half' },
        { type: 'body', body: {} },
        { type: 'reset' },
      ] as const;
      const failWith = (fault: (typeof faults)[number]) =>
        fixture.gateway.faults.add({ on: { path: /moderations/ }, do: fault });
      for (const fault of faults) {
        failWith(fault);
        expect(await imagine(fixture, `a lake and ${fault.type}`)).toContain('could not be checked');
      }
      await expect
        .poll(() => text(fixture.discord.messages('no-threads').at(-1) ?? ({} as Message)))
        .toContain('Rule: moderation (the service could not check it).');
      expect(submitCount(fixture.gateway)).toBe(0);
      const about = async () => text(await (await fixture.discord.as('owner').slash('about')).ephemeral());
      fixture.clock.advance(3 * 60_000);
      expect(await about()).toContain('The moderation service has not given a usable response since');
      await imagine(fixture, 'a lake');
      expect(await about()).toContain('**Notices**: none.');
      await changeRules(fixture, 'Change moderation', { prompts: 'refuse', whenAway: 'allow' });
      for (const fault of faults) {
        failWith(fault);
        expect(await imagine(fixture, `a lake and ${fault.type}`)).toContain('Finished in');
      }
    });

    it('A threshold for a category that the service does not have is refused, and the refusal names its categories', async () => {
      const fixture = await moderatedBot({ prompts: 'refuse' });
      const misspelled = { thresholds: 'violance 0.4\nhate 0.5' };
      expect(await changeRefusal(fixture, 'Change categories', misspelled)).toContain(
        'The moderation service does not know: `violance`. Use its categories: `sexual`, `hate`,',
      );
    });

    it('Moderation cannot be enabled without a service, and an invalid threshold is refused', async () => {
      const fixture = await botWith();
      expect(await changeRefusal(fixture, 'Change moderation', { prompts: 'refuse' })).toContain(
        'No moderation service',
      );
      expect(await changeRefusal(fixture, 'Change categories', { thresholds: 'violence 2\nhate 0.5\nharm' })).toContain(
        'Not valid: `violence 2`, `harm`. Write a category and a number from 0 to 1',
      );
      expect(text(await openRulesPage(fixture))).toContain('The operator has not configured a moderation service');
    });
  });

  it('The operator’s own rules override every server’s rules and apply in direct messages', async () => {
    const path = join(createTemporaryFolder(), 'rules.json');
    writeFileSync(path, JSON.stringify({ words: [{ text: 'gore' }] }));
    const fixture = await botWith({ RULES: path, DISCORD_USER_INSTALL: 'on' });
    expect(await imagine(fixture, 'much g.o.r.e')).toContain('a word or phrase');
    await changeRules(fixture, 'Change log channel', { logChannel: ['no-threads'] });
    await imagine(fixture, 'more gore');
    const logMessages = () =>
      fixture.discord
        .messages('no-threads')
        .map((one) => text(one))
        .join('\n');
    await expect.poll(logMessages).toContain('Rule: blocked words (set by the bot’s operator).');
    const directExchange = await fixture.discord.as('member').in('dm').slash('imagine', { prompt: 'gore' });
    expect(text(await directExchange.message())).toContain('a word or phrase');
    expect(submitCount(fixture.gateway)).toBe(0);
  });

  it('The form and the preview of a rule do not name mentions where the bot does not answer them', async () => {
    const fixture = await botWith({ DISCORD_MENTIONS: 'off' });
    const button = 'Add a rule for task types and models';
    const fill = (subjects: string[]) => changeRules(fixture, button, { effect: 'deny', subjects });
    await expect(fill(['Mentions of the bot'])).rejects.toThrow('Mentions of the bot');
    expect(text(await fill(['Everything']))).not.toContain('mentions');
  });

  it('The rules page says which rules of the operator also apply, and their refusals name the operator', async () => {
    const path = join(createTemporaryFolder(), 'rules.json');
    writeFileSync(path, JSON.stringify({ access: [{ effect: 'deny', kinds: ['imagine'] }] }));
    const fixture = await botWith({ RULES: path });
    expect(await imagine(fixture, 'a fox')).toContain('Ask the bot’s operator if you think this is a mistake.');
    const page = text(await openRulesPage(fixture));
    expect(page).toContain('rules that also apply here: task types and models');
    expect(page).toContain('- the operator’s rule: deny Imagine\n');
    expect(page).not.toContain('Everyone can use');
    expect(page).toContain('The operator does not offer own installations of the bot.');
  });

  it('The log channel says that a refused request broke a rule of the operator, and not which of its words', async () => {
    const path = join(createTemporaryFolder(), 'rules.json');
    writeFileSync(path, JSON.stringify({ words: [{ text: 'casino' }] }));
    const fixture = await botWith({ RULES: path });
    await changeRules(fixture, 'Change log channel', { logChannel: ['no-threads'] });
    await imagine(fixture, 'a casino');
    await expect
      .poll(() => fixture.discord.messages('no-threads').map(text).join())
      .toMatch(/was refused\. Rule: blocked words \(set by the bot’s operator\)\.$/);
  });

  it('A member’s export includes the changes that they made, and after erasure, the history no longer names the member', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith();
    const { discord } = fixture;
    await changeRules(fixture, 'Change words', { words: 'casino' });
    const admin = discord.as('admin');
    const exportMessage = await (await admin.click(await openTaskList(fixture, 'admin'), 'Export my data')).message();
    const data = JSON.parse(await (await fetch(exportMessage.attachments[0]?.url ?? '')).text()) as { rules: object[] };
    expect(data.rules).toMatchObject([{ changes: [{ what: 'words', after: 'casino' }] }]);
    await erase(fixture, 'admin');
    const history = await (await admin.slash('server history')).message();
    expect(text(history)).toContain('Deleted Member: blocked words');
    expect(await imagine(fixture, 'a casino')).toContain('a word or phrase');
  });

  it('/server check lists the permissions that the bot is missing and links to the invite', async () => {
    const fixture = await botWith();
    const admin = fixture.discord.as('admin');
    const checkMessage = await (await admin.slash('server check')).message();
    const allGrantedText = text(checkMessage);
    expect(allGrantedText).toContain('✅ Send Voice Messages');
    expect(allGrantedText).toContain('all the permissions it needs here');
    expect(JSON.stringify(checkMessage.components)).toContain('https://discord.com/oauth2/authorize?');
    const missingText = text(await (await admin.in('no-threads').slash('server check')).message());
    expect(missingText).toContain('❌ Create Public Threads: `/talk start`');
  });

  it('Server rules still apply after a restart, and to a task that was waiting when they changed', async () => {
    const fixture = await createFastClockFixture({
      gateway: { speed: 1 },
      settings: { ...settings, GATEWAY_JOBS_AT_ONCE: '1' },
    });
    const first = await startBot(fixture);
    const { discord } = fixture;
    await discord.as('member').slash('imagine', { prompt: 'a fox' });
    const waiting = await discord.as('other').slash('imagine', { prompt: 'a casino' });
    await waiting.message(says('Waiting in the bot’s queue'));
    await changeRules(fixture, 'Change words', { words: 'casino' });
    await first.stop();
    await startBot(fixture);
    fixture.gateway.setSpeed(50);
    const refused = await waiting.message(says('refused when it reached the front of the queue'));
    expect(text(refused)).not.toContain('blocked');
    const reason = await (await discord.as('other').click(refused, 'Retry')).message(says('blocked here'));
    expect(text(reason)).toContain('a word or phrase that is blocked here');
    expect(reason.ephemeral).toBe(true);
    expect(submitCount(fixture.gateway)).toBe(1);
  });

  it('A member whose role allows a command can queue a task with it', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 1 },
      settings: { ...settings, GATEWAY_JOBS_AT_ONCE: '1' },
    });
    const { discord } = fixture;
    const artists = { id: '900000000000000001', name: 'artists', permissions: 0n };
    const atelier = discord.world.guild('atelier');
    atelier.roles.push(artists);
    for (const who of ['member', 'other']) atelier.members.get(discord.world.user(who).id)?.roles.push(artists.id);
    await addAccessRule(fixture, { effect: 'allow', subjects: ['/imagine'], roles: ['artists'] });
    await discord.as('member').slash('imagine', { prompt: 'a fox' });
    const waiting = await discord.as('other').slash('imagine', { prompt: 'an owl' });
    await waiting.message(says('Waiting in the bot’s queue'));
    fixture.gateway.setSpeed(50);
    expect(text(await waiting.message(says('Finished in')))).toContain('an owl');
  });

  it('A rule for a channel also applies to messages in its threads', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({
      settings: { ...settings, ...models, DISCORD_MESSAGE_CONTENT: 'on' },
      discord: { privilegedIntents: ['message-content'] },
      gateway: { speed: 20 },
    });
    const { discord, gateway } = fixture;
    const member = discord.as('member').in('thread');
    await (await member.slash('ask', { prompt: 'What is snow?' })).message(hasEnded);
    await addAccessRule(fixture, { effect: 'deny', subjects: ['/ask'], channels: ['studio'] });
    const question = await member.say('and ice?');
    const reply = await discord.until(() =>
      discord
        .messages('thread')
        .find(
          (one) => one.message_reference?.message_id === question.id && text(one).includes('can’t make this request'),
        ),
    );
    expect(text(reply)).toContain('can’t make this request in this channel');
    expect(modelRequests(gateway)).toHaveLength(1);
  });
});

describe('The rules page of a server', { tags: ['breadth'] }, () => {
  it('Rules for as many roles as the format allows can be imported, shown in the form, and saved without losing a role', async () => {
    const fixture = await startFastClockBot({ settings });
    const { discord } = fixture;
    const roleIds = Array.from({ length: 25 }, (_, index) => String(900_000_000_000_000_001n + BigInt(index)));
    discord.world.guild('atelier').roles.push(...roleIds.map((id) => ({ id, name: `role ${id}`, permissions: 0n })));
    await applyImport(fixture, { pressers: { roleIds } });
    const page = await changeRules(fixture, 'Change buttons and privacy', { privateCommands: 'ask' });
    expect(text(page)).toContain('`/ask`');
    expect(text(page)).toContain(`Only ${roleIds.map((id) => `<@&${id}>`).join(' ')} and moderators can press`);
    const every = { effect: 'deny', subjects: ['/video'], roles: roleIds, channels: [] };
    expect(text(await changeRules(fixture, 'Add a rule for task types and models', every))).toContain(
      roleIds.join('> <@&'),
    );
  });

  it('A form changes only what its admin changed in it, whatever another admin has changed since it opened', async () => {
    const fixture = await startFastClockBot({ settings });
    const { discord } = fixture;
    const admin = discord.as('admin');
    await changeRules(fixture, 'Change words', { words: 'casino', longestPrompt: '321' });
    const form = await (await admin.click(await openRulesPage(fixture), 'Change words')).modal();
    await changeRules(fixture, 'Change words', { longestPrompt: '222' }, 'owner');
    // The form still shows 321.
    const page = await (await admin.fill(form, { allowedWords: 'casinos' })).message();
    expect(text(page)).toContain('222 characters');
    expect(text(page)).not.toContain('321 characters');
    const history = text(await (await admin.slash('server history')).message());
    // Times and IDs may contain these digits.
    expect(history.match(/\b321\b/g)).toHaveLength(2);
  });

  it('A form whose field another admin has changed since it opened is refused with that change, and overwrites it only when it is submitted again', async () => {
    const fixture = await startFastClockBot({ settings });
    const { discord } = fixture;
    const admin = discord.as('admin');
    await changeRules(fixture, 'Change words', { words: 'casino', longestPrompt: '321' });
    const rulesPage = await openRulesPage(fixture);
    const form = await (await admin.click(rulesPage, 'Change words')).modal();
    await changeRules(fixture, 'Change words', { words: 'casino\nroulette', longestPrompt: '222' }, 'owner');
    const refusal = await (await admin.fill(form, { words: 'casino\npoker' })).followUp();
    expect(text(refusal)).toContain(
      '`Blocked words and phrases` changed after you opened this form (added: `roulette`).',
    );
    const corrected = await (await admin.click(refusal, 'Correct it')).modal();
    // A further change is unseen again.
    await changeRules(fixture, 'Change words', { words: 'dice' }, 'owner');
    const second = await (await admin.fill(corrected, {})).message();
    expect(text(second)).toContain('(removed: `casino`, `roulette`; added: `dice`)');
    await admin.fill(await (await admin.click(second, 'Correct it')).modal(), {});
    const page = await discord.until(() =>
      discord.messages('studio').find((one) => one.id === rulesPage.id && text(one).includes('222 characters')),
    );
    // What was corrected cannot be corrected once more.
    const gone = () => admin.click(second, 'Correct it').then((exchange) => exchange.message());
    await expect.poll(async () => text(await gone())).toContain('This form is no longer available.');
    const stale = discord.messages('studio').find(({ id }) => id === second.id);
    expect(stale && labels(stale)).toEqual([]);
    const list = page.attachments.findIndex(({ filename }) => filename === 'blocked-words.txt');
    expect((await bytesOf(page, list)).toString()).toBe('casino\npoker');
  });

  it('A refused form names the channel or the choice that another admin made, and opens again', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ settings });
    const admin = fixture.discord.as('admin');
    const page = await openRulesPage(fixture);
    const form = await (await admin.click(page, 'Change log channel')).modal();
    await changeRules(fixture, 'Change log channel', { logChannel: ['studio'] }, 'owner');
    const refusal = await (await admin.fill(form, { logChannel: ['no-threads'] })).followUp();
    expect(text(refusal)).toContain('`Channel` changed after you opened this form (added: `#studio`).');
    const useForm = await (await admin.click(page, 'Change buttons and privacy')).modal();
    await changeRules(fixture, 'Change buttons and privacy', { pressers: 'requester' }, 'owner');
    const roles = { pressers: 'roles', presserRoles: ['@everyone'] };
    const useRefusal = await (await admin.fill(useForm, roles)).followUp();
    expect(text(useRefusal)).toContain('added: `Only the owner of the result and moderators`');
    expect(await (await admin.click(useRefusal, 'Correct it')).modal()).toBeDefined();
  });

  it('An outdated rules page removes only the rule that it shows; if that rule is gone, the page says so and shows the current rules', async () => {
    const fixture = await startFastClockBot({ settings });
    for (const command of ['imagine', 'video', 'image'])
      await addAccessRule(fixture, { effect: 'deny', subjects: [`/${command}`] });
    const outdatedPage = await openRulesPage(fixture);
    const otherPage = await openRulesPage(fixture);
    await removeRule(fixture, otherPage, 'deny /imagine');
    const rulesAfter = removableRules(await removeRule(fixture, outdatedPage, 'deny /video'));
    expect(rulesAfter).toEqual(['deny /image']);
    const noticePage = await removeRule(fixture, otherPage, 'deny /video');
    expect(text(noticePage)).toContain('This page was out of date');
    expect(removableRules(noticePage)).toEqual(['deny /image']);
  });

  it('Equal rules are offered once and removed together, and a role that no longer exists is named as such', async () => {
    const fixture = await startFastClockBot({ settings });
    const { discord } = fixture;
    const artists = { id: '900000000000000001', name: 'artists', permissions: 0n };
    const { roles } = discord.world.guild('atelier');
    roles.push(artists);
    const access = [['imagine'], ['imagine'], ['video', 'second-video', 'image-to-video']].map((kinds) => {
      return { effect: 'deny', kinds, roleIds: [artists.id] };
    });
    await applyImport(fixture, { access });
    roles.splice(roles.indexOf(artists), 1);
    const page = await openRulesPage(fixture);
    const [first = '', ...others] = removableRules(page);
    expect([first, ...others]).toEqual(['deny Imagine for unknown role', 'deny /video for unknown role']);
    expect(text(await removeRule(fixture, page, first))).not.toContain('deny /imagine');
  });

  it('The rules page names rules that allow something only to roles or in channels that were deleted, and no rule for a thread', async () => {
    const fixture = await startFastClockBot({ settings });
    const { world } = fixture.discord;
    const artists = { id: '900000000000000001', name: 'artists', permissions: 0n };
    const { roles } = world.guild('atelier');
    roles.push(artists);
    const [hall, thread] = [world.channel('hall'), world.channel('thread')];
    const access = [{ roleIds: [artists.id] }, { channelIds: [hall.id] }, { channelIds: [hall.id, thread.id] }].map(
      (places) => ({ effect: 'allow', kinds: ['imagine'], ...places }),
    );
    await applyImport(fixture, { access });
    expect(text(await openRulesPage(fixture))).not.toContain('⚠️');
    roles.splice(roles.indexOf(artists), 1);
    world.removeChannel(hall);
    const warnings = text(await openRulesPage(fixture)).match(/⚠️.*/g);
    expect(warnings).toEqual(
      [`for <@&${artists.id}>`, `in <#${hall.id}>`].map(
        (place) =>
          `⚠️ This rule allows no one, because the server does not have its roles or channels: allow Imagine ${place}. Remove it.`,
      ),
    );
  });
});
