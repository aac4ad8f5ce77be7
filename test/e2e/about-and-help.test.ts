import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { bot } from './bot.ts';

describe('/about', () => {
  it('/about names the version and says that the gateway responds', async () => {
    const { discord } = await bot();
    const said = text(await (await discord.as('member').slash('about')).message());
    expect(said).toContain('Version 1.2.3');
    expect(said).toMatch(/Gateway: available \(\d+ ms\)/);
    expect(discord.violations).toEqual([]);
  });

  it('/about says that the gateway does not respond', async () => {
    const { discord, gateway } = await bot();
    gateway.faults.add({ do: 'unauthorized' });
    const said = text(await (await discord.as('member').slash('about')).message());
    expect(said).toContain('rejected this bot’s API key');
    await gateway.close();
    expect(text(await (await discord.as('member').slash('about')).message())).toContain('cannot be reached');
  });
});

describe('/help', () => {
  it('/help lists the registered commands as links, with an example', async () => {
    const { discord } = await bot();
    const said = text(await (await discord.as('admin').slash('help')).message());
    expect(text(await (await discord.as('member').slash('help')).message())).not.toContain('/budget');
    for (const { name, id, type, options = [] } of discord.commands.global()) {
      const isMenu = type === ApplicationCommandType.Message;
      const typed = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
      const mentions = typed.length === 0 ? [`</${name}:${id}>`] : typed.map((sub) => `</${name} ${sub.name}:${id}>`);
      for (const mention of isMenu ? [`**${name}** ·`] : mentions) expect(said).toContain(mention);
    }
    expect(said).toContain('/models kind:video');
    expect(discord.violations).toEqual([]);
  });
});
