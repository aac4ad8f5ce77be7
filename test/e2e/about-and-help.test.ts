import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { languages } from '../../src/lib/languages.ts';
import { sayIn } from '../../src/locales/index.ts';
import { createTemporaryFolder } from '../services/store/store-fixture.ts';
import { startBot, startTestBot } from './bot.ts';
import { createFastClockFixture, says } from './quick.ts';

describe('/about', () => {
  it('/about names the version and says that the gateway responds', async () => {
    const { discord } = await startTestBot();
    const content = text(await (await discord.as('member').slash('about')).message());
    expect(content).toContain('Version 1.2.3');
    expect(content).toMatch(/Gateway: available \([\d.]+ (ms|sec)\)/);
    expect(discord.violations).toEqual([]);
  });

  it('/about says that the gateway does not respond', async () => {
    const { discord, gateway } = await startTestBot();
    gateway.faults.add({ do: 'unauthorized' });
    const content = text(await (await discord.as('member').slash('about')).message());
    expect(content).toContain('Gateway: rejects the bot’s key (`GATEWAY_API_KEY`). New requests fail.');
    expect(content).not.toContain('Ask the operator');
    await gateway.close();
    expect(text(await (await discord.as('member').slash('about')).message())).toContain(
      'Gateway: not reachable. New requests may fail.',
    );
    // Its responses at the start of the bot are recent, but count less than the page's own request.
    expect(text(await (await discord.as('owner').slash('about')).message())).toContain(
      'Gateway: not ready. The gateway cannot be reached.',
    );
  });
});

describe('/about for the operator', () => {
  it('Only the operator sees each check, what is wrong, and the recent starts with their versions in /about', async () => {
    const fixture = await createFastClockFixture();
    const { discord, gateway, clock } = fixture;
    const about = async (who: string): Promise<string> =>
      text(await (await discord.as(who).slash('about')).ephemeral());
    await (await startBot({ ...fixture, version: '1.2.2' })).stop();
    clock.advance(3_600_000);
    await startBot(fixture);
    const healthyReport = await about('owner');
    expect(healthyReport).toMatch(/Bot: ready\nDiscord: ready\nDatabase: ready\nGateway: ready/);
    expect(healthyReport).toContain('**Notices**: none.');
    expect(healthyReport).toMatch(
      /<t:\d+:f>, version 1\.2\.3: running\n<t:\d+:f>, version 1\.2\.2: stopped on request, <t:\d+:f>/,
    );
    gateway.setSpeed(0.01);
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Queued'));
    gateway.faults.add({ on: { path: /fetch$|models/ }, do: 'unauthorized', times: 1_000 });
    clock.advance(2 * 60_000);
    await expect
      .poll(() => about('owner'))
      .toMatch(
        /\*\*Notices\*\*\n`\/imagine` .*: the gateway has been refusing status checks since .*Check the API key/,
      );
    // On a busy machine the response to a check may come too late.
    await expect.poll(() => about('owner')).toContain('Gateway: not ready. The gateway rejects the API key.');
    for (const who of ['member', 'admin']) {
      const content = await about(who);
      expect(content).toContain('Version 1.2.3');
      expect(content).not.toMatch(/Checks|Notices|Recent starts|1\.2\.2/);
    }
  });

  it('/about shows the last ten starts, also to users whom OPERATOR_IDS names', { tags: ['breadth'] }, async () => {
    // Each start edits the same notice, which exceeds Discord's rate limit.
    const fixture = await createFastClockFixture({ allowsRateLimits: true });
    const other = fixture.discord.world.user('other').id;
    const stageWithOperator = { ...fixture, config: { ...fixture.config, operator: { ids: [other] } } };
    for (let start = 0; start < 11; start += 1) await (await startBot(stageWithOperator)).stop();
    await startBot(stageWithOperator);
    const content = text(await (await fixture.discord.as('other').slash('about')).ephemeral());
    expect(content.split('version 1.2.3').length - 1).toBe(10);
  });
});

describe('/help', () => {
  it('/help lists the registered commands as links, with an example', async () => {
    const { discord } = await startTestBot();
    const content = text(await (await discord.as('owner').slash('help')).message());
    for (const { name, id, type, options = [] } of discord.commands.global()) {
      const isMenu = type === ApplicationCommandType.Message;
      const subcommands = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
      const mentions =
        subcommands.length === 0
          ? [`</${name}:${id}>`]
          : subcommands.map((subcommand) => `</${name} ${subcommand.name}:${id}>`);
      for (const mention of isMenu ? [`**${name}** ·`] : mentions) expect(content).toContain(mention);
    }
    expect(content).toContain('/models kind:Video');
    expect(content).toContain('also answers messages that mention it');
    expect(content).toMatch(
      /\*\*Create\*\*\n<\/imagine:[\s\S]*\*\*Tasks, usage and this bot\*\*\n<\/tasks:[\s\S]*\*\*Manage\*\* \(admins\)\n<\/budget show:/,
    );
    expect(discord.violations).toEqual([]);
  });

  it('/help is complete in every language, without examples where they would not fit', {
    tags: ['breadth'],
  }, async () => {
    const { discord } = await startTestBot();
    for (const language of languages) {
      discord.world.user('owner').locale = language;
      const content = text(await (await discord.as('owner').slash('help')).ephemeral());
      const say = sayIn(language);
      expect(content).toContain(say('help.about.verify'));
      expect(content).toContain(say('help.mentions.server'));
    }
  });

  it('/help hides commands that the member cannot use, and keeps the menu entries', async () => {
    const { discord } = await startTestBot();
    const helpFor = async (who: string): Promise<string> =>
      text(await (await discord.as(who).slash('help')).ephemeral());
    const memberHelp = await helpFor('member');
    expect(memberHelp).toContain('**Report**');
    expect(memberHelp).not.toMatch(/budget|\/server|finetune|admins|everyone\)|channel edit|channel reset/);
    expect(memberHelp).toContain('</channel show:');
    const adminHelp = await helpFor('admin');
    expect(adminHelp).toContain('</budget show:');
    expect(adminHelp).not.toContain('finetune');
    expect(await helpFor('owner')).toContain('</finetune:');
  });

  it('/help in a direct message does not list Report, because there are no moderators who could read one', {
    tags: ['breadth'],
  }, async () => {
    const { discord } = await startTestBot({
      settings: { DISCORD_USER_INSTALL: 'on' },
      registersCommands: { userInstall: true },
    });
    const directHelp = text(await (await discord.as('member').in('dm').slash('help')).message());
    expect(directHelp).toContain('**Verify**');
    expect(directHelp).not.toContain('**Report**');
    expect(directHelp).toContain('preset save');
    expect(directHelp).not.toContain('preset share');
    expect(directHelp).toContain('also answers messages that you send it directly');
  });

  it('/help hides commands that the rules of the server deny to the member', async () => {
    const rules = { access: [{ effect: 'deny', kinds: ['video', 'second-video', 'image-to-video', 'ask'] }] };
    const path = join(createTemporaryFolder(), 'rules.json');
    writeFileSync(path, JSON.stringify(rules));
    const { discord } = await startTestBot({ settings: { RULES: path } });
    const help = text(await (await discord.as('member').slash('help')).ephemeral());
    expect(help).toContain('</image:');
    expect(help).not.toMatch(/<\/video:|Make a video|<\/ask|<\/prompt/);
  });
});
